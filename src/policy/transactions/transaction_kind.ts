import type { AddressFormat, SignatureScheme } from '../../protocol/chains/address_formats.ts'
import type { Curve } from '../../protocol/crypto/curves.ts'
import type { Steps } from '../../protocol/tools/steps.ts'
import type { Struct } from '../language/expression_values.ts'

/** The signer. `publicKey` is compressed, 33 bytes, or 32 for Ed25519. */
export type TransactionSigner = {
  readonly curve: Curve
  /** Undefined when the signer was named by an id. */
  readonly addressFormat: AddressFormat | undefined
  readonly scheme: SignatureScheme
  readonly publicKey: Uint8Array
}

/** `r` and `s` as 64 hex digits each, `v` the recovery id as two. */
export type TransactionSignature = { readonly r: string; readonly s: string; readonly v: string }

/** A signature as a signed transaction has it. `v`: absent if the transaction has no recovery id. */
export type ReadSignature = Omit<TransactionSignature, 'v'> & { readonly v?: TransactionSignature['v'] }

/** The texts of ABIs or IDLs, by the address of the contract or program. */
export type Interfaces = ReadonlyMap<string, readonly string[]>

/** The struct that conditions see, and the interfaces by which its calls were read. */
export type DecodedTransaction = { readonly struct: Struct; readonly usedInterfaces: Interfaces }

/** A transaction that was read completely: its results are made of exactly the bytes that were read. */
export type OpenTransaction = {
  /** The called contracts or programs, as uploaded interfaces name them; Ethereum's in lower case. */
  readonly calls: readonly string[]
  /** Reads the transaction as conditions see it. `interfaces` has those of `calls`, as far as any were uploaded. */
  readonly struct: (interfaces: Interfaces) => Steps<DecodedTransaction>
  /**
   * One or more messages to sign, with their schemes: a digest on secp256k1, the message itself on Ed25519. A digest is
   * made when it is asked for, because each may cover the whole transaction.
   */
  readonly messages: readonly { readonly message: Uint8Array; readonly scheme: SignatureScheme }[]
  /** The signed form, given a signature for each of `messages`, in their order. */
  readonly serialize: (signatures: readonly TransactionSignature[]) => Uint8Array
  /**
   * The signatures in a signed form, where `serialize` puts them. Undefined if it has none there. Only if `serialize` makes
   * the same form of them, it is the signed form of this transaction.
   */
  readonly signaturesIn: (signed: Uint8Array) => readonly ReadSignature[] | undefined
}

export type TransactionKind = {
  /** Conditions find the struct as the field `tx` of this keyword. */
  readonly keyword: string
  /** The expected signer, for the message of a refusal. */
  readonly signerExpected: string
  readonly maySign: (signer: TransactionSigner) => boolean
  /** Throws only TRANSACTION_INVALID or TRANSACTION_TYPE_UNSUPPORTED, whatever the bytes. */
  readonly open: (bytes: Uint8Array, signer: TransactionSigner) => Steps<OpenTransaction>
}
