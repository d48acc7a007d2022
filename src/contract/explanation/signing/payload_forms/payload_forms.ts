import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import type { Struct } from '../../../../policy/language/expression_values.ts'
import { ethereumStruct } from '../../../../policy/transactions/ethereum/ethereum_struct.ts'
import { parseEthereumTransaction } from '../../../../policy/transactions/ethereum/ethereum_transaction.ts'
import { solanaStruct } from '../../../../policy/transactions/solana/solana_struct.ts'
import { parseSolanaTransaction } from '../../../../policy/transactions/solana/solana_transaction.ts'
import type { DecodedTransaction } from '../../../../policy/transactions/transaction_kind.ts'
import { parseTronTransaction } from '../../../../policy/transactions/tron/tron_transaction.ts'
import type { AddressFormat } from '../../../../protocol/chains/address_formats.ts'
import { decodeRlp, decodeRlpInSteps } from '../../../../protocol/chains/rlp.ts'
import { oneStep, type Steps } from '../../../../protocol/tools/steps.ts'
import { Failure } from '../../../../protocol/wire/failures.ts'
import type { Signer } from '../../../keys.ts'
import type { Content, PayloadReading, TransactionContent } from '../../content.ts'
import type { Value } from '../../explanation.ts'
import { note, row, section } from '../../shown_values.ts'
import { bitcoinReading } from '../bitcoin/bitcoin_preimage_content.ts'
import { authorizationContent, ethereumContent } from '../ethereum/ethereum_content.ts'
import { fromValue, ownAccount } from '../shared/signer_value.ts'
import { solanaContent } from '../solana/solana_content.ts'
import { tronContent } from '../tron/tron_content.ts'
import { chainOf } from './other_chains.ts'

type Form = {
  readonly name: string
  readonly keyword: 'eth' | 'solana' | 'tron'
  /** How addresses of the chain are written. */
  readonly format: AddressFormat
  /** Throws a `Failure` for anything but such a transaction, in the one form that is read of it. */
  readonly read: (bytes: Uint8Array, signer: Signer) => Steps<DecodedTransaction>
  readonly explain: (transaction: TransactionContent) => Steps<Content>
  /** Reads bytes that `read` refuses, of which something can be told all the same. */
  readonly otherwise?: (bytes: Uint8Array, signer: Signer) => Steps<PayloadReading | undefined>
}

/** The transactions that are hashed in this way before they are signed. */
const forms: ReadonlyMap<string, Form> = new Map<string, Form>([
  [
    'HASH_FUNCTION_KECCAK256',
    {
      name: 'Ethereum',
      keyword: 'eth',
      format: 'ADDRESS_FORMAT_ETHEREUM',
      *read(bytes, { publicKey }) {
        return yield* ethereumStruct(yield* parseEthereumTransaction(bytes), { publicKey, abis: [] })
      },
      explain: ethereumContent,
      *otherwise(bytes) {
        return otherForm(bytes) ?? (yield* undecodedEthereum(bytes))
      },
    },
  ],
  [
    'HASH_FUNCTION_NOT_APPLICABLE',
    {
      name: 'Solana',
      keyword: 'solana',
      format: 'ADDRESS_FORMAT_SOLANA',
      read: (bytes) => solanaStruct(parseSolanaMessage(bytes), new Map()),
      explain: (given) => oneStep(() => solanaContent(given)),
    },
  ],
  [
    'HASH_FUNCTION_SHA256',
    {
      name: 'Tron',
      keyword: 'tron',
      format: 'ADDRESS_FORMAT_TRON',
      read: (bytes) => oneStep(() => ({ struct: parseTronTransaction(bytes).struct, usedInterfaces: new Map() })),
      explain: tronContent,
      *otherwise(bytes, signer) {
        return undecodedTron(bytes) ?? (yield* bitcoinReading(bytes, signer))
      },
    },
  ],
])

/** `own`: who signs, as the request names it. */
type Around = Pick<TransactionContent, 'signer' | 'now'> & { readonly own: Value; readonly hashFunction: string }

/**
 * Returns what the bytes read as, if a signature of them would be one of a transaction, an authorization or typed data.
 * They may mean something else to somebody else, so this is a warning and no claim.
 */
export function* payloadReadingOf(
  bytes: Uint8Array,
  { signer, own: shown, now, hashFunction }: Around,
): Steps<PayloadReading | undefined> {
  const known = readingByPrefix(bytes)
  if (known !== undefined) return known
  const form = forms.get(hashFunction)
  if (form === undefined) return undefined
  const { name, keyword, format, read, explain, otherwise } = form
  // A key of another curve signs nothing that this chain takes.
  const own = ownAccount(signer, { format, shown })
  if (own === undefined) return undefined
  const decoded = yield* orFailed(() => read(bytes, signer))
  if (decoded instanceof Failure) {
    yield
    return otherwise && (yield* otherwise(bytes, signer))
  }
  const tx: Struct = decoded.struct
  const content = yield* explain({
    ...{ facts: { [keyword]: { tx } }, tx, bytes, signer, now: { ...now, accountsAt: noAccounts }, interfaces: [] },
    from: (given) => fromValue(given, { own, format }),
  })
  return { warning: note('isTransaction', name), content, own }
}

/** One request has many payloads. To look up where each of them sends takes as many rounds as a request may not have. */
const noAccounts = () => new Map<string, never>()

/** The reading of bytes that tell their chain. Which, is all that is read of them. */
export function readingByPrefix(bytes: Uint8Array): PayloadReading | undefined {
  const chain = chainOf(bytes)
  return chain === undefined ? undefined : { warning: note('isTransaction', chain) }
}

/** As `orFailure`, for steps. */
function* orFailed<T>(work: () => Steps<T>): Steps<T | Failure> {
  try {
    return yield* work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

const authorizationMagic = 0x05
/** A list of 32, 20 and 8 bytes at most, each with its length, and the byte before it. */
const authorizationBytesMax = 100
/** EIP-712: `0x1901`, the hash of the domain and the hash of the message, if there is one. */
const typedDataBytes: readonly number[] = [34, 66]

function otherForm(bytes: Uint8Array): PayloadReading | undefined {
  if (typedDataBytes.includes(bytes.length) && bytes[0] === 0x19 && bytes[1] === 0x01)
    return { warning: note('isTypedData') }
  if (bytes[0] !== authorizationMagic || bytes.length > authorizationBytesMax) return undefined
  const authorization = decodeRlp(bytes.subarray(1))
  if (authorization.kind === 'malformed') return undefined
  const { item } = authorization
  if (item instanceof Uint8Array || item.length !== 3) return undefined
  const [chainId, codeAt, nonce] = item.map((one) => (one instanceof Uint8Array ? one : undefined))
  if (chainId === undefined || nonce === undefined || codeAt?.length !== 20) return undefined
  if (chainId.length > 32 || nonce.length > 8) return undefined
  const struct = { address: `0x${bytesToHex(codeAt)}`, chain_id: integerOf(chainId), nonce: integerOf(nonce) }
  return { warning: note('isAuthorization'), content: authorizationContent(struct) }
}

/** EIP-2718: types of transactions are below this byte. */
const transactionTypesEnd = 0x80
/** Transactions with a type have at least so many fields. */
const typedFieldsMin = 8

/** A transaction with a type that is not read here, or not in the form of its type. Some chains have types of their own. */
function* undecodedEthereum(bytes: Uint8Array): Steps<PayloadReading | undefined> {
  const [type = 0] = bytes
  if (type === 0 || type >= transactionTypesEnd) return undefined
  const fields = yield* decodeRlpInSteps(bytes.subarray(1))
  if (fields.kind === 'malformed') return undefined
  if (fields.item instanceof Uint8Array || fields.item.length < typedFieldsMin) return undefined
  return undecoded('Ethereum', `type 0x${bytesToHex(Uint8Array.of(type))}`)
}

/** Nodes take the name of a contract's type from after the last slash, whatever stands before it. */
const tronContractType = /\/protocol\.([A-Za-z0-9]{1,64}Contract)/g
/** More names than these are no transaction that somebody needs. */
const tronTypesShownMax = 10

/** A transaction of Tron with a contract of a type that is not read here, or in another form than the canonical one. */
function undecodedTron(bytes: Uint8Array): PayloadReading | undefined {
  const found = [...Buffer.from(bytes).toString('latin1').matchAll(tronContractType)].map(([, type = '']) => type)
  // Any field may hold such a name, so the one that counts is among them.
  const types = [...new Set(found)]
  if (types.length === 0) return undefined
  const more = types.length > tronTypesShownMax ? `, ${types.length - tronTypesShownMax} more` : ''
  return undecoded('Tron', `${types.slice(-tronTypesShownMax).join(', ')}${more}`)
}

function undecoded(chain: string, type: string): PayloadReading {
  const rows = [row('chain', { kind: 'chain', name: chain } as const), row('transactionType', note('notDecoded', type))]
  return { warning: note('isTransaction', chain), content: { title: noTitle, sections: section('transaction', rows) } }
}

/** Nobody shows the title of what a payload reads as. */
const noTitle = { code: 'signPayload', values: [] } as const

function integerOf(bytes: Uint8Array): bigint {
  return BigInt(`0x0${bytesToHex(bytes)}`)
}

/** A message is a transaction without the slots of its signatures. Its header says how many there are. */
function parseSolanaMessage(bytes: Uint8Array) {
  const [first = 0, second = 0] = bytes
  const signersCount = Math.min(first >= 0x80 ? second : first, 0x7f)
  const slots = new Uint8Array(64 * signersCount)
  return parseSolanaTransaction(concatBytes(Uint8Array.of(signersCount), slots, bytes)).message
}
