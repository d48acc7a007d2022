import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { PolicyView, policyView } from './shared/policies.ts'

export default defineQuery({
  name: 'list_policies',
  summary: 'Lists the policies of the organization.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ policies: Type.Array(PolicyView) }),
  needs: () => [all('policy')],

  run({ organization: { policies } }) {
    return { policies: policies.all().map(policyView) }
  },
})
