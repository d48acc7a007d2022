import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { schnorr } from '@noble/curves/secp256k1.js'
import { equalBytes } from '@noble/curves/utils.js'
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { RawPayloads } from '../../../contract/fields/signature_fields.ts'
import type { Signer } from '../../../contract/keys.ts'
import { signs } from '../../../contract/operation.ts'
import type { PublicChange } from '../../../contract/records/public_changes.ts'
import type { PrivateKey, WalletAccount } from '../../../contract/records/records.ts'
import { findSigner } from '../../../deciding/organization/lookups.ts'
import { operationOfType } from '../../../operations/catalogue.ts'
import { messagesToSign } from '../../../operations/signing/shared/raw_payloads.ts'
import { type AskedTransaction, signedMessages } from '../../../operations/signing/shared/signed_transaction.ts'
import { addressOf, taprootOutputKey } from '../../../protocol/chains/address_formats.ts'
import { recoverPublicKey, verifyEcdsa } from '../../../protocol/crypto/secp256k1.ts'
import type { LoggedActivity } from '../../../protocol/log/log_entry.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import type { PlacedEntry } from './chain/check_log.ts'
import { createOutcomes, lateSigner, type Outcome, right, unchecked, unreadable, wrong } from './findings.ts'
import type { Replay } from './replay.ts'

/**
 * Verifies what came of activities: signatures of payloads under the key that was asked for, over what was asked, and
 * that each address is that of its public key, and each account that of its wallet and path.
 */
export function createResultsCheck(replay: Replay) {
  const outcomes = createOutcomes()
  const derived = createDerivedKeys()

  function outcomeOfSignatures(
    activity: LoggedActivity,
    { checked, entry: { isLate } }: PlacedEntry,
  ): readonly Outcome[] {
    const { type, version, activityId } = activity
    const content = checked?.content
    const body = version === 1 ? content?.message : replay.waiting(activityId)
    if (content === undefined || body === undefined) return [unchecked('signatures whose request is not in the file')]
    const found = operationOfType(type)
    if (found === undefined) return [wrong(`there is no activity of the type ${type}`)]
    if (!isOfSigning(type)) return [unchecked('answers of Spark, whose parts are encrypted')]
    const parameters = found.accepted.read(JSON.parse(body).parameters).parameters as AskedSignatures
    const result = content.result[found.accepted.resultKey]
    const signer = signerOf(parameters.signWith)
    if (signer === undefined) {
      const lacks = replay.lacks()
      if (lacks !== undefined) return [unchecked(`signatures of keys that may be from ${lacks}`)]
      const missing = `there was no account or private key ${parameters.signWith}`
      return [isLate ? unchecked(lateSigner, missing) : wrong(missing)]
    }
    if ('unsignedTransaction' in parameters) return outcomesOfTransaction(parameters, { signer, result })
    const results = resultsIn(result)
    const payloads = 'payloads' in parameters ? parameters.payloads : [parameters.payload]
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
      const addresses = () => changes.flatMap(({ records }) => records.flatMap((each) => outcomesOfKeys(each, derived)))
      for (const outcome of attempted(addresses)) outcomes.add(placed, outcome)
      const operation = activity && operationOfType(activity.type)?.operation
      const isSigned = activity !== undefined && (isOfSigning(activity.type) || (operation && signs(operation)))
      const isSigning = isSigned === true && activity.status === 'ACTIVITY_STATUS_COMPLETED'
      if (activity === undefined || !isSigning || placed.checked === undefined) return
      for (const outcome of attempted(() => outcomeOfSignatures(activity, placed))) outcomes.add(placed, outcome)
    },
    result: outcomes.result,
  }
}

function isOfSigning(type: string): boolean {
  return type.startsWith('ACTIVITY_TYPE_SIGN_')
}

type AskedSignatures = Omit<RawPayloads, 'payloads'> &
  ({ readonly payload: string } | { readonly payloads: readonly string[] } | AskedTransaction)
type Result = { readonly r: string; readonly s: string; readonly v?: string }

function attempted(check: () => readonly Outcome[]): readonly Outcome[] {
  try {
    return check()
  } catch (error) {
    return [unreadable(error)]
  }
}

/** The signed transaction must be the one that was asked for, with a signature of the key for each of its messages. */
function outcomesOfTransaction(
  asked: AskedTransaction & Pick<RawPayloads, 'signWith'>,
  { signer, result }: { readonly signer: Signer; readonly result: unknown },
): readonly Outcome[] {
  const { signedTransaction } = result as { readonly signedTransaction: string }
  const signed = signedMessages(asked, { signer, signed: signedTransaction })
  if (signed === undefined) return [wrong('the signed transaction is not the one that was asked for')]
  return signed.map(({ message, scheme, signature }) =>
    isSigned({ ...signer, scheme }, message, signature)
      ? right
      : wrong(`the signature in the transaction is not one of ${asked.signWith} over it`),
  )
}

function resultsIn(result: unknown): readonly Result[] {
  const one = result as Result & { readonly signatures?: readonly Result[] }
  return one.signatures ?? [one]
}

type DerivedKeys = ReturnType<typeof createDerivedKeys>

/**
 * The public keys of accounts by wallet, curve and path, of which they follow. A deleted account that is made again has
 * the same one.
 */
function createDerivedKeys() {
  const known = new Map<string, string>()
  return {
    /** Returns the key that another account had there. */
    other({ walletId, curve, path, publicKey }: WalletAccount): string | undefined {
      const place = `${walletId} ${curve} ${path}`
      const before = known.get(place)
      known.set(place, before ?? publicKey)
      return before === publicKey ? undefined : before
    },
  }
}

function outcomesOfKeys({ kind, record }: PublicChange, derived: DerivedKeys): readonly Outcome[] {
  if (record === undefined) return []
  if (kind === 'wallet_account') {
    const account = record as WalletAccount
    const { addressFormat: format, address } = account
    const other = derived.other(account)
    if (other === undefined) return [outcomeOfAddress(account, { format, address })]
    const { walletId, path, publicKey } = account
    return [wrong(`wallet ${walletId} has the public key ${other} at ${path}, and this account has ${publicKey}`)]
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

/** Half of the order of secp256k1 (EIP-2). */
const greatestLowS = hexToBytes('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0')

/**
 * Each is verified by another library than the one that signed it, but for secp256k1: libsecp256k1 takes a twentieth of the
 * time. Where there is a recovery id, it must lead to the key: it says from whom a transaction is.
 */
function isSigned({ curve, scheme, publicKey }: Signer, message: Uint8Array, { r, s, v }: Result): boolean {
  const signature = concatBytes(hexToBytes(r), hexToBytes(s))
  if (curve === 'CURVE_ED25519') return ed25519.verify(signature, message, publicKey)
  if (curve === 'CURVE_P256') return p256.verify(signature, message, publicKey, { prehash: false, lowS: false })
  if (scheme === 'default') {
    if (Buffer.compare(signature.subarray(32), greatestLowS) > 0) return false
    if (v === undefined) return verifyEcdsa(signature, message, publicKey)
    const recovered = recoverPublicKey({ signature, recoveryId: v === '00' ? 0 : 1 }, message)
    return recovered !== undefined && equalBytes(recovered, publicKey)
  }
  return schnorr.verify(signature, message, scheme === 'bip340' ? publicKey.subarray(1) : taprootOutputKey(publicKey))
}
