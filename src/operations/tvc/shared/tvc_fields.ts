import Type from 'typebox'
import { idText, Label, list, namedFields, optional } from '../../../contract/fields/fields.ts'
import { named } from '../../../contract/fields/named.ts'
import { parseQosPublicKey, qosPublicKeyPattern } from '../../../protocol/tvc/qos_public_key.ts'
import { fieldInvalid } from '../../../protocol/wire/failures.ts'

/** The most operators that QuorumOS's hosted service allows in a set. */
export const operatorsPerSetMax = 50

const publicKeyExpected = 'two uncompressed points of P-256 in hex, for encryption and for signing: 130 bytes'

export const QosPublicKey = Type.String({
  pattern: qosPublicKeyPattern,
  expected: publicKeyExpected,
  ...named('QosPublicKey'),
})

/** The key as records have it. Checks that both halves are points of the curve, which a pattern cannot express. */
export function qosPublicKeyOf(publicKey: string, fieldPath: string): string {
  const halves = parseQosPublicKey(publicKey)
  if (halves === undefined) throw fieldInvalid(fieldPath, publicKeyExpected)
  return halves.encryption + halves.signing
}

const operatorIdCharactersMax = 256

/** Clients send the id that they were given, so no form is required. */
export const OperatorId = idText({ maxLength: operatorIdCharactersMax, expected: 'the id of an operator' })

export const OperatorSetParams = namedFields('TvcOperatorSetParams', {
  name: Label,
  newOperators: optional(
    list(namedFields('TvcOperatorParams', { name: Label, publicKey: QosPublicKey }), { itemsMax: operatorsPerSetMax }),
  ),
  existingOperatorIds: optional(list(OperatorId, { itemsMax: operatorsPerSetMax })),
  threshold: Type.Integer({
    minimum: 1,
    maximum: operatorsPerSetMax,
    expected: `a whole number from 1 to ${operatorsPerSetMax}`,
  }),
})
