import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, list, Uuid } from '../../contract/fields/fields.ts'
import { all, tvcDeployment, tvcOperator } from '../../contract/needs.ts'
import type { TvcManifestApproval } from '../../contract/records/records.ts'
import { type ApprovalVerdict, approvalVerdicts, isApproved } from '../../protocol/tvc/tvc_approvals.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { requireNotDeleted } from './shared/deleted_deployments.ts'
import { OperatorId, operatorsPerSetMax } from './shared/tvc_fields.ts'

const NewApproval = fields({
  operatorId: OperatorId,
  signature: Type.String({ pattern: '^[0-9a-fA-F]{128}$', expected: 'r and s in hex: 128 digits' }),
})

export default defineActivity({
  name: 'create_tvc_manifest_approvals',
  summary:
    "Adds operators' approvals of a deployment's manifest. Enough approvals make an app's first deployment live.",
  policy: { resource: 'TVC_DEPLOYMENT', action: 'UPDATE' },
  parameters: fields({
    manifestId: Uuid,
    approvals: list(NewApproval, { itemsMin: 1, itemsMax: operatorsPerSetMax }),
  }),
  result: Type.Object({ approvalIds: Type.Array(Type.String()) }),
  // A deployment and its manifest have the same id. Only the deployment says which app it belongs to.
  needs: ({ manifestId, approvals }) => [
    tvcDeployment(manifestId),
    all('tvc_app'),
    ...approvals.map(({ operatorId }) => tvcOperator(operatorId)),
  ],

  run({ organization, parameters, nowMs, newId }) {
    const deployment = organization.tvcDeployments.get(parameters.manifestId)
    requireNotDeleted(deployment, 'parameters.manifestId')
    const given: readonly TvcManifestApproval[] = parameters.approvals.map(({ operatorId, signature }) => ({
      approvalId: newId(),
      operator: organization.tvcOperators.get(operatorId),
      signature: signature.toLowerCase(),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    }))
    const approvals = [...deployment.approvals, ...given]
    const verdicts = approvalVerdicts(
      deployment.manifest,
      approvals.map(({ operator, signature }) => ({ publicKey: operator.publicKey, signature })),
    )
    verdicts.slice(deployment.approvals.length).forEach(requireAcceptable)

    // A member's second approval counts as the first one.
    const counted = approvals.filter((_, index) => verdicts[index] === 'Valid')
    const idOf = new Map(counted.map(({ operator, approvalId }) => [operator.publicKey, approvalId]))
    const approvalIds = given.map(({ operator, approvalId }) => idOf.get(operator.publicKey) ?? approvalId)
    if (counted.length === deployment.approvals.length) return { approvalIds }

    organization.tvcDeployments.put({ ...deployment, approvals: counted })
    const app = organization.tvcApps.get(deployment.appId)
    if (app.liveDeploymentId === undefined && isApproved(deployment.manifest, verdicts)) {
      organization.tvcApps.put({ ...app, liveDeploymentId: deployment.deploymentId })
    }
    return { approvalIds }
  },
})

function requireAcceptable(verdict: ApprovalVerdict, index: number): void {
  const at = `parameters.approvals[${index}]`
  if (verdict === 'NotInManifestSet') {
    const expected = "an operator of the deployment's manifest set"
    throw fieldInvalid(`${at}.operatorId`, expected)
  }
  if (verdict === 'InvalidSignature') {
    const expected = "the operator's ECDSA signature, with SHA-256, over the 32 bytes of the manifest's hash"
    throw fieldInvalid(`${at}.signature`, expected)
  }
}
