import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Keys } from '../../operations/define.ts'
import { firstPrivateKey, privateKeyBytes } from '../../protocol/curves.ts'
import { parsePath } from '../../protocol/derivation_path.ts'
import { SecretBytes } from '../../protocol/secret_bytes.ts'
import { type Organization, whenSealed } from '../organization.ts'
import type { Seals } from '../seal.ts'
import { unsealSecret } from '../sealed_record.ts'
import { deriveKey, entropyBytesOfMnemonicLength, seedFromEntropy } from './derive.ts'
import { signMessage } from './sign.ts'

const derivationsInARow = 16

/** The key material of one organization, for the length of one operation. */
export function createKeys({
  seals,
  organization,
  randomBytes,
}: {
  readonly seals: Seals
  readonly organization: Organization
  readonly randomBytes: (size: number) => Uint8Array
}): Keys {
  const { organizationId } = organization.head
  let derivations = 0

  function secretOf(kind: 'wallet' | 'wallet_account' | 'private_key', recordId: string): SecretBytes {
    const stored =
      kind === 'wallet_account' ? organization.unlisted(kind, recordId) : organization.sealedBytes(kind, recordId)
    if (stored === undefined) throw new Error(`${kind} ${recordId} was not read`)
    const slot = { organizationId, kind, recordId, version: stored.version }
    return whenSealed(`organization ${organizationId}: secret of ${kind} ${recordId}`, () =>
      unsealSecret(seals, slot, stored.sealed),
    )
  }

  return {
    newEntropy(mnemonicLength) {
      const size = entropyBytesOfMnemonicLength.get(mnemonicLength)
      if (size === undefined) throw new Error(`no mnemonic has ${mnemonicLength} words`)
      return new SecretBytes(randomBytes(size))
    },

    newPrivateKey(curve) {
      return firstPrivateKey(curve, () => new SecretBytes(randomBytes(privateKeyBytes)))
    },

    seedOf: (entropy) => seedFromEntropy({ entropy }),
    entropyOf: (walletId) => secretOf('wallet', walletId),
    async derive(seed, { curve, path }) {
      // A thousand derivations take a second: other requests get their turn in between.
      derivations += 1
      if (derivations % derivationsInARow === 0) await nextTurn()

      const steps = parsePath(path)
      if (steps === undefined) throw new Error('a path is checked before it is derived')
      return deriveKey({ curve, seed, path: steps })
    },

    sign({ kind, recordId, curve, scheme }, message) {
      using privateKey = secretOf(kind, recordId)
      const parts = { curve, scheme, privateKey, message }
      return signMessage(scheme === 'default' ? parts : { ...parts, randomness: randomBytes(32) })
    },
  }
}
