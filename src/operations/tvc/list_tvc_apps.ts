import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { TvcAppView, tvcAppView } from './shared/tvc_views.ts'

export default defineQuery({
  name: 'list_tvc_apps',
  summary: 'Lists the verifiable apps of the organization.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ tvcApps: Type.Array(TvcAppView) }),
  needs: () => [all('tvc_app')],

  run({ organization }) {
    return { tvcApps: organization.tvcApps.all().map((app) => tvcAppView(app, organization.organizationId)) }
  },
})
