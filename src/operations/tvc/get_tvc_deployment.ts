import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { tvcDeployment } from '../../contract/needs.ts'
import { TvcDeploymentView, tvcDeploymentView } from './shared/tvc_views.ts'

export default defineQuery({
  name: 'get_tvc_deployment',
  summary: 'Returns one deployment of a verifiable app, with its manifest and its approvals.',
  parameters: fields({ organizationId: Uuid, deploymentId: Uuid }),
  result: Type.Object({ tvcDeployment: TvcDeploymentView }),
  needs: ({ deploymentId }) => [tvcDeployment(deploymentId)],

  run({ organization, parameters }) {
    const deployment = organization.tvcDeployments.get(parameters.deploymentId)
    return { tvcDeployment: tvcDeploymentView(deployment, organization.organizationId) }
  },
})
