import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import { text } from '../../contract/explanation/shown_values.ts'
import { all } from '../../contract/needs.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { controlRows } from './shared/velocity_control_rows.ts'
import { checkVelocityControl, NewVelocityControl, requireCountedTypes } from './shared/velocity_controls.ts'

export default defineActivity({
  name: 'create_velocity_control',
  summary:
    'Creates a counter with a comparison, which conditions of policies name `controls.<identifier>`. A count of activities takes each as one, however many payloads it signs; the unit `VELOCITY_CONTROL_UNIT_SIGNATURE` counts each of them.',
  policy: { resource: 'POLICY', action: 'CREATE' },
  parameters: NewVelocityControl,
  result: Type.Object({ velocityControlId: Type.String() }),
  check: checkVelocityControl,
  needs: () => [all('velocity_control')],
  explain: ({ parameters, now }) =>
    changesContent(now, {
      code: 'create_velocity_control',
      subject: [text(parameters.name)],
      rows: controlRows(parameters),
    }),

  run({ organization: { velocityControls }, parameters, newId, operationOfType }) {
    requireCountedTypes(parameters, operationOfType)
    const { name, identifier, dataSource, aggregation } = parameters
    if (velocityControls.all().some((other) => other.identifier === identifier)) {
      throw fieldInvalid('parameters.identifier', 'one that no other velocity control of this organization has')
    }
    const velocityControlId = newId()
    velocityControls.add({ velocityControlId, name, identifier, dataSource, aggregation })
    return { velocityControlId }
  },
})
