import { bytesToHex } from '@noble/hashes/utils.js'
import type { Struct } from '../../../../policy/language/expression_values.ts'
import { authorityOf } from '../../../../policy/transactions/ethereum/authority.ts'
import type { AccessListEntry } from '../../../../policy/transactions/ethereum/ethereum_fields.ts'
import {
  type EthereumTransaction,
  parseEthereumTransaction,
} from '../../../../policy/transactions/ethereum/ethereum_transaction.ts'
import { zeroAddress } from '../../../../protocol/chains/ethereum_values.ts'
import type { Steps } from '../../../../protocol/tools/steps.ts'
import type { Content, TransactionContent } from '../../content.ts'
import type { Note, Row, Section, Title, Value } from '../../explanation.ts'
import {
  code,
  ethereumAddress,
  hex,
  list,
  listed,
  none,
  note,
  noteOf,
  number,
  row,
  rowsOf,
  section,
  tree,
} from '../../shown_values.ts'
import type { TitleCode } from '../../texts/title_texts.ts'
import { warned } from '../../warnings.ts'
import { unreadNote } from '../shared/call_arguments.ts'
import { ethereumForms } from '../shared/chain_forms.ts'
import { ethereumChain, weiAmount, weiFees } from '../shared/coins.ts'
import { decodedValue } from '../shared/decoded_values.ts'
import { feeWarnings } from '../shared/fee_warnings.ts'
import { isSame, itselfNote } from '../shared/own_accounts.ts'
import { isOfWallet } from '../shared/signer_value.ts'
import { type CallReading, callRows, callWarnings, functionIn } from './call_reading.ts'
import { readContractCall } from './contract_calls.ts'
import type { TokenCall } from './token_calls.ts'

/** EIP-4844: the gas of one blob. */
const gasPerBlob = 131_072n

/** Explains a transaction of Ethereum or of a chain of its kind, from what conditions see of it. */
export function* ethereumContent({ tx, bytes, signer, from, now }: TransactionContent): Steps<Content> {
  const chainId = typeof tx.chain_id === 'bigint' ? tx.chain_id : undefined
  const value = typeof tx.value === 'bigint' ? tx.value : 0n
  const to = String(tx.to)
  const data = String(tx.data).slice(2)
  const own = from(String(tx.from))
  const transaction = yield* parseEthereumTransaction(bytes)
  const call =
    to === '' || data === ''
      ? undefined
      : yield* readContractCall(
          { to, data },
          { forms: ethereumForms(chainId), now, signer: own, caller: String(tx.from) },
        )
  const token = call?.token
  const amount = weiAmount(value, chainId)
  const fee = maxFeeOf(transaction, tx)
  const isReturned = value > 0n && to !== '' && (isSame(own, ethereumAddress(to)) || isOfWallet(to, { signer, now }))
  const authorizations = yield* authorizationsIn(transaction, { from, own })
  const title = titleOf({ to, data, amount, value, token, call, tx })
  return {
    title: warned(title, [
      ...(token?.effect === undefined || saysEffect(title, token) ? [] : [token.effect]),
      ...feeWarnings({
        fee,
        ...(isReturned ? { sent: 0n, returned: value } : { sent: value }),
        bounds: weiFees(chainId),
        shown: weiAmount(fee, chainId),
      }),
      ...(chainId === undefined || isForEveryChain(transaction) ? [note('everyChain')] : []),
      ...authorizations.warnings,
      ...(call === undefined ? [] : callWarnings(call, data)),
      ...(to === '' ? codeWarnings(data, { value, amount }) : []),
    ]),
    called: call?.called,
    sections: [
      ...section('transaction', [
        row('chain', chainId === undefined ? note('everyChain') : ethereumChain(chainId)),
        row('transactionType', code(String(tx.type))),
        row('from', own),
        row('to', to === '' ? code('newContract') : ethereumAddress(to)),
        row('amount', amount),
        ...feeRows(transaction, tx, chainId),
        row('nonce', decodedValue(tx.nonce)),
        ...extraRows(transaction),
      ]),
      ...section('transfers', transferRows({ from: own, to, amount, value, token })),
      ...section('calls', call === undefined ? codeRows(data) : callRows(call, data)),
      ...authorizations.sections,
    ],
  }
}

/** The code of a new contract is not read. Without code, nobody can ever move what it gets. */
function codeWarnings(data: string, { value, amount }: Pick<Sent, 'value' | 'amount'>): readonly Note[] {
  if (data !== '') return [unreadNote(data.length / 2)]
  return value === 0n ? [] : [noteOf('destroysTokens', amount, code('newContract'))]
}

function codeRows(data: string): readonly Row[] {
  return data === '' ? [] : [row('call', tree({ contract: code('newContract') })), row('data', hex(data))]
}

/** Whether the transaction carries an authorization that holds on every chain. */
function isForEveryChain(transaction: EthereumTransaction): boolean {
  return transaction.type === 'TYPE_4' && transaction.authorizationList.some(({ chainId }) => chainId === 0n)
}

type Sent = {
  readonly to: string
  readonly amount: Value
  readonly value: bigint
  readonly token: TokenCall | undefined
}

/** No title is silent about an amount that the transaction sends. */
function titleOf(sent: CallSent) {
  const { to, data, amount, value, tx, call } = sent
  if (to === '')
    return value === 0n
      ? { code: 'createContract', values: [] }
      : { code: 'createContractWithAmount', values: [amount] }
  const inner = callTitleOf(sent)
  if (tx.type !== 'TYPE_4') return inner
  if (data === '' && value === 0n) return { code: 'changeCode', values: [] }
  const withCode = titlesWithCode[inner.code]
  return withCode === undefined
    ? { code: 'changeCodeAndCall', values: [functionIn(call, data), ethereumAddress(to)] }
    : { code: withCode, values: inner.values }
}

type CallTitle = TokenCall['title']['code'] | 'call' | 'callWithAmount'

/** Other titles are those of the call by its name. */
const titlesWithCode: Readonly<Partial<Record<CallTitle, TitleCode>>> = {
  approveSpender: 'changeCodeAndApproveSpender',
  send: 'changeCodeAndSend',
  call: 'changeCodeAndCall',
  callWithAmount: 'changeCodeAndCallWithAmount',
}

/** Whether a title is that of the call of a token, and says what it does. */
function saysEffect({ code }: Title, { title }: TokenCall): boolean {
  return code === title.code || code === titlesWithCode[title.code]
}

type CallSent = Sent & { readonly data: string; readonly call: CallReading | undefined; readonly tx: Struct }

function callTitleOf(sent: CallSent): { readonly code: CallTitle; readonly values: readonly Value[] } {
  const { to, data, amount, value, token, call } = sent
  if (token !== undefined && value === 0n) return token.title
  if (data === '') return { code: 'send', values: [amount, ethereumAddress(to)] }
  const called = [functionIn(call, data), ethereumAddress(to)]
  return value === 0n ? { code: 'call', values: called } : { code: 'callWithAmount', values: [...called, amount] }
}

function transferRows({ from, to, amount, value, token }: Sent & { readonly from: Value }): readonly Row[] {
  const own = value === 0n ? [] : [tree({ from, to: to === '' ? code('newContract') : ethereumAddress(to), amount })]
  const ofToken = token?.isTransfer === true ? [token.shown] : []
  return [...own, ...ofToken].map((shown) => row('transfer', shown))
}

/** The most wei that a transaction pays for its gas and its blobs. */
function maxFeeOf(transaction: EthereumTransaction, { gas, gas_price: price, ...tx }: Struct): bigint {
  const blobPrice = typeof tx.max_fee_per_blob_gas === 'bigint' ? tx.max_fee_per_blob_gas : 0n
  const ofBlobs = blobsIn(transaction) * gasPerBlob * blobPrice
  return typeof gas === 'bigint' && typeof price === 'bigint' ? gas * price + ofBlobs : ofBlobs
}

function blobsIn(transaction: EthereumTransaction): bigint {
  return transaction.type === 'TYPE_3' ? BigInt(transaction.blobVersionedHashes.length) : 0n
}

function feeRows(transaction: EthereumTransaction, tx: Struct, chainId: bigint | undefined): readonly Row[] {
  const { gas, gas_price: price } = tx
  if (typeof gas !== 'bigint' || typeof price !== 'bigint') return [row('maxFee', note('notInContent'))]
  const blobs = blobsIn(transaction)
  const blobPrice = typeof tx.max_fee_per_blob_gas === 'bigint' ? tx.max_fee_per_blob_gas : 0n
  const priority = tx.max_priority_fee_per_gas
  return [
    row('maxFee', weiAmount(maxFeeOf(transaction, tx), chainId)),
    row('gasLimit', number(gas)),
    row('maxFeePerGas', weiAmount(price, chainId)),
    ...(typeof priority === 'bigint' ? [row('maxPriorityFeePerGas', weiAmount(priority, chainId))] : []),
    ...(blobs === 0n ? [] : [row('blobs', number(blobs)), row('maxFeePerBlobGas', weiAmount(blobPrice, chainId))]),
  ]
}

function extraRows(transaction: EthereumTransaction): readonly Row[] {
  const accessed = 'accessList' in transaction ? transaction.accessList : []
  const blobs = transaction.type === 'TYPE_3' ? transaction.blobVersionedHashes : []
  return [
    ...(accessed.length === 0 ? [] : [row('accessList', list(listed(accessed, accessValue)))]),
    ...(blobs.length === 0 ? [] : [row('blobHashes', list(listed(blobs, hex)))]),
  ]
}

/** Lists of what a call touches change the fee and nothing else. */
function accessValue({ address, storageKeys }: AccessListEntry): Value {
  const shown = ethereumAddress(`0x${bytesToHex(address)}`)
  return storageKeys.length === 0
    ? shown
    : tree({ address: shown, storageKeys: list(listed(storageKeys, (key) => hex(bytesToHex(key)))) })
}

type Authorizations = { readonly sections: readonly Section[]; readonly warnings: readonly Note[] }

/** Recovering a key takes as long as verifying a signature, so each authorization is a step. */
function* authorizationsIn(
  transaction: EthereumTransaction,
  { from, own }: Pick<TransactionContent, 'from'> & { readonly own: Value },
): Steps<Authorizations> {
  if (transaction.type !== 'TYPE_4') return { sections: [], warnings: [] }
  const rows: Row[] = []
  const warnings: Note[] = []
  for (const given of transaction.authorizationList.slice(0, authorizationsMax)) {
    yield
    const account = authorityOf(given)
    const authority = account === undefined ? note('unreadable') : from(account)
    const codeAt = ethereumAddress(given.address)
    const chain = given.chainId === 0n ? note('everyChain') : ethereumChain(given.chainId)
    rows.push(row('authorization', tree({ authority, codeAt, chain, nonce: number(given.nonce) })))
    // EIP-7702: an authorization for address zero ends the code of the account.
    if (account !== undefined && given.address !== zeroAddress)
      warnings.push(itselfNote(noteOf('changesControl', authority, codeAt), [own]))
  }
  const leftOut = transaction.authorizationList.length - rows.length
  if (leftOut > 0) {
    rows.push(row('authorizationsLeftOut', { kind: 'leftOut', count: leftOut }))
    warnings.push(noteOf('beyondLimit', number(authorizationsMax)))
  }
  return { sections: section('authorizations', rows), warnings }
}

/** The authorizations whose accounts are recovered. */
const authorizationsMax = 100

/** Explains an authorization of EIP-7702 that is signed on its own, from what conditions see of it. */
export function authorizationContent(authorization: Struct, authority?: Value): Content {
  const { address: codeAt, chain_id: chainId, nonce } = authorization
  const chain = typeof chainId === 'bigint' && chainId !== 0n ? ethereumChain(chainId) : note('everyChain')
  const codeAddress = typeof codeAt === 'string' ? ethereumAddress(codeAt) : none
  const title =
    codeAt === zeroAddress ? { code: 'authorizeNone', values: [] } : { code: 'authorize', values: [codeAddress] }
  return {
    title: warned(title, chain.kind === 'note' ? [chain] : []),
    sections: section('authorizations', [
      row('authorization', {
        kind: 'tree',
        rows: rowsOf({ authority, codeAt: codeAddress, chain, nonce: decodedValue(nonce) }),
      }),
    ]),
  }
}
