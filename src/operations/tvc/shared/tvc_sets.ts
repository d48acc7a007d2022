import type { Static } from 'typebox'
import type { ActivityContext } from '../../../contract/define.ts'
import type { Id } from '../../../contract/fields/ids.ts'
import { type Need, tvcOperator, tvcOperatorSet } from '../../../contract/needs.ts'
import type { TvcOperator, TvcOperatorSet, WithoutTimes } from '../../../contract/records/records.ts'
import { parseQosPublicKey } from '../../../protocol/tvc/qos_public_key.ts'
import { fieldInvalid } from '../../../protocol/wire/failures.ts'
import { type OperatorSetParams, operatorsPerSetMax, qosPublicKeyOf } from './tvc_fields.ts'

/** An operator set in a request: an existing set, or a new one. */
export type GivenSet = {
  /**
   * `parameters.manifestSet` or `parameters.shareSet`: the common start of the fields that end in `Id` and `Params`.
   */
  readonly fieldPath: string
  readonly id: Id | undefined
  readonly params: Static<typeof OperatorSetParams> | undefined
  readonly thresholdMin: number
}

/** Checks what can be checked of a set before anything is read. */
export function checkSet({ fieldPath, id, params, thresholdMin }: GivenSet): void {
  if ((id === undefined) === (params === undefined)) {
    throw fieldInvalid(`${fieldPath}Id`, `given, or else ${fieldPath}Params: exactly one of them`)
  }
  if (params === undefined) return
  const { newOperators = [], existingOperatorIds = [], threshold } = params
  const at = `${fieldPath}Params`
  newOperators.forEach(({ publicKey }, index) => {
    qosPublicKeyOf(publicKey, `${at}.newOperators[${index}].publicKey`)
  })
  const members = newOperators.length + existingOperatorIds.length
  if (members === 0 || members > operatorsPerSetMax) {
    const expected = `1 to ${operatorsPerSetMax} operators, together with the existing ones`
    throw fieldInvalid(`${at}.newOperators`, expected)
  }
  if (threshold < thresholdMin || threshold > members) {
    const expected = `a whole number from ${thresholdMin} to the number of operators`
    throw fieldInvalid(`${at}.threshold`, expected)
  }
}

export function readsOfSet({ id, params }: GivenSet): readonly Need[] {
  return id === undefined ? (params?.existingOperatorIds ?? []).map(tvcOperator) : [tvcOperatorSet(id)]
}

type Member = { readonly operator: TvcOperator; readonly fieldPath: string }

/**
 * Finds or creates operators and sets. An operator equals an existing one by name and key, a set by name, threshold and
 * members; the existing one is then used. `needs` must name all records of both kinds.
 */
export function createSetMaker({ organization, newId }: Pick<ActivityContext<unknown>, 'organization' | 'newId'>) {
  const operators = [...organization.tvcOperators.all()]
  const sets = [...organization.tvcOperatorSets.all()]

  function operatorOf(operatorName: string, publicKey: string): TvcOperator {
    const known = operators.find((one) => one.operatorName === operatorName && one.publicKey === publicKey)
    if (known !== undefined) return known
    const operator = organization.tvcOperators.add({ operatorId: newId(), operatorName, publicKey })
    operators.push(operator)
    return operator
  }

  function membersOf(params: Static<typeof OperatorSetParams>, at: string): readonly Member[] {
    const { newOperators = [], existingOperatorIds = [] } = params
    const made = newOperators.map(({ name, publicKey }, index) => {
      const fieldPath = `${at}.newOperators[${index}]`
      return { operator: operatorOf(name, qosPublicKeyOf(publicKey, `${fieldPath}.publicKey`)), fieldPath }
    })
    const found = existingOperatorIds.map((operatorId, index) => ({
      operator: organization.tvcOperators.get(operatorId),
      fieldPath: `${at}.existingOperatorIds[${index}]`,
    }))
    return [...made, ...found]
  }

  return {
    /** Finds or creates a set that `checkSet` has passed. */
    setOf({ fieldPath, id, params, thresholdMin }: GivenSet): TvcOperatorSet {
      if (id !== undefined) {
        const set = organization.tvcOperatorSets.get(id)
        if (set.threshold >= thresholdMin) return set
        const expected = `a set with a threshold of at least ${thresholdMin}`
        throw fieldInvalid(`${fieldPath}Id`, expected)
      }
      if (params === undefined) throw new Error('checkSet has passed a set without id and params')
      const members = membersOf(params, `${fieldPath}Params`)
      requireDifferent(members)
      const set = {
        operatorSetId: newId(),
        operatorSetName: params.name,
        operators: members.map(({ operator }) => operator),
        threshold: params.threshold,
      }
      const known = sets.find((other) => isSameSet(other, set))
      if (known !== undefined) return known
      const added = organization.tvcOperatorSets.add(set)
      sets.push(added)
      return added
    },
  }
}

/** Refuses a set with a name or half a key twice, as QuorumOS does. */
function requireDifferent(members: readonly Member[]): void {
  const seen = new Set<string>()
  for (const { operator, fieldPath } of members) {
    const { operatorName, publicKey } = operator
    const halves = parseQosPublicKey(publicKey)
    for (const mark of [`name ${operatorName}`, `encryption ${halves?.encryption}`, `signing ${halves?.signing}`]) {
      if (seen.has(mark)) {
        const expected = 'an operator whose name, encryption key and signing key no other of the set has'
        throw fieldInvalid(fieldPath, expected)
      }
      seen.add(mark)
    }
  }
}

function isSameSet(one: TvcOperatorSet, other: WithoutTimes<TvcOperatorSet>): boolean {
  const idsOf = ({ operators }: WithoutTimes<TvcOperatorSet>) =>
    operators
      .map(({ operatorId }) => operatorId)
      .sort()
      .join()
  return (
    one.operatorSetName === other.operatorSetName && one.threshold === other.threshold && idsOf(one) === idsOf(other)
  )
}
