import Type from 'typebox'
import { Failure } from '../../protocol/wire/failures.ts'
import { defineActivity } from '../define.ts'
import { ApiPublicKey, fields, optional } from '../fields/fields.ts'
import { allowlistNeeds, apiKeyOf, withKeyAllowlist } from './shared/ip_allowlists.ts'

export default defineActivity({
  name: 'remove_ip_allowlist',
  summary:
    "Deletes an IP allowlist. An API key without one follows the organization's; without both, any address is allowed.",
  policy: { resource: 'ORGANIZATION', action: 'UPDATE' },
  parameters: fields({ publicKey: optional(ApiPublicKey) }),
  result: Type.Object({}),
  needs: ({ publicKey }) => allowlistNeeds(publicKey),

  run({ organization, parameters: { publicKey }, nowMs }) {
    if (publicKey === undefined) {
      const { organizationId, ipAllowlists } = organization
      if (ipAllowlists.all().length === 0) throw new Failure('NOT_FOUND', 'this organization has no IP allowlist')
      ipAllowlists.remove(organizationId)
      return {}
    }
    const found = apiKeyOf(organization, publicKey)
    if (found.apiKey.ipAllowlist === undefined) {
      throw new Failure('NOT_FOUND', `the api key ${found.apiKey.publicKey} has no IP allowlist`)
    }
    organization.users.put(withKeyAllowlist(found, undefined, nowMs))
    return {}
  },
})
