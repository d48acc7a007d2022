import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { ApiPublicKey, Flag, fields, optional } from '../../contract/fields/fields.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { explainIpAllowlist } from './shared/ip_allowlist_changes.ts'
import {
  allowlistNeeds,
  apiKeyOf,
  IpRules,
  OnEvaluationError,
  requireOpen,
  rulesOf,
  withKeyAllowlist,
} from './shared/ip_allowlists.ts'

const unlessAllowed = { fieldPath: 'parameters.rules', remedy: 'set allowLockout to true' }

export default defineActivity({
  name: 'set_ip_allowlist',
  summary:
    'Replaces the IP allowlist of the organization or an API key. One that lacks the address of the caller is refused, unless `allowLockout` is true.',
  policy: { resource: 'ORGANIZATION', action: 'UPDATE' },
  parameters: fields({
    publicKey: optional(ApiPublicKey),
    enabled: optional(Flag),
    rules: optional(IpRules),
    onEvaluationError: optional(OnEvaluationError),
    // Not in the interface: whoever means to lock itself out says so.
    allowLockout: optional(Flag),
  }),
  result: Type.Object({}),
  check: ({ publicKey, enabled, rules }) => {
    rulesOf(rules ?? [], 0)
    if (publicKey === undefined && enabled === undefined && rules === undefined) {
      const expected = 'given where there are no rules: an enabled list without rules blocks everybody'
      throw fieldInvalid('parameters.enabled', expected)
    }
    if (publicKey === undefined || enabled === undefined) return
    const expected = 'left out for an API key: its list counts while that of the organization is enabled'
    throw fieldInvalid('parameters.enabled', expected)
  },
  needs: ({ publicKey }) => allowlistNeeds(publicKey),
  explain: ({ parameters, ...explaining }) => {
    const { publicKey, enabled = true, rules = [], onEvaluationError = 'DENY' } = parameters
    const to = { rules: rulesOf(rules, 0), onEvaluationError, ...(publicKey === undefined ? { enabled } : {}) }
    return explainIpAllowlist('set_ip_allowlist', { publicKey, to, allowLockout: parameters.allowLockout }, explaining)
  },

  run({ organization, parameters, source, nowMs }) {
    const { publicKey, enabled = true, onEvaluationError = 'DENY', allowLockout = false } = parameters
    const list = { rules: rulesOf(parameters.rules ?? [], nowMs), onEvaluationError }
    const { organizationId, ipAllowlists } = organization
    const [former] = ipAllowlists.all()
    if (publicKey !== undefined) {
      if (publicKey === source.apiKey?.publicKey && !allowLockout)
        requireOpen(source, { organizationList: former, keyList: list, ...unlessAllowed })
      organization.users.put(withKeyAllowlist(apiKeyOf(organization, publicKey), list, nowMs))
      return {}
    }
    const record = { organizationId, enabled, ...list }
    if (!allowLockout)
      requireOpen(source, { organizationList: record, keyList: source.apiKey?.ipAllowlist, ...unlessAllowed })
    if (former === undefined) ipAllowlists.add(record)
    else ipAllowlists.put({ ...record, createdAtMs: former.createdAtMs })
    return {}
  },
})
