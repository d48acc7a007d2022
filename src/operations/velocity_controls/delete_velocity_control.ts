import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import { row } from '../../contract/explanation/shown_values.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all, velocityControl } from '../../contract/needs.ts'
import { Failure, fieldRefused, orFailure } from '../../protocol/wire/failures.ts'
import { controlRows } from './shared/velocity_control_rows.ts'
import { controlsNamedIn } from './shared/velocity_controls.ts'

export default defineActivity({
  name: 'delete_velocity_control',
  summary: 'Deletes a velocity control that no policy names, with everything that it has counted.',
  policy: { resource: 'POLICY', action: 'DELETE' },
  parameters: fields({ velocityControlId: Uuid }),
  result: Type.Object({ velocityControlId: Type.String() }),
  needs: ({ velocityControlId }) => [velocityControl(velocityControlId), all('policy')],
  explain: ({ parameters: { velocityControlId }, now }) => {
    const control = now.find('velocity_control', velocityControlId)
    return changesContent(now, {
      code: 'delete_velocity_control',
      subject: [now.named(velocityControlId)],
      rows: [row('deleted', now.named(velocityControlId)), ...(control === undefined ? [] : controlRows(control))],
    })
  },

  async run({ organization: { velocityControls, policies }, parameters: { velocityControlId }, pause }) {
    const { identifier } = velocityControls.get(velocityControlId)
    const naming: string[] = []
    for (const { policyId, condition } of policies.all()) {
      if (names(condition, identifier)) naming.push(policyId)
      await pause()
    }
    if (naming.length > 0) {
      const policyIds = naming.join(', ')
      throw fieldRefused(
        'parameters.velocityControlId',
        `these policies name controls.${identifier}; change or delete them first: ${policyIds}`,
      )
    }
    velocityControls.remove(velocityControlId)
    return { velocityControlId }
  },
})

/** A stored condition that no longer compiles never applies. It is checked again when it is changed. */
function names(condition: string | undefined, identifier: string): boolean {
  const named = orFailure(() => controlsNamedIn(condition))
  return !(named instanceof Failure) && named.some((each) => each.identifier === identifier)
}
