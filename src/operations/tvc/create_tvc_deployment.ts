import Type, { type Static } from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { Flag, fields, Label, lineOf, list, optional, Uuid } from '../../contract/fields/fields.ts'
import { secret } from '../../contract/fields/secret_fields.ts'
import { all, tvcApp } from '../../contract/needs.ts'
import type { TvcApp, TvcOperatorSet } from '../../contract/records/records.ts'
import type { ManifestV1 } from '../../protocol/tvc/tvc_manifest.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { firstDeleted } from './shared/deleted_deployments.ts'
import { HealthCheckType } from './shared/tvc_views.ts'

const pivotArgsMax = 100
/** The limit for all arguments together: one answer lists up to a hundred manifests. */
const pivotArgsCharactersMax = 16_384
const pathCharactersMax = 1_024
const pullSecretCharactersMax = 65_536
const nonceMax = 2 ** 32 - 1
const replicasMax = 1_000
const instanceCpusMax = 1_000
const instanceRamGibMax = 65_536

const countTo = (maximum: number) =>
  Type.Integer({ minimum: 1, maximum, expected: `a whole number from 1 to ${maximum}` })

const Port = Type.Integer({ minimum: 1, maximum: 65_535, expected: 'a port: a whole number from 1 to 65535' })

const parameters = fields({
  appId: Uuid,
  qosVersion: Label,
  pivotContainerImageUrl: lineOf({ charactersMin: 1, charactersMax: pathCharactersMax }),
  pivotPath: lineOf({ charactersMin: 1, charactersMax: pathCharactersMax }),
  pivotArgs: list(lineOf({ charactersMax: pivotArgsCharactersMax }), { itemsMax: pivotArgsMax }),
  expectedPivotDigest: Type.String({ pattern: '^[0-9a-fA-F]{64}$', expected: 'a SHA-256: 64 hex digits' }),
  nonce: optional(Type.Integer({ minimum: 0, maximum: nonceMax, expected: `a whole number from 0 to ${nonceMax}` })),
  pivotContainerEncryptedPullSecret: optional(
    secret(lineOf({ charactersMin: 1, charactersMax: pullSecretCharactersMax })),
  ),
  debugMode: optional(Flag),
  healthCheckType: HealthCheckType,
  healthCheckPort: Port,
  publicIngressPort: Port,
  replicas: optional(countTo(replicasMax)),
  instanceSizeCpus: optional(countTo(instanceCpusMax)),
  instanceSizeRam: optional(countTo(instanceRamGibMax)),
})

export default defineActivity({
  name: 'create_tvc_deployment',
  summary: "Creates a deployment of a verifiable app, with the manifest that the app's operators are to approve.",
  policy: { resource: 'TVC_DEPLOYMENT', action: 'CREATE' },
  parameters,
  result: Type.Object({ deploymentId: Type.String(), manifestId: Type.String() }),
  check: ({ pivotArgs }) => {
    if (pivotArgs.join('').length <= pivotArgsCharactersMax) return
    const expected = `a list of texts with at most ${pivotArgsCharactersMax} characters together`
    throw fieldInvalid('parameters.pivotArgs', expected)
  },
  needs: ({ appId }) => [tvcApp(appId), all('tvc_deployment')],

  run({ organization, parameters, nowMs, newId, limits }) {
    const app = organization.tvcApps.get(parameters.appId)
    if (parameters.debugMode === true && !app.enableDebugModeDeployments) {
      const expected = 'false: the app was made without `enableDebugModeDeployments`'
      throw fieldInvalid('parameters.debugMode', expected)
    }
    const deployments = organization.tvcDeployments.all()
    const replaced = deployments.length >= limits.tvcDeploymentsMax ? firstDeleted(deployments) : undefined
    if (replaced !== undefined) organization.tvcDeployments.remove(replaced.deploymentId)
    const deploymentId = newId()
    const { instanceSizeCpus, instanceSizeRam } = parameters
    organization.tvcDeployments.add({
      deploymentId,
      appId: app.appId,
      manifestSet: app.manifestSet,
      shareSet: app.shareSet,
      manifest: manifestOf(app, parameters, nowMs),
      approvals: [],
      qosVersion: parameters.qosVersion,
      containerUrl: parameters.pivotContainerImageUrl,
      pivotPath: parameters.pivotPath,
      hasPullSecret: parameters.pivotContainerEncryptedPullSecret !== undefined,
      healthCheckType: parameters.healthCheckType,
      healthCheckPort: parameters.healthCheckPort,
      publicIngressPort: parameters.publicIngressPort,
      ...(instanceSizeCpus === undefined ? {} : { instanceSizeCpus }),
      ...(instanceSizeRam === undefined ? {} : { instanceSizeRam }),
    })
    return { deploymentId, manifestId: deploymentId }
  },
})

function manifestOf(app: TvcApp, given: Static<typeof parameters>, nowMs: number): ManifestV1 {
  const shareSet = memberSetOf(app.shareSet)
  return {
    namespace: {
      name: `claviger/tvc/${app.appId}`,
      nonce: given.nonce ?? Math.floor(nowMs / 1000),
      quorumKey: app.quorumPublicKey,
    },
    pivot: {
      hash: given.expectedPivotDigest.toLowerCase(),
      restart: 'Always',
      bridgeConfig: [{ type: 'server', port: given.publicIngressPort, host: '0.0.0.0' }],
      debugMode: given.debugMode ?? false,
      args: given.pivotArgs,
    },
    manifestSet: memberSetOf(app.manifestSet),
    shareSet,
    // No image of QuorumOS is measured here, so the measurements are empty, as in no enclave. Zeros would fit any
    // enclave in debug mode.
    enclave: { pcr0: '', pcr1: '', pcr2: '', pcr3: '', awsRootCertificate: '', qosCommit: '' },
    patchSet: { threshold: shareSet.threshold, members: shareSet.members.map(({ pubKey }) => ({ pubKey })) },
  }
}

function memberSetOf({ threshold, operators }: TvcOperatorSet): ManifestV1['manifestSet'] {
  return {
    threshold,
    members: operators.map(({ operatorName, publicKey }) => ({ alias: operatorName, pubKey: publicKey })),
  }
}
