import { hexOf, utf8 } from '../../stamping/encoding.ts'

/** How a message is signed: as wallets of the chain do, so that others can verify it. */
export type MessageForm = 'eip191' | 'plain' | 'sha256'

/** EIP-191 for Ethereum, the plain bytes for Ed25519 as Solana's wallets sign them, and SHA-256 for all else. */
export function messageFormOf({ curve, addressFormats }: Signer): MessageForm {
  if (curve === 'CURVE_ED25519') return 'plain'
  return curve === 'CURVE_SECP256K1' && addressFormats.includes('ADDRESS_FORMAT_ETHEREUM') ? 'eip191' : 'sha256'
}

export type Signer = {
  /** An address of a wallet account, or the id of a private key. */
  readonly signWith: string
  readonly curve: string
  readonly addressFormats: readonly string[]
}

/** The payload of `sign_raw_payload` for a message. */
export function payloadOf(message: string, form: MessageForm) {
  const bytes = utf8(message)
  const prefix = form === 'eip191' ? utf8(`\x19Ethereum Signed Message:\n${bytes.length}`) : new Uint8Array()
  const hashFunctions = {
    eip191: 'HASH_FUNCTION_KECCAK256',
    plain: 'HASH_FUNCTION_NOT_APPLICABLE',
    sha256: 'HASH_FUNCTION_SHA256',
  } as const
  return {
    payload: hexOf(Uint8Array.of(...prefix, ...bytes)),
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: hashFunctions[form],
  } as const
}

/** The signature in hex: for EIP-191 as wallets give it, with `v` of 27 or 28, and for all else r‖s, 64 bytes. */
export function signatureOf(form: MessageForm, { r, s, v }: Record<'r' | 's' | 'v', string>): string {
  if (form !== 'eip191') return `${r}${s}`
  return `0x${r}${s}${(27 + Number.parseInt(v, 16)).toString(16)}`
}
