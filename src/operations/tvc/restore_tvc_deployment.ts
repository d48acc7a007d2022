import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { tvcDeployment } from '../../contract/needs.ts'

export default defineActivity({
  name: 'restore_tvc_deployment',
  summary: 'Restores a deleted deployment, with its approvals. It is not live.',
  policy: { resource: 'TVC_DEPLOYMENT', action: 'UPDATE' },
  parameters: fields({ deploymentId: Uuid }),
  result: Type.Object({ deploymentId: Type.String() }),
  needs: ({ deploymentId }) => [tvcDeployment(deploymentId)],

  run({ organization, parameters }) {
    const { deletedAtMs, ...deployment } = organization.tvcDeployments.get(parameters.deploymentId)
    if (deletedAtMs !== undefined) organization.tvcDeployments.put(deployment)
    return { deploymentId: deployment.deploymentId }
  },
})
