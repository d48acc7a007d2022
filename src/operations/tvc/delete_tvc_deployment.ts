import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all, tvcDeployment } from '../../contract/needs.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'

export default defineActivity({
  name: 'delete_tvc_deployment',
  summary: 'Deletes a deployment that is not live. It can be restored until a new deployment needs its place.',
  policy: { resource: 'TVC_DEPLOYMENT', action: 'DELETE' },
  parameters: fields({ deploymentId: Uuid }),
  result: Type.Object({ deploymentId: Type.String() }),
  // Only the deployment says which app it belongs to.
  needs: ({ deploymentId }) => [tvcDeployment(deploymentId), all('tvc_app')],

  run({ organization, parameters, nowMs }) {
    const deployment = organization.tvcDeployments.get(parameters.deploymentId)
    const { deploymentId } = deployment
    if (organization.tvcApps.get(deployment.appId).liveDeploymentId === deploymentId) {
      const expected = 'one that is not live: make another one live first, or delete the app'
      throw fieldInvalid('parameters.deploymentId', expected)
    }
    if (deployment.deletedAtMs === undefined) organization.tvcDeployments.put({ ...deployment, deletedAtMs: nowMs })
    return { deploymentId }
  },
})
