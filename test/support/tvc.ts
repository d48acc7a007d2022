import { createHash } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import type { Limits } from '../../src/contract/limits.ts'
import type { ManifestV1 } from '../../src/protocol/tvc/tvc_manifest.ts'
import { borshManifestHash } from './manifest_hash.ts'
import { type Parameters, startOrganization, type TestOrganization } from './organization.ts'
import { newP256Pair } from './p256_pairs.ts'

/** An operator with its two keys. */
export type TestOperator = {
  readonly name: string
  readonly publicKey: string
  /** Returns r‖s in hex, by noble, over the hash that another library makes; a different one at every call. */
  readonly sign: (manifest: ManifestV1) => string
}

export function newOperator(name: string): TestOperator {
  const [encryption, signing] = [newP256Pair(), newP256Pair()]
  return {
    name,
    publicKey: encryption.uncompressed + signing.uncompressed,
    sign(manifest) {
      const digest = createHash('sha256').update(borshManifestHash(manifest)).digest()
      const privateKey = Buffer.from(signing.secretHex, 'hex')
      return Buffer.from(p256.sign(digest, privateKey, { prehash: false, extraEntropy: true })).toString('hex')
    },
  }
}

/** The operators as a request names new ones. */
export function newSet(operators: readonly TestOperator[], given: Parameters = {}): Parameters {
  const newOperators = operators.map(({ name, publicKey }) => ({ name, publicKey }))
  return { name: 'set', newOperators, threshold: Math.min(2, operators.length), ...given }
}

const shareOperators = [newOperator('Share 1'), newOperator('Share 2')]

/** The parameters of an app with these operators. Two of them must approve, or one when there is only one. */
export function newApp(operators: readonly TestOperator[], given: Parameters = {}): Parameters {
  return {
    name: 'app',
    quorumPublicKey: newOperator('quorum').publicKey,
    manifestSetParams: newSet(operators),
    shareSetParams: newSet(shareOperators, { name: 'shares' }),
    ...given,
  }
}

export function newDeployment(appId: string, given: Parameters = {}): Parameters {
  return {
    appId,
    qosVersion: 'v0.5.0',
    pivotContainerImageUrl: `registry.example/app@sha256:${'ab'.repeat(32)}`,
    pivotPath: '/app',
    pivotArgs: ['--port', '3000'],
    expectedPivotDigest: 'cd'.repeat(32),
    healthCheckType: 'TVC_HEALTH_CHECK_TYPE_HTTP',
    healthCheckPort: 3000,
    publicIngressPort: 3000,
    ...given,
  }
}

/** The manifest of a deployment, as its operators read it. */
export async function manifestOf(
  { found }: Pick<TestOrganization, 'found'>,
  deploymentId: string,
): Promise<ManifestV1> {
  const { tvcDeployment } = await found('get_tvc_deployment', { deploymentId })
  return JSON.parse(Buffer.from(tvcDeployment.manifest.manifest, 'base64').toString('utf8'))
}

/** An organization with one app whose only operator approves, and ways to deploy and to look. */
export async function startTvc(limits: Partial<Limits> = {}) {
  const organization = await startOrganization({ limits })
  const { done, found } = organization
  const operator = newOperator('Ada')
  const { appId, manifestSetOperatorIds } = await done('create_tvc_app', newApp([operator]))
  const [operatorId] = manifestSetOperatorIds
  let nonce = 0

  /** Deploys with a new nonce: the clock stands still, and equal manifests would have equal approvals. */
  async function deploy(ofAppId = appId): Promise<string> {
    nonce += 1
    return (await done('create_tvc_deployment', newDeployment(ofAppId, { nonce }))).deploymentId
  }

  async function approvalOf(manifestId: string): Promise<Parameters> {
    const signature = operator.sign(await manifestOf(organization, manifestId))
    return { manifestId, approvals: [{ operatorId, signature }] }
  }

  return {
    ...organization,
    operator,
    appId,
    deploy,
    approvalOf,
    approve: async (manifestId: string) => done('create_tvc_manifest_approvals', await approvalOf(manifestId)),
    deploymentOf: async (deploymentId: string) => (await found('get_tvc_deployment', { deploymentId })).tvcDeployment,
    liveId: async () => (await found('get_tvc_app', { tvcAppId: appId })).tvcApp.liveDeploymentId,
    deploymentIds: async (): Promise<readonly string[]> =>
      (await found('list_tvc_app_deployments', { appId })).tvcDeployments.map(({ id }: { id: string }) => id),
  }
}
