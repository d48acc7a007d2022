import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { tvcApp } from '../../contract/needs.ts'
import { TvcAppView, tvcAppView } from './shared/tvc_views.ts'

export default defineQuery({
  name: 'get_tvc_app',
  summary: 'Returns one verifiable app, with its operators and its live deployment.',
  parameters: fields({ organizationId: Uuid, tvcAppId: Uuid }),
  result: Type.Object({ tvcApp: TvcAppView }),
  needs: ({ tvcAppId }) => [tvcApp(tvcAppId)],

  run({ organization, parameters }) {
    const app = organization.tvcApps.get(parameters.tvcAppId)
    return { tvcApp: tvcAppView(app, organization.organizationId) }
  },
})
