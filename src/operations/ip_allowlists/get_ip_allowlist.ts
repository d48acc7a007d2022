import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { ApiPublicKey, fields, optional, Uuid } from '../../contract/fields/fields.ts'
import { view } from '../../contract/fields/named.ts'
import type { IpAllowlist } from '../../policy/ip_allowlist.ts'
import { allowlistNeeds, apiKeyOf } from './shared/ip_allowlists.ts'

export default defineQuery({
  name: 'get_ip_allowlist',
  summary: 'Returns the IP allowlist of the organization or of one API key. Without a list, it has no rules.',
  parameters: fields({ organizationId: Uuid, publicKey: optional(ApiPublicKey) }),
  result: Type.Object({
    allowlist: view('IpAllowlist', {
      organizationId: Type.String(),
      rules: Type.Array(
        view('IpAllowlistRule', { cidr: Type.String(), label: optional(Type.String()), createdAt: Type.String() }),
      ),
      publicKey: optional(Type.String()),
      enabled: optional(Type.Boolean()),
      onEvaluationError: optional(Type.String()),
    }),
  }),
  needs: ({ publicKey }) => allowlistNeeds(publicKey),

  run({ organization, parameters }) {
    const { organizationId } = organization
    if (parameters.publicKey !== undefined) {
      const { publicKey, ipAllowlist } = apiKeyOf(organization, parameters.publicKey).apiKey
      return { allowlist: { organizationId, ...listView(ipAllowlist), publicKey } }
    }
    const [list] = organization.ipAllowlists.all()
    return {
      allowlist: { organizationId, ...listView(list), ...(list === undefined ? {} : { enabled: list.enabled }) },
    }
  },
})

/** Shows the times of rules as texts of milliseconds since 1970. */
function listView(list: IpAllowlist | undefined) {
  if (list === undefined) return { rules: [] }
  const rules = list.rules.map(({ cidr, label, createdAtMs }) => ({
    cidr,
    ...(label === undefined ? {} : { label }),
    createdAt: String(createdAtMs),
  }))
  return { rules, onEvaluationError: list.onEvaluationError }
}
