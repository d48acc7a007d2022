/** How the text in `payload` encodes bytes: every value of the interface's enum. */
export const payloadEncodings = [
  'PAYLOAD_ENCODING_HEXADECIMAL',
  'PAYLOAD_ENCODING_TEXT_UTF8',
  'PAYLOAD_ENCODING_EIP712',
  'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
] as const
export type PayloadEncoding = (typeof payloadEncodings)[number]

/** How those bytes are hashed before they are signed: every value of the interface's enum. */
export const hashFunctions = [
  'HASH_FUNCTION_NO_OP',
  'HASH_FUNCTION_SHA256',
  'HASH_FUNCTION_KECCAK256',
  'HASH_FUNCTION_NOT_APPLICABLE',
] as const
export type HashFunction = (typeof hashFunctions)[number]
