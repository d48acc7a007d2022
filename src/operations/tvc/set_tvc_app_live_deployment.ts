import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all, tvcDeployment } from '../../contract/needs.ts'
import { approvalVerdicts, isApproved } from '../../protocol/tvc/tvc_approvals.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { requireNotDeleted } from './shared/deleted_deployments.ts'
import { explainLiveDeployment } from './shared/live_deployment.ts'

export default defineActivity({
  name: 'set_tvc_app_live_deployment',
  summary: 'Makes an approved deployment the live one of its app.',
  type: 'ACTIVITY_TYPE_UPDATE_TVC_APP_LIVE_DEPLOYMENT',
  policy: { resource: 'TVC_APP', action: 'UPDATE' },
  parameters: fields({ deploymentId: Uuid }),
  result: Type.Object({}),
  // Only the deployment says which app it belongs to.
  needs: ({ deploymentId }) => [tvcDeployment(deploymentId), all('tvc_app')],
  explain: ({ parameters: { deploymentId }, now }) =>
    explainLiveDeployment('set_tvc_app_live_deployment', deploymentId, now),

  run({ organization, parameters }) {
    const deployment = organization.tvcDeployments.get(parameters.deploymentId)
    requireNotDeleted(deployment, 'parameters.deploymentId')
    const { manifest, approvals, appId, deploymentId } = deployment
    const given = approvals.map(({ operator, signature }) => ({ publicKey: operator.publicKey, signature }))
    if (!isApproved(manifest, approvalVerdicts(manifest, given))) {
      throw fieldInvalid('parameters.deploymentId', 'one whose manifest has enough approvals')
    }
    organization.tvcApps.put({ ...organization.tvcApps.get(appId), liveDeploymentId: deploymentId })
    return {}
  },
})
