import Type from 'typebox'
import { parseQosPublicKey, qosPublicKeyPattern } from '../../../protocol/tvc/qos_public_key.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { fields, Label, list, optional } from '../../fields/fields.ts'

/** As many as QuorumOS's hosted service allows in a set. */
export const operatorsPerSetMax = 50

const publicKeyExpected = 'two uncompressed points of P-256 in hex, for encryption and for signing: 130 bytes'

export const QosPublicKey = Type.String({ pattern: qosPublicKeyPattern, expected: publicKeyExpected })

/** The form in which a key is kept. What the pattern cannot say: both halves are points of the curve. */
export function qosPublicKeyOf(publicKey: string, fieldPath: string): string {
  const halves = parseQosPublicKey(publicKey)
  if (halves === undefined) throw new Failure('FIELD_INVALID', { fieldPath, expected: publicKeyExpected })
  return halves.encryption + halves.signing
}

const operatorIdCharactersMax = 256

/** Clients send what they were told, so it is not held to a form. */
export const OperatorId = Type.String({
  minLength: 1,
  maxLength: operatorIdCharactersMax,
  expected: 'the id of an operator',
})

export const OperatorSetParams = fields({
  name: Label,
  newOperators: optional(list(fields({ name: Label, publicKey: QosPublicKey }), { itemsMax: operatorsPerSetMax })),
  existingOperatorIds: optional(list(OperatorId, { itemsMax: operatorsPerSetMax })),
  threshold: Type.Integer({
    minimum: 1,
    maximum: operatorsPerSetMax,
    expected: `a whole number from 1 to ${operatorsPerSetMax}`,
  }),
})
