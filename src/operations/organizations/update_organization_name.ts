import Type from 'typebox'
import { defineActivity } from '../define.ts'
import { fields, Label } from '../fields/fields.ts'

export default defineActivity({
  name: 'update_organization_name',
  summary: 'Renames the organization.',
  policy: 'rootQuorumOnly',
  parameters: fields({ organizationName: Label }),
  result: Type.Object({ organizationId: Type.String(), organizationName: Type.String() }),

  run({ organization, parameters: { organizationName } }) {
    organization.rename(organizationName)
    return { organizationId: organization.organizationId, organizationName }
  },
})
