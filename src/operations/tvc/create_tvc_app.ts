import Type, { type Static } from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { Flag, fields, Label, optional, Uuid } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import type { TvcOperatorSet } from '../../contract/records/records.ts'
import { OperatorSetParams, QosPublicKey, qosPublicKeyOf } from './shared/tvc_fields.ts'
import { checkSet, createSetMaker, type GivenSet, readsOfSet } from './shared/tvc_sets.ts'

const parameters = fields({
  name: Label,
  quorumPublicKey: QosPublicKey,
  manifestSetId: optional(Uuid),
  manifestSetParams: optional(OperatorSetParams),
  shareSetId: optional(Uuid),
  shareSetParams: optional(OperatorSetParams),
  enableEgress: optional(Flag),
  enableDebugModeDeployments: optional(Flag),
})

export default defineActivity({
  name: 'create_tvc_app',
  summary: "Creates a verifiable app. It says who approves the app's manifests and who holds its quorum key.",
  policy: { resource: 'TVC_APP', action: 'CREATE' },
  parameters,
  result: Type.Object({
    appId: Type.String(),
    manifestSetId: Type.String(),
    manifestSetOperatorIds: Type.Array(Type.String()),
    manifestSetThreshold: Type.Integer(),
    shareSetId: Type.String(),
    shareSetOperatorIds: Type.Array(Type.String()),
    shareSetThreshold: Type.Integer(),
  }),
  check: (given) => {
    qosPublicKeyOf(given.quorumPublicKey, 'parameters.quorumPublicKey')
    checkSet(manifestSetIn(given))
    checkSet(shareSetIn(given))
  },
  needs: (given) => [
    all('tvc_operator'),
    all('tvc_operator_set'),
    ...readsOfSet(manifestSetIn(given)),
    ...readsOfSet(shareSetIn(given)),
  ],

  run({ organization, parameters, newId }) {
    const { setOf } = createSetMaker({ organization, newId })
    const manifestSet = setOf(manifestSetIn(parameters))
    const shareSet = setOf(shareSetIn(parameters))
    const appId = newId()
    organization.tvcApps.add({
      appId,
      appName: parameters.name,
      quorumPublicKey: qosPublicKeyOf(parameters.quorumPublicKey, 'parameters.quorumPublicKey'),
      manifestSet,
      shareSet,
      enableEgress: parameters.enableEgress ?? false,
      enableDebugModeDeployments: parameters.enableDebugModeDeployments ?? false,
    })
    return {
      appId,
      manifestSetId: manifestSet.operatorSetId,
      manifestSetOperatorIds: operatorIdsOf(manifestSet),
      manifestSetThreshold: manifestSet.threshold,
      shareSetId: shareSet.operatorSetId,
      shareSetOperatorIds: operatorIdsOf(shareSet),
      shareSetThreshold: shareSet.threshold,
    }
  },
})

type AppParameters = Static<typeof parameters>

function manifestSetIn({ manifestSetId: id, manifestSetParams: params }: AppParameters): GivenSet {
  return { fieldPath: 'parameters.manifestSet', id, params, thresholdMin: 1 }
}

/** Requires a threshold of at least 2: a key that one holder can restore is not shared. */
function shareSetIn({ shareSetId: id, shareSetParams: params }: AppParameters): GivenSet {
  return { fieldPath: 'parameters.shareSet', id, params, thresholdMin: 2 }
}

function operatorIdsOf({ operators }: TvcOperatorSet): string[] {
  return operators.map(({ operatorId }) => operatorId)
}
