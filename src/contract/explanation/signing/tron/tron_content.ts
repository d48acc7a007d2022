import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import {
  isList,
  isStruct,
  type Value as Seen,
  type Struct,
  structsIn,
} from '../../../../policy/language/expression_values.ts'
import type { Steps } from '../../../../protocol/tools/steps.ts'
import type { Content, TransactionContent } from '../../content.ts'
import type { Note, Row, Title, Value } from '../../explanation.ts'
import {
  address,
  code,
  hex,
  list,
  listed,
  namedRow,
  note,
  noteOf,
  row,
  rowsOf,
  section,
  time,
  tree,
} from '../../shown_values.ts'
import type { TitleCode } from '../../texts/title_texts.ts'
import { warned } from '../../warnings.ts'
import { type CallReading, callWarnings, functionIn } from '../ethereum/call_reading.ts'
import { readContractCall } from '../ethereum/contract_calls.ts'
import type { TokenCall } from '../ethereum/token_calls.ts'
import { unreadNote } from '../shared/call_arguments.ts'
import { tronForms } from '../shared/chain_forms.ts'
import { amountOf, tokenAmount, trx } from '../shared/coins.ts'
import { decodedValue } from '../shared/decoded_values.ts'
import { type Funds, feeWarnings } from '../shared/fee_warnings.ts'
import { isOfWallet, ownAddress } from '../shared/signer_value.ts'
import { mayBeOrder } from '../signed_text/orders_in_text.ts'
import { printableText, readableText } from '../signed_text/printable_text.ts'
import { blocksValue, lockNotes } from './tron_locks.ts'
import { permissionNotes, permissionTitle } from './tron_permissions.ts'

/** The fields that are amounts in sun, and those that are addresses, by the names of the protocol. */
const amounts: ReadonlySet<string> = new Set(['amount', 'call_value', 'balance', 'frozen_balance', 'unfreeze_balance'])
const addresses: ReadonlySet<string> = new Set([
  'owner_address',
  'to_address',
  'contract_address',
  'receiver_address',
  // The address of a permission's key.
  'address',
])

/** Explains a transaction of Tron, from what conditions see of it. */
export function* tronContent({ tx, from, signer, now }: TransactionContent): Steps<Content> {
  const [contract = {}] = structsIn(tx.contract)
  const type = String(contract.type)
  const owner = from(String(contract.owner_address))
  const key = ownAddress(signer, 'ADDRESS_FORMAT_TRON')
  const own = key === undefined ? undefined : from(key)
  const called = calledIn(contract)
  const context = { forms: tronForms, now, signer: own, caller: bytesOf(String(contract.owner_address)) }
  const call = called && (yield* readContractCall(called, context))
  const token = call?.token
  const memo = typeof tx.data === 'string' && tx.data !== '' ? bytesValue(tx.data) : undefined
  const transfers = transferRows(contract, { owner, token })
  const title = titleOf(contract, { call, called })
  const feeLimit = typeof tx.fee_limit === 'bigint' ? tx.fee_limit : 0n
  return {
    title: warned(title, [
      ...feeWarnings({
        fee: feeLimit,
        ...fundsOf(contract, { signer, now }),
        bounds: trx.fees,
        shown: amountOf(feeLimit, trx),
      }),
      ...permissionNotes(contract, key),
      ...lockNotes(contract),
      ...(key === undefined || key === contract.owner_address ? [] : [noteOf('otherOwner', owner)]),
      ...(token?.effect === undefined || title.code === token.title.code ? [] : [token.effect]),
      ...(call === undefined || called === undefined ? [] : callWarnings(call, called.data)),
      ...memoWarnings(memo),
      ...(transfers.length > 0 && isOrder(tx) ? [note('dataBeside')] : []),
    ]),
    giver: owner,
    called: call === undefined ? calledWithoutData(contract) : call.called,
    sections: [
      ...section('transaction', [
        row('chain', { kind: 'chain', name: 'Tron' }),
        row('network', note('notInContent')),
        row('transactionType', code(type)),
        row('from', owner),
        row('feeLimit', feeLimit > 0n ? amountOf(feeLimit, trx) : note('notInContent')),
        ...(typeof tx.expiration === 'bigint' ? [row('expiresAt', timeOf(tx.expiration))] : []),
        ...(memo === undefined ? [] : [row('memo', memo)]),
      ]),
      ...section('transfers', transfers),
      ...section('calls', fieldRows(contract, call)),
    ],
  }
}

type TronCall = { readonly to: string; readonly data: string }

/** The call of a contract with data, as Ethereum has them. */
function calledIn({ type, contract_address: contract, data }: Struct): TronCall | undefined {
  if (type !== 'TriggerSmartContract' || typeof data !== 'string' || data === '') return undefined
  return { to: bytesOf(String(contract)), data }
}

/** The 20 bytes behind the version of an address, as `0x` and hex. */
function bytesOf(given: string): string {
  return `0x${bytesToHex(base58.decode(given).subarray(1, 21))}`
}

/** A memo that is no text is not read. */
function memoWarnings(memo: Value | undefined): readonly Note[] {
  return memo?.kind === 'hex' ? [unreadNote(memo.bytes)] : []
}

/** Whether another program may read the memo as an order. */
function isOrder({ data }: Struct): boolean {
  return typeof data === 'string' && mayBeOrder(readableText(hexToBytes(data)) ?? '')
}

/** The latest time that a `Temporal.Instant` has. */
const latestMs = 8_640_000_000_000_000n

function timeOf(timeMs: bigint): Value {
  return timeMs < 0n || timeMs > latestMs ? decodedValue(timeMs) : time(Number(timeMs))
}

/** No title is silent about an amount that the transaction sends. */
function titleOf(contract: Struct, { call, called }: Read): Title {
  const { type, amount, to_address: to } = contract
  if (type === 'TransferContract' && typeof amount === 'bigint') {
    return { code: 'send', values: [amountOf(amount, trx), address(String(to))] }
  }
  if (type === 'AccountPermissionUpdateContract') return permissionTitle(contract)
  if (type === 'TriggerSmartContract') return callTitleOf(contract, { call, called })
  const staked = contract.frozen_balance ?? contract.unfreeze_balance ?? contract.balance
  if (typeof staked !== 'bigint') return { code: 'signTron', values: [code(String(type))] }
  const values = [code(String(type)), amountOf(staked, trx)]
  const { receiver_address: receiver } = contract
  return receiver === undefined
    ? { code: 'signTronWithAmount', values }
    : { code: 'signTronWithAmountFor', values: [...values, address(String(receiver))] }
}

type Read = { readonly call: CallReading | undefined; readonly called: TronCall | undefined }

/** By how many amounts a call sends along: TRX, and a token. */
const callTitles: readonly TitleCode[] = ['call', 'callWithAmount', 'callWithAmounts']
const titlesWithoutData: readonly TitleCode[] = ['callContract', 'callContractWithAmount', 'callContractWithAmounts']

function callTitleOf(contract: Struct, { call, called }: Read): Title {
  const sent = sentWithCall(contract)
  if (call?.token !== undefined && sent.length === 0) return call.token.title
  const shown = address(String(contract.contract_address))
  return called === undefined
    ? { code: titlesWithoutData[sent.length] ?? '', values: [shown, ...sent] }
    : { code: callTitles[sent.length] ?? '', values: [functionIn(call, called.data), shown, ...sent] }
}

function calledWithoutData({ type, contract_address: contract }: Struct): Note | undefined {
  return type === 'TriggerSmartContract'
    ? noteOf('callsInside', code('unknownFunction'), address(String(contract)))
    : undefined
}

/** The TRX and the tokens (TRC-10) that a call sends along. A token is named by a number, and its decimals are not known. */
function sentWithCall({ call_value: value, call_token_value: tokens, token_id: tokenId }: Struct): readonly Value[] {
  return [
    ...(typeof value === 'bigint' && value > 0n ? [amountOf(value, trx)] : []),
    ...(typeof tokens === 'bigint' && tokens > 0n ? [tokenAmount(tokens, `TRC-10 ${tokenId ?? ''}`.trimEnd())] : []),
  ]
}

/** The sun that a transfer or a call sends to others, and those that stay in the wallet. */
function fundsOf(contract: Struct, wallet: Pick<TransactionContent, 'signer' | 'now'>): Funds {
  const { type, amount, call_value: value, to_address: to, owner_address: owner } = contract
  const sent = type === 'TransferContract' ? amount : value
  if (typeof sent !== 'bigint') return { sent: 0n }
  if (to === owner) return { sent: 0n, returned: sent }
  return typeof to === 'string' && isOfWallet(to, wallet) ? { sent: 0n, returned: sent } : { sent }
}

type Sent = { readonly owner: Value; readonly token: TokenCall | undefined }

function transferRows(contract: Struct, { owner, token }: Sent): readonly Row[] {
  const { type, amount, to_address: to, contract_address: called } = contract
  if (type === 'TransferContract' && typeof amount === 'bigint') {
    return [row('transfer', tree({ from: owner, to: address(String(to)), amount: amountOf(amount, trx) }))]
  }
  const own = sentWithCall(contract).map((sent) =>
    row('transfer', tree({ from: owner, to: address(String(called)), amount: sent })),
  )
  const ofToken = token?.isTransfer === true ? [row('transfer', token.shown)] : []
  return [...own, ...ofToken]
}

/** Every field of the contract, by the names of the protocol, and what its data means. */
function fieldRows({ data = '', ...contract }: Struct, call: CallReading | undefined): readonly Row[] {
  const fields = Object.entries(contract).flatMap(([name, value]) =>
    value === undefined ? [] : [row(name, fieldValue(name, value))],
  )
  return [
    ...(call?.token === undefined ? [] : [row('asToken', call.token.shown)]),
    row('call', { kind: 'tree', rows: fields }),
    ...(data === '' ? [] : [row('data', hex(String(data)))]),
    ...rowsOf(call?.parts ?? {}),
  ]
}

function fieldValue(name: string, value: Seen): Value {
  if ((name === 'type' || name === 'resource') && typeof value === 'string') return code(value)
  if (typeof value === 'bigint' && amounts.has(name)) return amountOf(value, trx)
  if (typeof value === 'bigint' && name === 'lock_period') return blocksValue(value)
  if (typeof value === 'string' && addresses.has(name)) return address(value)
  return partsValue(name, value) ?? decodedValue(value)
}

/** A permission has keys, which have addresses. */
function partsValue(name: string, value: Seen): Value | undefined {
  if (isList(value)) return list(listed(value, (item) => fieldValue(name, item)))
  if (!isStruct(value)) return undefined
  const rows = Object.entries(value).flatMap(([part, inner]) =>
    inner === undefined ? [] : [namedRow(part, fieldValue(part, inner))],
  )
  return { kind: 'tree', rows }
}

function bytesValue(digits: string): Value {
  return printableText(hexToBytes(digits)) ?? hex(digits)
}
