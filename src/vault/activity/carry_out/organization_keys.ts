import type { Keys } from '../../../contract/keys.ts'
import { type RecordKind, recordKinds } from '../../../contract/records/records.ts'
import { exportBundle, importTargetBundle, otpTargetBundle } from '../../../protocol/bundles/bundles.ts'
import { openCompactBundle, sealCompactBundle } from '../../../protocol/bundles/compact_bundle.ts'
import { parsePath } from '../../../protocol/chains/derivation_path.ts'
import { prepareLightningReceive } from '../../../protocol/chains/spark_lightning.ts'
import { firstPrivateKey, privateKeyBytes } from '../../../protocol/crypto/curves.ts'
import { openSealed } from '../../../protocol/crypto/hpke.ts'
import { compressedP256, p256PublicPoint } from '../../../protocol/crypto/p256.ts'
import { SecretBytes } from '../../../protocol/crypto/secret_bytes.ts'
import { readVerificationToken, signSessionToken, signVerificationToken } from '../../../protocol/tokens/tokens.ts'
import { openQosEnvelope } from '../../../protocol/tvc/qos_envelope.ts'
import type { Making } from '../../caller/request_context.ts'
import { deriveKey, entropyBytesOfMnemonicLength, seedFromEntropy } from '../../keys/derive.ts'
import { newLinkKey, newP256Key } from '../../keys/link_key.ts'
import { isOfSandbox, newPasscode, sandboxPasscode } from '../../keys/passcode.ts'
import { p256Secret } from '../../keys/published_keys.ts'
import { unsealSecret } from '../../keys/sealed_record.ts'
import { type MessageToSign, type Signature, signMessage } from '../../keys/sign.ts'
import {
  mnemonicOfWalletSecret,
  partsOfWalletSecret,
  walletSecretOf,
  walletSecretOfMnemonic,
} from '../../keys/wallet_secret.ts'
import { signIdToken } from '../../outside/own_issuer.ts'
import { whenSealed } from '../../state/evidence.ts'
import type { Organization } from '../../state/organization.ts'

const openers = { onRampEncryption: openCompactBundle, tlsFetcherEncryption: openQosEnvelope } as const

/** Returns access to the key material of one organization, for the duration of one operation. */
export function createKeys(
  { services, request, decisionCounts, nowMs, pause }: Making,
  organization: Organization,
): Keys {
  const { seals, randomBytes, ownIssuer: issuer, sandboxPasscodes } = services
  const { dialect } = request
  const { organizationId } = organization.head

  function secretOf(kind: RecordKind, recordId: string): SecretBytes {
    const stored = recordKinds[kind].listed
      ? organization.sealedBytes(kind, recordId)
      : organization.unlisted(kind, recordId)
    if (stored === undefined) throw new Error(`${kind} ${recordId} was not read`)
    decisionCounts.countAttempt(kind, { organizationId, recordId })
    const slot = { organizationId, kind, recordId, version: stored.version }
    return whenSealed(`organization ${organizationId}: secret of ${kind} ${recordId}`, () =>
      unsealSecret(seals, slot, stored.sealed),
    )
  }

  function signWith(key: Pick<MessageToSign, 'curve' | 'scheme' | 'privateKey'>, message: Uint8Array): Signature {
    return signMessage(
      key.scheme === 'default' ? { ...key, message } : { ...key, message, randomness: randomBytes(32) },
    )
  }

  const newTarget = () => newP256Key(randomBytes)

  return {
    newWalletSecret(mnemonicLength) {
      const size = entropyBytesOfMnemonicLength.get(mnemonicLength)
      if (size === undefined) throw new Error(`no mnemonic has ${mnemonicLength} words`)
      using entropy = new SecretBytes(randomBytes(size))
      return walletSecretOf({ entropy })
    },

    async newPrivateKey(curve) {
      await pause()
      return firstPrivateKey(curve, () => new SecretBytes(randomBytes(privateKeyBytes)))
    },

    async seedOf(walletSecret) {
      using parts = partsOfWalletSecret(walletSecret)
      return await seedFromEntropy(parts)
    },

    secretOf,
    mnemonicOf: mnemonicOfWalletSecret,
    walletSecretOfMnemonic,

    newTarget,

    importTargetBundle({ publicKey: targetPublicKey, userId }) {
      using signingSecret = p256Secret(seals, 'bundleSigning')
      return importTargetBundle({ signingSecret, targetPublicKey, organizationId, userId })
    },

    otpTargetBundle(targetPublicKey) {
      using signingSecret = p256Secret(seals, 'tlsFetcherSigning')
      return otpTargetBundle({ signingSecret, targetPublicKey, organizationId })
    },

    newPasscode(form) {
      if (sandboxPasscodes && isOfSandbox(form)) return new SecretBytes(Buffer.from(sandboxPasscode))
      return newPasscode({ ...form, randomBytes })
    },

    verificationToken(claims) {
      using signingSecret = p256Secret(seals, 'tlsFetcherSigning')
      return signVerificationToken({ claims, dialect, signingSecret })
    },

    readVerificationToken(token) {
      using signingSecret = p256Secret(seals, 'tlsFetcherSigning')
      return readVerificationToken({ token, publicKey: p256PublicPoint(signingSecret), nowMs })
    },

    sessionToken(claims) {
      using signingSecret = p256Secret(seals, 'sessionSigning')
      return signSessionToken({ claims, dialect, signingSecret })
    },

    idToken(claims) {
      if (issuer === undefined) throw new Error('without an issuer nobody is asked for a user')
      return signIdToken(seals, claims, { issuer, nowMs })
    },

    compactBundle: (plaintext, receiver) => sealCompactBundle({ receiver, plaintext, randomBytes }),

    openImport(importTargetId, sealed) {
      using receiverSecret = secretOf('import_target', importTargetId)
      return openSealed({ sealed, receiverSecret })
    },

    openSealedTo(keyName, sealed) {
      using receiverSecret = p256Secret(seals, keyName)
      return openers[keyName]({ ...sealed, receiverSecret })
    },

    exportBundle(plaintext, targetPublicKey) {
      using signingSecret = p256Secret(seals, 'bundleSigning')
      return exportBundle({ signingSecret, organizationId, targetPublicKey, plaintext, randomBytes })
    },

    newCredential(receiver) {
      const { secret, publicKey } = newTarget()
      using plaintext = secret
      const credentialBundle = sealCompactBundle({ receiver, plaintext, randomBytes })
      return { publicKey: Buffer.from(compressedP256(publicKey)).toString('hex'), credentialBundle }
    },

    newLinkKey: () => newLinkKey(randomBytes),

    lightningReceive(given) {
      return prepareLightningReceive({ ...given, randomBytes })
    },

    async derive(seed, { curve, path }) {
      await pause()
      const steps = parsePath(path)
      if (steps === undefined) throw new Error('a path is checked before it is derived')
      return deriveKey({ curve, seed, path: steps })
    },

    sign(signer, message) {
      using privateKey = secretOf(signer.kind, signer.recordId)
      return signWith({ curve: signer.curve, scheme: signer.scheme, privateKey }, message)
    },

    async signAll(signer, messages) {
      using privateKey = secretOf(signer.kind, signer.recordId)
      const signatures: Signature[] = []
      for (const { message, scheme = signer.scheme } of messages) {
        signatures.push(signWith({ curve: signer.curve, scheme, privateKey }, message))
        // After the last one too: what is made of thousands of signatures takes long.
        await pause()
      }
      return signatures
    },
  }
}
