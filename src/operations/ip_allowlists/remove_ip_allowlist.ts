import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { ApiPublicKey, fields, optional } from '../../contract/fields/fields.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { explainIpAllowlist } from './shared/ip_allowlist_changes.ts'
import { allowlistNeeds, apiKeyOf, requireOpen, withKeyAllowlist } from './shared/ip_allowlists.ts'

export default defineActivity({
  name: 'remove_ip_allowlist',
  summary:
    "Deletes an IP allowlist. An API key without one follows the organization's; without both, any address is allowed.",
  policy: { resource: 'ORGANIZATION', action: 'UPDATE' },
  parameters: fields({ publicKey: optional(ApiPublicKey) }),
  result: Type.Object({}),
  needs: ({ publicKey }) => allowlistNeeds(publicKey),
  explain: ({ parameters: { publicKey }, ...explaining }) =>
    explainIpAllowlist('remove_ip_allowlist', { publicKey, to: undefined }, explaining),

  run({ organization, parameters: { publicKey }, source, nowMs }) {
    const { organizationId, ipAllowlists } = organization
    const [organizationList] = ipAllowlists.all()
    if (publicKey === undefined) {
      if (organizationList === undefined) throw new Failure('NOT_FOUND', 'this organization has no IP allowlist')
      ipAllowlists.remove(organizationId)
      return {}
    }
    const found = apiKeyOf(organization, publicKey)
    if (found.apiKey.ipAllowlist === undefined) {
      throw new Failure('NOT_FOUND', `the api key ${found.apiKey.publicKey} has no IP allowlist`)
    }
    if (found.apiKey.publicKey === source.apiKey?.publicKey) {
      const remedy = 'replace it by set_ip_allowlist without rules and with allowLockout'
      requireOpen(source, { organizationList, keyList: undefined, fieldPath: 'parameters.publicKey', remedy })
    }
    organization.users.put(withKeyAllowlist(found, undefined, nowMs))
    return {}
  },
})
