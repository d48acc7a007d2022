import { bytesToHex } from '@noble/hashes/utils.js'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { byteReader } from '../byte_reader.ts'
import type { BitcoinOutput } from './bitcoin_digests.ts'
import { type RawTransaction, readTransaction } from './bitcoin_transaction.ts'
import { readCompactSize } from './psbt_maps.ts'

/** An output that an input spends. `txid` is in the displayed byte order. */
type Outpoint = { readonly txid: string; readonly index: number }

/**
 * The bytes that are hashed twice with SHA-256 to the digest of an input. `outputs` is undefined in the form of
 * BIP-143, which has only their hash.
 */
export type BitcoinPreimage = {
  readonly spends: readonly Outpoint[]
  /** In satoshi: what the input is worth. The form before segregated witness does not say it. */
  readonly amount: bigint | undefined
  readonly outputs: readonly BitcoinOutput[] | undefined
  readonly lockTime: number
  /** The outputs that the signature fixes. */
  readonly fixes: 'all' | 'none' | 'one'
  /** ANYONECANPAY: whether others may add inputs. */
  readonly takesInputs: boolean
}

const hashTypeBytes = 4
/** The type of hash is one byte, the last one of a signature. Nodes relay few of them and accept all in a block. */
const hashTypeMax = 0xff
const [baseMask, none, single, anyoneCanPay] = [0x1f, 2, 3, 0x80]

function openPartsOf(hashType: number): Pick<BitcoinPreimage, 'fixes' | 'takesInputs'> {
  const base = hashType & baseMask
  return {
    fixes: base === none ? 'none' : base === single ? 'one' : 'all',
    takesInputs: (hashType & anyoneCanPay) !== 0,
  }
}

/** Nodes relay no larger transaction (`MAX_STANDARD_TX_WEIGHT`). */
const bytesMax = 100_000
/** Later versions do not exist. */
const versionMax = 3

/** Reads the form of BIP-143, "Specification". Throws TRANSACTION_INVALID for anything else. */
export function readWitnessPreimage(bytes: Uint8Array): BitcoinPreimage | undefined {
  const reader = byteReader(bytes)
  const version = reader.integer(4, 'the version')
  reader.bytes(32, 'the hash of the outpoints')
  reader.bytes(32, 'the hash of the sequences')
  const txid = bytesToHex(reader.bytes(32, 'the spent transaction').toReversed())
  const index = reader.integer(4, 'the spent output')
  reader.bytes(readCompactSize(reader, 'the length of the script'), 'the script')
  const amount = reader.integer64('the amount')
  reader.integer(4, 'the sequence')
  reader.bytes(32, 'the hash of the outputs')
  const lockTime = reader.integer(4, 'the lock time')
  const hashType = reader.integer(hashTypeBytes, 'the type of hash')
  reader.end()
  if (version > versionMax || hashType > hashTypeMax) return undefined
  return { spends: [{ txid, index }], amount, outputs: undefined, lockTime, ...openPartsOf(hashType) }
}

/** Reads the form before segregated witness: the transaction, in which one input has the script that it spends. */
export function* readLegacyPreimage(bytes: Uint8Array): Steps<BitcoinPreimage | undefined> {
  if (bytes.length < hashTypeBytes || bytes.length > bytesMax) return undefined
  const end = bytes.length - hashTypeBytes
  const hashType = byteReader(bytes.subarray(end)).integer(hashTypeBytes, 'the type of hash')
  if (hashType > hashTypeMax) return undefined
  const transaction = yield* readOrUndefined(bytes.subarray(0, end))
  if (transaction === undefined || transaction.inputs.length === 0) return undefined
  const spends = transaction.inputs.map(({ hash, index }) => ({ txid: bytesToHex(hash.toReversed()), index }))
  const { outputs, lockTime } = transaction
  return { spends, amount: undefined, outputs, lockTime, ...openPartsOf(hashType) }
}

function* readOrUndefined(bytes: Uint8Array): Steps<RawTransaction | undefined> {
  try {
    return yield* readTransaction(bytes, { name: 'the transaction' })
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
