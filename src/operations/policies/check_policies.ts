import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { PolicyCheck } from '../../contract/policy_check.ts'
import { supposed } from '../../contract/policy_draft.ts'

export default defineQuery({
  name: 'check_policies',
  isOwn: true,
  summary:
    'Lists the signing requests that policies which deny and MFA policies cannot see, with the condition of a second one, the policies that allow by velocity controls alone, and the texts in expressions that can never match.',
  takesLong: true,
  parameters: fields({ organizationId: Uuid, ...supposed }),
  result: PolicyCheck,
  run: ({ parameters, checkPolicies }) => checkPolicies(parameters),
})
