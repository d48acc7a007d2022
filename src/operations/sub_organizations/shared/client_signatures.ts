import Type, { type Static } from 'typebox'
import { namedFields, oneOf } from '../../../contract/fields/fields.ts'
import { secret } from '../../../contract/fields/secret_fields.ts'
import { ecdsaSignatureFromDer } from '../../../protocol/crypto/der.ts'
import { p256Point, verifyP256Sha256 } from '../../../protocol/crypto/p256.ts'
import { fieldInvalid } from '../../../protocol/wire/failures.ts'
import { type JsonObject, parseBody } from '../../../protocol/wire/json.ts'

/** A client's signature by the key in its verification token. Without it the token is useless. */
export const ClientSignature = secret(
  namedFields('ClientSignature', {
    publicKey: Type.String({ maxLength: 130, expected: 'the public key of the verification token, in hex' }),
    scheme: oneOf(['CLIENT_SIGNATURE_SCHEME_API_P256']),
    message: Type.String({ minLength: 1, maxLength: 65_536, expected: 'the JSON text that was signed' }),
    signature: Type.String({ pattern: '^([0-9a-fA-F]{2}){8,80}$', expected: 'a signature in hex, r and s or DER' }),
  }),
)

const fieldPath = 'parameters.clientSignature'

/**
 * Verifies a signature by the token's key over the UTF-8 bytes of the message, and returns the signed object. It must
 * name this token and this usage. Throws FIELD_INVALID.
 */
export function readClientSignature(
  { publicKey, message, signature }: Static<typeof ClientSignature>,
  token: { readonly id: string; readonly publicKey: string; readonly usage: 'USAGE_TYPE_LOGIN' | 'USAGE_TYPE_SIGNUP' },
): JsonObject {
  if (publicKey.toLowerCase() !== token.publicKey.toLowerCase()) {
    throw fieldInvalid(`${fieldPath}.publicKey`, 'the key of the verification token')
  }
  const point = p256Point(Buffer.from(publicKey, 'hex'))
  const bytes = Buffer.from(signature, 'hex')
  const rs = bytes.length === 64 ? bytes : ecdsaSignatureFromDer(bytes)
  const isSigned =
    point !== undefined &&
    rs !== undefined &&
    verifyP256Sha256({ signature: rs, message: Buffer.from(message), publicKey: point })
  if (!isSigned) throw fieldInvalid(`${fieldPath}.signature`, 'a signature of the message by that key')
  const signed = objectOf(message)
  if (signed?.tokenId !== token.id || signed.type !== token.usage) {
    throw fieldInvalid(`${fieldPath}.message`, `JSON with the token's id as tokenId and the type ${token.usage}`)
  }
  return signed
}

function objectOf(message: string): JsonObject | undefined {
  try {
    return parseBody(Buffer.from(message))
  } catch {
    return undefined
  }
}
