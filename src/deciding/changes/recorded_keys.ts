import { hash } from 'node:crypto'
import { asId, type Id } from '../../contract/fields/ids.ts'
import type { Keys } from '../../contract/keys.ts'
import { type AddressFormat, addressFormats, addressOf } from '../../protocol/chains/address_formats.ts'
import { type Curve, publicKeyOf } from '../../protocol/crypto/curves.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { uuidOf } from '../../protocol/wire/identifiers.ts'
import { NotRecorded } from '../organization/recorded_organization.ts'

/**
 * Stands for the vault where an operation runs again without it. `made` has each text that the vault alone can choose: an
 * id, a public key with its addresses, a token or something encrypted.
 */
export type StandIn = { readonly made: ReadonlySet<string>; readonly newId: () => Id; readonly keys: Keys }

/**
 * `isUsed`: whether the vault has used up this target of an import. `isAsked`: whether the request may ask for
 * addresses of this format.
 */
type AskedOfVault = {
  readonly isUsed: (importTargetId: string) => boolean
  readonly isAsked: (format: AddressFormat) => boolean
}

const everyFormat = Object.keys(addressFormats) as readonly AddressFormat[]

/**
 * Returns a stand-in whose texts nobody can foresee who does not know `seed` (32 bytes): a request that had one of them
 * would have any other text in its place.
 */
export function createStandIn(seed: Uint8Array, { isUsed, isAsked }: AskedOfVault): StandIn {
  const formats = everyFormat.filter(isAsked)
  const made = new Set<string>()
  let count = 0

  const bytesOf = (...names: readonly string[]) =>
    new Uint8Array(hash('sha256', Buffer.concat([seed, Buffer.from(JSON.stringify(names))]), 'buffer'))
  const next = () => bytesOf('next', `${++count}`)
  const note = <T extends string>(text: T) => {
    made.add(text)
    return text
  }
  const newText = () => note(Buffer.from(next()).toString('hex'))

  /**
   * Notes the public key of a secret, and the addresses that it may have. Those of all formats would take a
   * millisecond.
   */
  function noted(curve: Curve, bytes: Uint8Array): SecretBytes {
    const publicKey = publicKeyOf(curve, bytes)
    note(Buffer.from(publicKey).toString('hex'))
    for (const format of formats) {
      if (addressFormats[format].curves.includes(curve)) note(addressOf({ format, curve, publicKey }))
    }
    return new SecretBytes(bytes)
  }

  const copyOf = (secret: SecretBytes) => new SecretBytes(secret.reveal().slice())
  /**
   * A text in ASCII, a private key on each curve, and both halves of a provider's secret behind the length of the
   * first.
   */
  const anySecret = () => new SecretBytes(Uint8Array.from([0, 1, ...Buffer.alloc(30, 'a')]))
  const notRun = () => {
    throw new Error('an operation that signs is not run again')
  }

  const keys: Keys = {
    newWalletSecret: () => new SecretBytes(next()),
    newPrivateKey: async (curve) => noted(curve, next()),
    seedOf: async (walletSecret) => copyOf(walletSecret),
    secretOf: anySecret,
    mnemonicOf: copyOf,
    walletSecretOfMnemonic: copyOf,
    newTarget: () => ({ secret: new SecretBytes(next()), publicKey: Uint8Array.from([4, ...next(), ...next()]) }),
    importTargetBundle: newText,
    openImport: (importTargetId) => (isUsed(importTargetId) ? noted('CURVE_SECP256K1', next()) : undefined),
    openSealedTo: anySecret,
    exportBundle: newText,
    newCredential: () => ({ publicKey: newText(), credentialBundle: newText() }),
    newLinkKey: () => ({ publicKey: newText(), privateKey: newText() }),
    otpTargetBundle: newText,
    newPasscode: anySecret,
    verificationToken: newText,
    readVerificationToken() {
      throw new NotRecorded('changes by a verification token, which the vault alone reads')
    },
    sessionToken: newText,
    idToken: newText,
    compactBundle: newText,
    lightningReceive: notRun,
    derive: async (from, { curve, path }) =>
      noted(curve, bytesOf('derived', Buffer.from(from.reveal()).toString('hex'), curve, path)),
    sign: notRun,
    signAll: notRun,
  }
  return { made, keys, newId: () => note(asId(uuidOf(Buffer.from(next()).toString('hex').slice(0, 32)))) }
}
