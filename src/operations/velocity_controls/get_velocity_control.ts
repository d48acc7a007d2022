import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { velocityControl } from '../../contract/needs.ts'
import { VelocityControlView, velocityControlView } from './shared/velocity_controls.ts'

export default defineQuery({
  name: 'get_velocity_control',
  summary: 'Returns one velocity control.',
  parameters: fields({ organizationId: Uuid, velocityControlId: Uuid }),
  result: Type.Object({ velocityControl: VelocityControlView }),
  needs: ({ velocityControlId }) => [velocityControl(velocityControlId)],

  run({ organization: { organizationId, velocityControls }, parameters: { velocityControlId } }) {
    return { velocityControl: velocityControlView(velocityControls.get(velocityControlId), organizationId) }
  },
})
