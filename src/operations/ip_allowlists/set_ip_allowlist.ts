import Type from 'typebox'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { defineActivity } from '../define.ts'
import { ApiPublicKey, Flag, fields, optional } from '../fields/fields.ts'
import {
  allowlistNeeds,
  apiKeyOf,
  IpRules,
  OnEvaluationError,
  rulesOf,
  withKeyAllowlist,
} from './shared/ip_allowlists.ts'

export default defineActivity({
  name: 'set_ip_allowlist',
  summary:
    'Replaces the IP allowlist of the organization or an API key, and locks out a caller whose address it lacks.',
  policy: { resource: 'ORGANIZATION', action: 'UPDATE' },
  parameters: fields({
    publicKey: optional(ApiPublicKey),
    enabled: optional(Flag),
    rules: optional(IpRules),
    onEvaluationError: optional(OnEvaluationError),
  }),
  result: Type.Object({}),
  check: ({ publicKey, enabled, rules = [] }) => {
    rulesOf(rules, 0)
    if (publicKey === undefined || enabled === undefined) return
    const expected = 'left out for an API key: its list counts while that of the organization is enabled'
    throw fieldInvalid('parameters.enabled', expected)
  },
  needs: ({ publicKey }) => allowlistNeeds(publicKey),

  run({ organization, parameters, nowMs }) {
    const { publicKey, enabled = true, onEvaluationError = 'DENY' } = parameters
    const list = { rules: rulesOf(parameters.rules ?? [], nowMs), onEvaluationError }
    if (publicKey !== undefined) {
      organization.users.put(withKeyAllowlist(apiKeyOf(organization, publicKey), list, nowMs))
      return {}
    }
    const { organizationId, ipAllowlists } = organization
    const [former] = ipAllowlists.all()
    const record = { organizationId, enabled, ...list }
    if (former === undefined) ipAllowlists.add(record)
    else ipAllowlists.put({ ...record, createdAtMs: former.createdAtMs })
    return {}
  },
})
