import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all, tvcApp } from '../../contract/needs.ts'

export default defineActivity({
  name: 'delete_tvc_app_and_deployments',
  summary: 'Deletes a verifiable app with all its deployments, the live one too. Nothing of them can be restored.',
  policy: { resource: 'TVC_APP', action: 'DELETE' },
  parameters: fields({ appId: Uuid }),
  result: Type.Object({ appId: Type.String() }),
  needs: ({ appId }) => [tvcApp(appId), all('tvc_deployment')],

  run({ organization, parameters }) {
    const { appId } = organization.tvcApps.get(parameters.appId)
    for (const deployment of organization.tvcDeployments.all()) {
      if (deployment.appId === appId) organization.tvcDeployments.remove(deployment.deploymentId)
    }
    organization.tvcApps.remove(appId)
    return { appId }
  },
})
