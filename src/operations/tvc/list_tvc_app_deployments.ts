import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all, tvcApp } from '../../contract/needs.ts'
import { TvcDeploymentView, tvcDeploymentView } from './shared/tvc_views.ts'

export default defineQuery({
  name: 'list_tvc_app_deployments',
  summary: 'Lists the deployments of a verifiable app.',
  parameters: fields({ organizationId: Uuid, appId: Uuid }),
  result: Type.Object({ tvcDeployments: Type.Array(TvcDeploymentView) }),
  needs: ({ appId }) => [tvcApp(appId), all('tvc_deployment')],

  run({ organization, parameters: { appId } }) {
    const deployments = organization.tvcDeployments.all().filter((deployment) => deployment.appId === appId)
    return {
      tvcDeployments: deployments.map((deployment) => tvcDeploymentView(deployment, organization.organizationId)),
    }
  },
})
