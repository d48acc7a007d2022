import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import type { Curve } from '../crypto/curves.ts'
import { keccak256 } from '../crypto/keccak.ts'
import { finished, type Steps } from '../tools/steps.ts'
import { Failure, fieldInvalid, fieldRefused } from '../wire/failures.ts'
import { type JsonObject, parseBodyInSteps } from '../wire/json.ts'
import { type HashCount, hashTypedDataInSteps, parseTypedData } from './eip712.ts'
import { addressExpected, readAddress, readInteger, readOptionallyPrefixedHex } from './ethereum_values.ts'
import type { HashFunction, PayloadEncoding } from './payload_names.ts'
import { encodeRlp, integerBytes } from './rlp.ts'

export type Payload = {
  readonly payload: string
  readonly encoding: PayloadEncoding
  readonly hashFunction: HashFunction
  readonly curve: Curve
  /** The path of the payload in the body: `parameters.payload`, `parameters.payloads[3]`. */
  readonly fieldPath: string
  /** How much of typed data is hashed, shared by all payloads of one request. */
  readonly count?: HashCount
}

/**
 * Returns the bytes that the key signs: a 32-byte digest on secp256k1 and P-256, the payload itself on Ed25519.
 *
 * Typed data (EIP-712) and authorizations (EIP-7702) define their own digest. For these HASH_FUNCTION_NO_OP, which
 * clients send, and HASH_FUNCTION_KECCAK256, which names the hash of that digest, mean the same.
 *
 * Throws FIELD_INVALID.
 */
export function messageToSign(payload: Payload): Uint8Array {
  return finished(messageToSignInSteps(payload))
}

/** The same for a large payload. */
export function* messageToSignInSteps(payload: Payload): Steps<Uint8Array> {
  switch (payload.encoding) {
    case 'PAYLOAD_ENCODING_HEXADECIMAL':
      return hashed(payload, decodePayloadHex(payload.payload, payload.fieldPath))
    case 'PAYLOAD_ENCODING_TEXT_UTF8':
      return hashed(payload, encodeText(payload.payload, payload.fieldPath))
    case 'PAYLOAD_ENCODING_EIP712': {
      requireEthereum(payload)
      const document = yield* parseJsonInSteps(payload.payload, payload.fieldPath)
      yield
      return yield* hashTypedDataInSteps(parseTypedData(document, payload.fieldPath), payload.fieldPath, payload.count)
    }
    case 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION':
      requireEthereum(payload)
      return hashAuthorization(
        parseAuthorization(parseJsonPayload(payload.payload, payload.fieldPath), payload.fieldPath),
      )
  }
}

/** Whether a payload in hex has the bytes of a text, and so could have been one. */
export function isTextInHex(payload: string): boolean {
  const bytes = readOptionallyPrefixedHex(payload)
  if (bytes === undefined) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** The JSON object in a payload, read as strictly as a body. Throws FIELD_INVALID. */
export function parseJsonPayload(payload: string, fieldPath: string): JsonObject {
  return finished(parseJsonInSteps(payload, fieldPath))
}

function* parseJsonInSteps(payload: string, fieldPath: string): Steps<JsonObject> {
  try {
    return yield* parseBodyInSteps(encodeText(payload, fieldPath))
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause
    throw new Failure('FIELD_INVALID', {
      fieldPath,
      expected: 'the text of one JSON object',
      reason: cause.message,
      cause,
    })
  }
}

/** Lets an account run the code at `address` (EIP-7702). `chainId` zero means every chain. */
export type Authorization = { readonly address: Uint8Array; readonly chainId: bigint; readonly nonce: bigint }

/** Reads `{ address, chainId, nonce }` without further members, numbers as in typed data. Throws FIELD_INVALID. */
export function parseAuthorization(document: Readonly<Record<string, unknown>>, fieldPath: string): Authorization {
  const refuse = (reason: string) => fieldRefused(fieldPath, reason)
  const { address: addressText, chainId: chainIdText, nonce: nonceText, ...others } = document
  if (Object.keys(others).length > 0) throw refuse('an authorization has address, chainId and nonce, nothing else')
  const address = readAddress(addressText)
  if (address === undefined) throw refuse(`address must be ${addressExpected}`)
  const chainId = readInteger(chainIdText)
  if (chainId === undefined || BigInt.asUintN(256, chainId) !== chainId) throw refuse('chainId must fit uint256')
  const nonce = readInteger(nonceText)
  if (nonce === undefined || nonce < 0n || nonce > authorizationNonceMax) throw refuse('nonce must be below 2^64 - 1')
  return { address, chainId, nonce }
}

/** keccak256(0x05 ‖ rlp([chainId, address, nonce])): EIP-7702, "Parameters" and "Set code transaction". */
export function hashAuthorization({ address, chainId, nonce }: Authorization): Uint8Array {
  const content = encodeRlp([integerBytes(chainId), address, integerBytes(nonce)])
  return keccak256(concatBytes(Uint8Array.of(authorizationMagic), content))
}

const authorizationMagic = 0x05
/** An authorization with the nonce 2^64 - 1 is never valid (EIP-7702, "Behavior"; EIP-2681). */
const authorizationNonceMax = 2n ** 64n - 2n

const digestBytes = 32

function decodePayloadHex(payload: string, fieldPath: string): Uint8Array {
  const bytes = readOptionallyPrefixedHex(payload)
  if (bytes === undefined) throw fieldInvalid(fieldPath, 'an even number of hex digits, with or without 0x')
  return bytes
}

function encodeText(payload: string, fieldPath: string): Uint8Array {
  // A lone surrogate has no UTF-8 form; the encoder would put U+FFFD in its place and sign another text.
  if (!payload.isWellFormed()) throw fieldInvalid(fieldPath, 'well-formed Unicode text')
  return new TextEncoder().encode(payload)
}

function hashed({ hashFunction, curve, fieldPath }: Payload, bytes: Uint8Array): Uint8Array {
  if (curve === 'CURVE_ED25519') {
    if (hashFunction !== 'HASH_FUNCTION_NOT_APPLICABLE') throw hashRefusal('Ed25519 takes HASH_FUNCTION_NOT_APPLICABLE')
    return bytes
  }
  switch (hashFunction) {
    case 'HASH_FUNCTION_NOT_APPLICABLE':
      throw hashRefusal('HASH_FUNCTION_NOT_APPLICABLE is for Ed25519 only')
    case 'HASH_FUNCTION_NO_OP':
      if (bytes.length !== digestBytes) throw fieldInvalid(fieldPath, 'a digest of 32 bytes for HASH_FUNCTION_NO_OP')
      return bytes
    case 'HASH_FUNCTION_SHA256':
      return sha256(bytes)
    case 'HASH_FUNCTION_KECCAK256':
      return keccak256(bytes)
  }
}

/** Checks that curve and hash function are those of typed data and authorizations. Throws FIELD_INVALID. */
export function requireEthereum({
  encoding,
  hashFunction,
  curve,
}: Pick<Payload, 'encoding' | 'hashFunction' | 'curve'>): void {
  if (curve !== 'CURVE_SECP256K1') {
    const reason = `invalid payload encoding: ${encoding} is for secp256k1 keys only`
    throw fieldRefused('parameters.encoding', reason)
  }
  if (hashFunction !== 'HASH_FUNCTION_NO_OP' && hashFunction !== 'HASH_FUNCTION_KECCAK256') {
    throw hashRefusal(`${encoding} takes HASH_FUNCTION_NO_OP or HASH_FUNCTION_KECCAK256`)
  }
}

/** Some clients look for `invalid hash function` and `invalid payload encoding` in the message. */
function hashRefusal(reason: string): Failure {
  return fieldRefused('parameters.hashFunction', `invalid hash function: ${reason}`)
}
