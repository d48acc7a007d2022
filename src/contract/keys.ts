import type { AddressFormat, SignatureScheme } from '../protocol/chains/address_formats.ts'
import type { LightningReceive, LightningReceiveRequest } from '../protocol/chains/spark_lightning.ts'
import type { Curve } from '../protocol/crypto/curves.ts'
import type { Sealed } from '../protocol/crypto/hpke.ts'
import type { SecretBytes } from '../protocol/crypto/secret_bytes.ts'
import type { ReadJwt } from '../protocol/tokens/jwt.ts'
import type { SessionClaims, VerificationClaims } from '../protocol/tokens/tokens.ts'
import type { HasSecret, RecordKind } from './records/records.ts'

type KindWithSecret = { [K in RecordKind]: HasSecret<K> extends true ? K : never }[RecordKind]

/** A wallet account or private key that can sign. Its secret stays in the vault, where `keys.sign` uses it. */
export type Signer = {
  readonly kind: 'wallet_account' | 'private_key'
  readonly recordId: string
  readonly curve: Curve
  /** Compressed: 33 bytes, 32 for Ed25519. */
  readonly publicKey: Uint8Array
  /** The format of the address in `signWith`; undefined when that was an id. */
  readonly addressFormat: AddressFormat | undefined
  /** The signature scheme that the address requires. */
  readonly scheme: SignatureScheme
}

/** `scheme`: absent if it is the signer's. */
export type MessageToSign = { readonly message: Uint8Array; readonly scheme?: SignatureScheme }

export type Signature = { readonly r: string; readonly s: string; readonly v: string }

/**
 * Published keys to which clients encrypt: `onRampEncryption` in the compact form, `tlsFetcherEncryption` in the
 * envelope of QuorumOS.
 */
export type SealingKeyName = 'onRampEncryption' | 'tlsFetcherEncryption'

export type IdTokenClaims = {
  readonly audience: string
  readonly subject: string
  readonly nonce: string
  /** The provider's bearer token, encrypted to a key of the client. */
  readonly encryptedBearerToken?: string
}

/** Everything that touches key material. Secrets pass through `run` as handles that cannot be printed. */
export type Keys = {
  /** The secret of a new wallet: BIP-39 entropy. The secret of an imported wallet may hold a passphrase too. */
  newWalletSecret(mnemonicLength: number): SecretBytes
  /** Other requests are served before each. */
  newPrivateKey(curve: Curve): Promise<SecretBytes>
  seedOf(walletSecret: SecretBytes): Promise<SecretBytes>
  /** The secret sealed with a record that `needs` named. */
  secretOf(kind: KindWithSecret, recordId: string): SecretBytes
  /** English words in UTF-8, followed by a newline and the passphrase if there is one. */
  mnemonicOf(walletSecret: SecretBytes): SecretBytes
  /**
   * Reads the text that `mnemonicOf` writes. Undefined unless it is an English mnemonic with a right checksum (BIP-39).
   */
  walletSecretOfMnemonic(mnemonic: SecretBytes): SecretBytes | undefined
  /** A new P-256 key for one message to this server. `publicKey`: 65 bytes. */
  newTarget(): { readonly secret: SecretBytes; readonly publicKey: Uint8Array }
  /** The text, signed by this server, that tells a client to which key it may encrypt an import. */
  importTargetBundle(target: { readonly publicKey: Uint8Array; readonly userId: string }): string
  /** Opens what a client encrypted to the target of an import. Undefined if it was encrypted to another key. */
  openImport(importTargetId: string, sealed: Sealed): SecretBytes | undefined
  /** Opens a text that a client encrypted to a published key, in that key's form. Throws FIELD_INVALID. */
  openSealedTo(keyName: SealingKeyName, sealed: { readonly text: string; readonly fieldPath: string }): SecretBytes
  /** The text, signed by this server, of a secret encrypted to a client's key (65 bytes). */
  exportBundle(plaintext: SecretBytes, targetPublicKey: Uint8Array): string
  /** A new P-256 key pair. Its private half is only in the bundle, encrypted to a client's key (65 bytes). */
  newCredential(targetPublicKey: Uint8Array): { readonly publicKey: string; readonly credentialBundle: string }
  /** A new P-256 key pair for a link: a compressed point and a scalar, each in hex. Nothing keeps the private half. */
  newLinkKey(): { readonly publicKey: string; readonly privateKey: string }
  /** The text, signed by this server, that tells a client to which key it may encrypt a passcode. */
  otpTargetBundle(publicKey: Uint8Array): string
  /**
   * A new passcode of `length` characters, in UTF-8: digits, or Crockford's base 32 if `alphanumeric`. A contact of the
   * sandbox gets the known one where the operator has switched that on.
   */
  newPasscode(form: { readonly length: number; readonly alphanumeric: boolean; readonly contact: string }): SecretBytes
  verificationToken(claims: VerificationClaims): string
  readVerificationToken(token: string): ReadJwt<VerificationClaims>
  sessionToken(claims: SessionClaims): string
  /** An ID token that this server issues to a user whose provider issues none. */
  idToken(claims: IdTokenClaims): string
  /** The text of a secret encrypted to a client's key (65 bytes), in the compact form. */
  compactBundle(plaintext: SecretBytes, targetPublicKey: Uint8Array): string
  /** Makes a preimage, splits it into shares and forgets it. `checkLightningReceive` must have passed the argument. */
  lightningReceive(given: LightningReceiveRequest): LightningReceive
  derive(seed: SecretBytes, at: { readonly curve: Curve; readonly path: string }): Promise<SecretBytes>
  sign(signer: Signer, message: Uint8Array): Signature
  /**
   * Signs messages in their order, by the signer's scheme where they have none. Each is asked for when its turn comes:
   * other requests are served in between.
   */
  signAll(signer: Signer, messages: Iterable<MessageToSign>): Promise<readonly Signature[]>
}
