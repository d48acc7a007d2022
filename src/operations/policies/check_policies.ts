import { defineQuery } from '../define.ts'
import { DenialCheck } from '../denial_check.ts'
import { fields, Uuid } from '../fields/fields.ts'

export default defineQuery({
  name: 'check_policies',
  summary: 'Lists the signing requests that policies which deny cannot see, with the condition that denies them.',
  parameters: fields({ organizationId: Uuid }),
  result: DenialCheck,
  run: ({ checkPolicies }) => checkPolicies(),
})
