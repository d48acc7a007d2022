import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, optional, PaginationOptions, Uuid } from '../../contract/fields/fields.ts'
import { checkPagination, PageInfo, pageWithin } from '../../contract/fields/page_fields.ts'
import { all } from '../../contract/needs.ts'
import { VelocityControlView, velocityControlView } from './shared/velocity_controls.ts'

export default defineQuery({
  name: 'list_velocity_controls',
  summary:
    'Lists the velocity controls of the organization, oldest first. Without `paginationOptions` all are one page.',
  parameters: fields({ organizationId: Uuid, paginationOptions: optional(PaginationOptions) }),
  result: Type.Object({ velocityControls: Type.Array(VelocityControlView), pageInfo: PageInfo }),
  check: ({ paginationOptions }) => checkPagination(paginationOptions),
  needs: () => [all('velocity_control')],

  run({ organization: { organizationId, velocityControls }, parameters: { paginationOptions } }) {
    const { items, pageInfo } = pageWithin(
      velocityControls.all(),
      ({ velocityControlId }) => velocityControlId,
      paginationOptions,
    )
    return { velocityControls: items.map((control) => velocityControlView(control, organizationId)), pageInfo }
  },
})
