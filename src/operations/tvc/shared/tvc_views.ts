import Type, { type Static } from 'typebox'
import { oneOf, optional } from '../../../contract/fields/fields.ts'
import { named, texts, view } from '../../../contract/fields/named.ts'
import { shown } from '../../../contract/fields/shown.ts'
import {
  type TvcApp,
  type TvcDeployment,
  type TvcManifestApproval,
  type TvcOperator,
  type TvcOperatorSet,
  tvcHealthCheckTypes,
} from '../../../contract/records/records.ts'
import { times, timesView } from '../../../contract/records/views.ts'
import { qosPublicKeyHalves } from '../../../protocol/tvc/qos_public_key.ts'

/** The views of verifiable apps. */

export const HealthCheckType = oneOf(tvcHealthCheckTypes, named('TvcHealthCheckType'))

const OperatorView = view('TvcOperator', {
  ...texts('id', 'name', 'publicKey', 'encryptPublicKey', 'signPublicKey'),
  ...times,
})

const OperatorSetView = view('TvcOperatorSet', {
  ...texts('id', 'name', 'organizationId'),
  operators: Type.Array(OperatorView),
  threshold: Type.Integer(),
  ...times,
})

export const TvcAppView = view('TvcApp', {
  ...texts('id', 'organizationId', 'name', 'quorumPublicKey'),
  manifestSet: OperatorSetView,
  shareSet: OperatorSetView,
  enableEgress: Type.Boolean(),
  ...times,
  liveDeploymentId: optional(Type.String()),
  publicDomain: Type.String(),
  enableDebugModeDeployments: Type.Boolean(),
})

const ContainerSpec = view('TvcContainerSpec', {
  containerUrl: Type.String(),
  path: Type.String(),
  args: Type.Array(Type.String()),
  hasPullSecret: Type.Boolean(),
  healthCheckType: HealthCheckType,
  healthCheckPort: Type.Integer(),
  publicIngressPort: Type.Integer(),
})

export const TvcDeploymentView = view('TvcDeployment', {
  ...texts('id', 'organizationId', 'appId'),
  manifestSet: OperatorSetView,
  shareSet: OperatorSetView,
  manifest: view('TvcManifest', { id: Type.String(), manifest: Type.String(), ...times }),
  manifestApprovals: Type.Array(
    view('TvcManifestApproval', {
      id: Type.String(),
      manifestId: Type.String(),
      operator: OperatorView,
      approval: Type.String(),
      ...times,
    }),
  ),
  qosVersion: Type.String(),
  pivotContainer: ContainerSpec,
  ...times,
  delete: Type.Boolean(),
  debugMode: Type.Boolean(),
  instanceSizeCpus: optional(Type.Integer()),
  instanceSizeRam: optional(Type.Integer()),
})

export function tvcAppView(app: TvcApp, organizationId: string): Static<typeof TvcAppView> {
  return shown(TvcAppView, {
    ...app,
    id: app.appId,
    organizationId,
    name: app.appName,
    manifestSet: operatorSetView(app.manifestSet, organizationId),
    shareSet: operatorSetView(app.shareSet, organizationId),
    // This server does not run the app.
    publicDomain: '',
    ...timesView(app),
  })
}

export function tvcDeploymentView(deployment: TvcDeployment, organizationId: string): Static<typeof TvcDeploymentView> {
  const { deploymentId, manifest } = deployment
  const { createdAt } = timesView(deployment)
  return shown(TvcDeploymentView, {
    ...deployment,
    id: deploymentId,
    organizationId,
    manifestSet: operatorSetView(deployment.manifestSet, organizationId),
    shareSet: operatorSetView(deployment.shareSet, organizationId),
    manifest: {
      id: deploymentId,
      manifest: Buffer.from(JSON.stringify(manifest), 'utf8').toString('base64'),
      createdAt,
      updatedAt: createdAt,
    },
    manifestApprovals: deployment.approvals.map((approval) => approvalView(approval, deploymentId)),
    pivotContainer: shown(ContainerSpec, { ...deployment, path: deployment.pivotPath, args: manifest.pivot.args }),
    delete: deployment.deletedAtMs !== undefined,
    debugMode: manifest.pivot.debugMode,
    ...timesView(deployment),
  })
}

function operatorView(operator: TvcOperator): Static<typeof OperatorView> {
  const { operatorId, operatorName, publicKey } = operator
  const { encryption, signing } = qosPublicKeyHalves(publicKey)
  return {
    id: operatorId,
    name: operatorName,
    publicKey,
    encryptPublicKey: encryption,
    signPublicKey: signing,
    ...timesView(operator),
  }
}

function operatorSetView(set: TvcOperatorSet, organizationId: string): Static<typeof OperatorSetView> {
  const { operatorSetId, operatorSetName, operators, threshold } = set
  return {
    id: operatorSetId,
    name: operatorSetName,
    organizationId,
    operators: operators.map(operatorView),
    threshold,
    ...timesView(set),
  }
}

function approvalView(approval: TvcManifestApproval, manifestId: string) {
  return {
    id: approval.approvalId,
    manifestId,
    operator: operatorView(approval.operator),
    // A request has hex, an answer base64: the wire has bytes in one and a text in the other.
    approval: Buffer.from(approval.signature, 'hex').toString('base64'),
    ...timesView(approval),
  }
}
