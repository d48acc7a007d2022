import type { OrganizationReader } from '../../../contract/define.ts'
import type { RawPayloads } from '../../../contract/fields/signature_fields.ts'
import type { MessageToSign, Signer } from '../../../contract/keys.ts'
import { signerFacts } from '../../../contract/record_facts.ts'
import type { Respelled } from '../../../policy/decision/spellings.ts'
import type { Struct } from '../../../policy/language/expression_values.ts'
import { authorizationStruct, typedDataStruct } from '../../../policy/typed_data_struct.ts'
import { newHashCount } from '../../../protocol/chains/eip712.ts'
import type { PayloadEncoding } from '../../../protocol/chains/payload_names.ts'
import { isTextInHex, messageToSign, requireEthereum } from '../../../protocol/chains/payloads.ts'

/** Makes one message for each payload, in their order. Throws FIELD_INVALID. */
export function* messagesToSign({ curve }: Signer, { payloads, ...given }: RawPayloads): Iterable<MessageToSign> {
  const count = newHashCount()
  for (const payload of payloads) yield { message: messageToSign({ ...given, ...payload, curve, count }) }
}

/**
 * The facts about the key that signs and, if there is a single payload of a known form, about that payload. Throws
 * FIELD_INVALID for a payload that is not signed either: nobody should vote on it.
 */
export function rawPayloadFacts(organization: OrganizationReader, given: RawPayloads): Struct {
  const { signWith, payloads, encoding, hashFunction } = given
  const signer = organization.signer(signWith)
  const facts = { ...signerFacts(organization, signWith), respelled: respelled(given) }
  const [only, ...others] = payloads
  if (only === undefined || others.length > 0 || !hasForm(encoding)) {
    for (const _ of messagesToSign(signer, given));
    return facts
  }
  requireEthereum({ encoding, hashFunction, curve: signer.curve })
  return { ...facts, eth: formOf(only, encoding) }
}

/** The other spellings of the same signatures. Who asks chooses one. */
function respelled(given: RawPayloads): readonly Respelled[] {
  const { payloads, encoding, hashFunction } = given
  switch (encoding) {
    case 'PAYLOAD_ENCODING_TEXT_UTF8':
      return [{ encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' }, ...hashedBefore(given)]
    case 'PAYLOAD_ENCODING_HEXADECIMAL': {
      const texts = payloads.filter(({ payload }) => isTextInHex(payload)).length
      const isAll = texts === payloads.length
      const asText = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', ...(isAll ? {} : { in_part: true as const }) }
      return [...(texts === 0 ? [] : [asText]), ...hashedBefore(given)]
    }
    default:
      return ['HASH_FUNCTION_NO_OP', 'HASH_FUNCTION_KECCAK256']
        .filter((name) => name !== hashFunction)
        .map((name) => ({ hash_function: name }))
  }
}

/** A digest is signed as the bytes are of which it is the hash. Nobody knows which these are. */
function hashedBefore({ hashFunction }: Pick<RawPayloads, 'hashFunction'>): readonly Respelled[] {
  if (hashFunction !== 'HASH_FUNCTION_NO_OP') return []
  return ['HASH_FUNCTION_KECCAK256', 'HASH_FUNCTION_SHA256'].flatMap((hash) =>
    ['PAYLOAD_ENCODING_HEXADECIMAL', 'PAYLOAD_ENCODING_TEXT_UTF8'].map((encoding) => ({
      encoding,
      hash_function: hash,
      of_digest: true as const,
    })),
  )
}

type Form = Exclude<PayloadEncoding, 'PAYLOAD_ENCODING_HEXADECIMAL' | 'PAYLOAD_ENCODING_TEXT_UTF8'>

function hasForm(encoding: PayloadEncoding): encoding is Form {
  return encoding === 'PAYLOAD_ENCODING_EIP712' || encoding === 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION'
}

function formOf({ payload, fieldPath }: RawPayloads['payloads'][number], encoding: Form): Struct {
  return encoding === 'PAYLOAD_ENCODING_EIP712'
    ? { eip_712: typedDataStruct(payload, fieldPath) }
    : { eip_7702_authorization: authorizationStruct(payload, fieldPath) }
}
