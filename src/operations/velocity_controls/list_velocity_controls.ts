import Type from 'typebox'
import { defineQuery } from '../define.ts'
import { fields, Uuid } from '../fields/fields.ts'
import { all } from '../needs.ts'
import { VelocityControlView, velocityControlView } from './shared/velocity_controls.ts'

export default defineQuery({
  name: 'list_velocity_controls',
  summary: 'Lists the velocity controls of the organization.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ velocityControls: Type.Array(VelocityControlView) }),
  needs: () => [all('velocity_control')],

  run({ organization: { organizationId, velocityControls } }) {
    return { velocityControls: velocityControls.all().map((control) => velocityControlView(control, organizationId)) }
  },
})
