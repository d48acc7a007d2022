import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent, textChange } from '../../contract/explanation/changes.ts'
import { text } from '../../contract/explanation/shown_values.ts'
import { fields, Label } from '../../contract/fields/fields.ts'

export default defineActivity({
  name: 'update_organization_name',
  summary: 'Renames the organization.',
  policy: 'rootQuorumOnly',
  parameters: fields({ organizationName: Label }),
  result: Type.Object({ organizationId: Type.String(), organizationName: Type.String() }),
  explain: ({ parameters: { organizationName }, now }) =>
    changesContent(now, {
      code: 'update_organization_name',
      subject: [text(organizationName)],
      changes: { organizationName: textChange(now.organizationName, organizationName) },
    }),

  run({ organization, parameters: { organizationName } }) {
    organization.rename(organizationName)
    return { organizationId: organization.organizationId, organizationName }
  },
})
