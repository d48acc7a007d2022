import type { ManifestV1 } from '../../../protocol/tvc/tvc_manifest.ts'
import type { Times } from './record_times.ts'

/** The sealed records of verifiable apps. */

/** An operator, who approves manifests or holds shares of a quorum key. An operator never changes. */
export type TvcOperator = Times & {
  readonly operatorId: string
  readonly operatorName: string
  /** 130 bytes in lower-case hex: the key for encryption, then the one for signing. */
  readonly publicKey: string
}

/**
 * A set of operators. A set never changes either, so apps and deployments hold a copy of the set with its operators.
 */
export type TvcOperatorSet = Times & {
  readonly operatorSetId: string
  readonly operatorSetName: string
  readonly operators: readonly TvcOperator[]
  readonly threshold: number
}

export type TvcApp = Times & {
  readonly appId: string
  readonly appName: string
  /** In the form of an operator's public key. */
  readonly quorumPublicKey: string
  /** The set whose members approve manifests. */
  readonly manifestSet: TvcOperatorSet
  /** The set whose members hold the quorum key. */
  readonly shareSet: TvcOperatorSet
  readonly enableEgress: boolean
  readonly enableDebugModeDeployments: boolean
  readonly liveDeploymentId?: string
}

export type TvcManifestApproval = Times & {
  readonly approvalId: string
  readonly operator: TvcOperator
  /** r‖s in lower-case hex. */
  readonly signature: string
}

/** A deployment. It has one manifest, whose id is the deployment's own. */
export type TvcDeployment = Times & {
  readonly deploymentId: string
  readonly appId: string
  readonly manifestSet: TvcOperatorSet
  readonly shareSet: TvcOperatorSet
  readonly manifest: ManifestV1
  /** At most one approval of each member, the earliest first. */
  readonly approvals: readonly TvcManifestApproval[]
  readonly qosVersion: string
  readonly containerUrl: string
  readonly pivotPath: string
  readonly hasPullSecret: boolean
  readonly healthCheckType: TvcHealthCheckType
  readonly healthCheckPort: number
  readonly publicIngressPort: number
  /** The size of an instance that the client would like, in processors and in GiB. Absent: it named none. */
  readonly instanceSizeCpus?: number
  readonly instanceSizeRam?: number
  /** A deleted deployment stays until it is restored or a new one needs its place. */
  readonly deletedAtMs?: number
}

export const tvcHealthCheckTypes = ['TVC_HEALTH_CHECK_TYPE_HTTP', 'TVC_HEALTH_CHECK_TYPE_GRPC'] as const
export type TvcHealthCheckType = (typeof tvcHealthCheckTypes)[number]
