import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { RawPayloads } from '../../../contract/fields/signature_fields.ts'
import type { Signer } from '../../../contract/keys.ts'
import type { PublicChange } from '../../../contract/records/public_changes.ts'
import type { PrivateKey, WalletAccount } from '../../../contract/records/records.ts'
import { findSigner } from '../../../deciding/organization/lookups.ts'
import { operationOfType } from '../../../operations/catalogue.ts'
import { messagesToSign } from '../../../operations/signing/shared/raw_payloads.ts'
import { addressOf, taprootOutputKey } from '../../../protocol/chains/address_formats.ts'
import { verifyEcdsa } from '../../../protocol/crypto/secp256k1.ts'
import type { LoggedActivity } from '../../../protocol/log/log_entry.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import type { PlacedEntry } from './check_log.ts'
import { createOutcomes, type Outcome, right, unchecked, unreadable, wrong } from './findings.ts'
import type { Replay } from './replay.ts'

/**
 * Verifies what came of activities: signatures of payloads under the key that was asked for, over what was asked, and
 * that each address is that of its public key.
 */
export function createResultsCheck(replay: Replay) {
  const outcomes = createOutcomes()

  function outcomeOfSignatures(activity: LoggedActivity, { checked }: PlacedEntry): readonly Outcome[] {
    const { type, version, activityId } = activity
    const content = checked?.content
    const body = version === 1 ? content?.message : replay.waiting(activityId)
    if (content === undefined || body === undefined) return [unchecked('signatures whose request is not in the file')]
    const found = operationOfType(type)
    if (found === undefined) return [wrong(`there is no activity of the type ${type}`)]
    if (found.operation.name === 'sign_transaction') return [unchecked('signatures in transactions')]
    const parameters = found.accepted.read(JSON.parse(body).parameters).parameters as AskedSignatures
    const results = resultsIn(content.result[found.accepted.resultKey])
    const payloads = 'payloads' in parameters ? parameters.payloads : [parameters.payload]
    const signer = signerOf(parameters.signWith)
    if (signer === undefined) {
      const lacks = replay.lacks()
      if (lacks !== undefined) return [unchecked(`signatures of keys that may be from ${lacks}`)]
      return [wrong(`there was no account or private key ${parameters.signWith}`)]
    }
    const asked = { ...parameters, payloads: payloads.map((payload, at) => ({ payload, fieldPath: `${at}` })) }
    const messages = [...messagesToSign(signer, asked)]
    if (results.length !== messages.length) {
      return [wrong(`it asked for ${messages.length} signatures, and has ${results.length}`)]
    }
    return messages.map(({ message }, at) => {
      const isRight = results[at] !== undefined && isSigned(signer, message, results[at])
      return isRight ? right : wrong(`the signature is not one of ${parameters.signWith} over what was asked`)
    })
  }

  function signerOf(signWith: string): Signer | undefined {
    try {
      return findSigner(replay.organization, signWith, replay.organization.lookups).signer
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  }

  return {
    /** To be called before the replay takes the changes of the entry. */
    add(placed: PlacedEntry): void {
      const { activity } = placed.entry
      const changes = placed.checked?.document.changes ?? []
      const addresses = () => changes.flatMap(({ records }) => records.flatMap(outcomesOfAddresses))
      for (const outcome of attempted(addresses)) outcomes.add(placed, outcome)
      const isSigning =
        activity?.type.startsWith('ACTIVITY_TYPE_SIGN_') && activity.status === 'ACTIVITY_STATUS_COMPLETED'
      if (activity === undefined || !isSigning || placed.checked === undefined) return
      for (const outcome of attempted(() => outcomeOfSignatures(activity, placed))) outcomes.add(placed, outcome)
    },
    result: outcomes.result,
  }
}

type AskedSignatures = Omit<RawPayloads, 'payloads'> &
  ({ readonly payload: string } | { readonly payloads: readonly string[] })
type Result = { readonly r: string; readonly s: string }

function attempted(check: () => readonly Outcome[]): readonly Outcome[] {
  try {
    return check()
  } catch (error) {
    return [unreadable(error)]
  }
}

function resultsIn(result: unknown): readonly Result[] {
  const one = result as Result & { readonly signatures?: readonly Result[] }
  return one.signatures ?? [one]
}

function outcomesOfAddresses({ kind, record }: PublicChange): readonly Outcome[] {
  if (record === undefined) return []
  if (kind === 'wallet_account') {
    const { addressFormat: format, address, ...account } = record as WalletAccount
    return [outcomeOfAddress(account, { format, address })]
  }
  if (kind !== 'private_key') return []
  const privateKey = record as PrivateKey
  return privateKey.addresses.map((each) => outcomeOfAddress(privateKey, each))
}

function outcomeOfAddress(
  { curve, publicKey }: Pick<PrivateKey, 'curve' | 'publicKey'>,
  { format, address }: PrivateKey['addresses'][number],
): Outcome {
  const expected = addressOf({ format, curve, publicKey: hexToBytes(publicKey) })
  return address === expected ? right : wrong(`the address ${address} is not that of the public key ${publicKey}`)
}

/**
 * Each is verified by another library than the one that signed it, but for secp256k1: libsecp256k1 takes a twentieth of the
 * time.
 */
function isSigned({ curve, scheme, publicKey }: Signer, message: Uint8Array, { r, s }: Result): boolean {
  const signature = concatBytes(hexToBytes(r), hexToBytes(s))
  if (curve === 'CURVE_ED25519') return ed25519.verify(signature, message, publicKey)
  if (curve === 'CURVE_P256') return p256.verify(signature, message, publicKey, { prehash: false, lowS: false })
  if (scheme === 'default') {
    return !secp256k1.Signature.fromBytes(signature).hasHighS() && verifyEcdsa(signature, message, publicKey)
  }
  return schnorr.verify(signature, message, scheme === 'bip340' ? publicKey.subarray(1) : taprootOutputKey(publicKey))
}
