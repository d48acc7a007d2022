import type { AddressFormat, SignatureScheme } from '../protocol/chains/address_formats.ts'
import type { LightningReceive, LightningReceiveRequest } from '../protocol/chains/spark_lightning.ts'
import type { Curve } from '../protocol/crypto/curves.ts'
import type { SecretBytes } from '../protocol/crypto/secret_bytes.ts'
import type { ReadJwt } from '../protocol/tokens/jwt.ts'
import type { SessionClaims, VerificationClaims } from '../protocol/tokens/tokens.ts'
import type { HasSecret, RecordKind } from './records/records.ts'

type KindWithSecret = { [K in RecordKind]: HasSecret<K> extends true ? K : never }[RecordKind]

/** Whatever can sign: its secret stays in the vault, `keys.sign` uses it. */
export type Signer = {
  readonly kind: 'wallet_account' | 'private_key'
  readonly recordId: string
  readonly curve: Curve
  /** Compressed: 33 bytes, 32 for Ed25519. */
  readonly publicKey: Uint8Array
  /** The format of the address in `signWith`; undefined when that was an id. */
  readonly addressFormat: AddressFormat | undefined
  /** How that address wants to be signed for. */
  readonly scheme: SignatureScheme
}

export type Signature = { readonly r: string; readonly s: string; readonly v: string }

/** Published keys to which clients encrypt: the first in the compact form, the second in the envelope of QuorumOS. */
export type SealingKeyName = 'onRampEncryption' | 'tlsFetcherEncryption'

export type IdTokenClaims = {
  readonly audience: string
  readonly subject: string
  readonly nonce: string
  /** The provider's bearer token, encrypted to a key of the client. */
  readonly encryptedBearerToken?: string
}

/** Everything that touches key material. The secrets pass through `run` as handles that cannot be printed. */
export type Keys = {
  /** What a wallet is made of: BIP-39 entropy and, of an imported one, perhaps a passphrase. */
  newWalletSecret(mnemonicLength: number): SecretBytes
  newPrivateKey(curve: Curve): SecretBytes
  seedOf(walletSecret: SecretBytes): Promise<SecretBytes>
  /** The secret that was sealed with a record which `reads` named. */
  secretOf(kind: KindWithSecret, recordId: string): SecretBytes
  /** English words and, when there is one, a newline and the passphrase, as UTF-8. */
  mnemonicOf(walletSecret: SecretBytes): SecretBytes
  /** The same, read; undefined when it is no English mnemonic with a right checksum (BIP-39). */
  walletSecretOfMnemonic(mnemonic: SecretBytes): SecretBytes | undefined
  /** A key of P-256 made for one message to this server. `publicKey`: 65 bytes. */
  newTarget(): { readonly secret: SecretBytes; readonly publicKey: Uint8Array }
  /** The text that tells a client, over this server's signature, to what key it may encrypt an import. */
  importTargetBundle(target: { readonly publicKey: Uint8Array; readonly userId: string }): string
  /** What a client encrypted to a published key, in that key's form. Throws FIELD_INVALID. */
  openSealedTo(keyName: SealingKeyName, sealed: { readonly text: string; readonly fieldPath: string }): SecretBytes
  /** The text of a secret encrypted to a client's key (65 bytes), over this server's signature. */
  exportBundle(plaintext: SecretBytes, targetPublicKey: Uint8Array): string
  /** A fresh key pair of P-256 whose private half is in the bundle alone, encrypted to a client's key (65 bytes). */
  newCredential(targetPublicKey: Uint8Array): { readonly publicKey: string; readonly credentialBundle: string }
  /** The text that tells a client, over this server's signature, to what key it may encrypt a passcode. */
  otpTargetBundle(publicKey: Uint8Array): string
  /** A passcode of so many characters, in UTF-8: digits, or Crockford's base 32. */
  newPasscode(form: { readonly length: number; readonly alphanumeric: boolean }): SecretBytes
  verificationToken(claims: VerificationClaims): string
  readVerificationToken(token: string): ReadJwt<VerificationClaims>
  sessionToken(claims: SessionClaims): string
  /** An ID token of this server's own, for a user whose provider gives none. */
  idToken(claims: IdTokenClaims): string
  /** The text of a secret encrypted to a client's key (65 bytes), in the compact form. */
  compactBundle(plaintext: SecretBytes, targetPublicKey: Uint8Array): string
  /** A fresh preimage, shared out and forgotten. What is given has passed `checkLightningReceive`. */
  lightningReceive(given: LightningReceiveRequest): LightningReceive
  derive(seed: SecretBytes, at: { readonly curve: Curve; readonly path: string }): Promise<SecretBytes>
  sign(signer: Signer, message: Uint8Array): Signature
}
