import type { AddressFormat, SignatureScheme } from '../../protocol/chains/address_formats.ts'
import type { Curve } from '../../protocol/crypto/curves.ts'
import type { Struct } from '../language/values.ts'

/** Who is to sign. `publicKey` is compressed, 33 bytes, or 32 for Ed25519. */
export type TransactionSigner = {
  readonly curve: Curve
  /** Undefined when the signer was named by an id. */
  readonly addressFormat: AddressFormat | undefined
  readonly scheme: SignatureScheme
  readonly publicKey: Uint8Array
}

/** `r` and `s` as 64 hex digits each, `v` the recovery id as two. */
export type TransactionSignature = { readonly r: string; readonly s: string; readonly v: string }

/** A transaction that was read completely: what comes out of it is made of exactly the bytes that went in. */
export type OpenTransaction = {
  /** The contracts or programs that it calls, as their interfaces are uploaded for; Ethereum's in lower case. */
  readonly calls: readonly string[]
  /** What conditions of rules see of it. `interfaces` are texts of ABIs or IDLs, those of `calls` that are known. */
  readonly struct: (interfaces: ReadonlyMap<string, string>) => Struct
  /** What is to be signed, and how: a digest on secp256k1, the message itself on Ed25519. One or more. */
  readonly messages: readonly { readonly message: Uint8Array; readonly scheme: SignatureScheme }[]
  /** The signed form, given a signature for each of `messages`, in their order. */
  readonly serialize: (signatures: readonly TransactionSignature[]) => Uint8Array
}

export type TransactionKind = {
  /** Conditions find its struct as the field `tx` of this. */
  readonly keyword: string
  /** For the message of a refusal. */
  readonly signerExpected: string
  readonly maySign: (signer: TransactionSigner) => boolean
  /** Throws TRANSACTION_INVALID or TRANSACTION_TYPE_UNSUPPORTED, nothing else whatever the bytes. */
  readonly open: (bytes: Uint8Array, signer: TransactionSigner) => OpenTransaction
}
