import { bytesToHex } from '@noble/hashes/utils.js'
import type { Struct } from '../../../policy/language/values.ts'
import { authorityOf } from '../../../policy/transactions/ethereum/authority.ts'
import { type EthereumTransaction, parseEthereumTransaction } from '../../../policy/transactions/ethereum/ethereum.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import type { Row, Section, Value } from '../explanation.ts'
import {
  code,
  ethereumAddress,
  hex,
  list,
  listed,
  none,
  note,
  number,
  row,
  rowsOf,
  section,
  text,
  tree,
} from '../values.ts'
import { warned } from '../warnings.ts'
import { ethereumChain, weiAmount, weiFees } from './coins.ts'
import { decodedValue } from './decoded_values.ts'
import { feeWarnings } from './fee_warnings.ts'
import type { Content, TransactionContent } from './signing_content.ts'
import { type TokenCall, tokenCallOf } from './token_calls.ts'

/** EIP-4844: the gas of one blob. */
const gasPerBlob = 131_072n

/** Explains a transaction of Ethereum or of a chain of its kind, from what conditions see of it. */
export function* ethereumContent({ tx, facts, bytes, interfaces, from }: TransactionContent): Steps<Content> {
  const chainId = typeof tx.chain_id === 'bigint' ? tx.chain_id : undefined
  const value = typeof tx.value === 'bigint' ? tx.value : 0n
  const to = String(tx.to)
  const data = String(tx.data).slice(2)
  const transaction = parseEthereumTransaction(bytes)
  const token =
    to === ''
      ? undefined
      : tokenCallOf({ facts, contract: to, data, chain: chainOf(chainId), addressOf: ethereumAddress })
  const amount = weiAmount(value, chainId)
  const calls = callRows({ tx, to, data, token, interfaces })
  const fee = maxFeeOf(transaction, tx)
  return {
    title: warned(titleOf({ to, data, amount, value, token, tx }), [
      ...feeWarnings({ fee, sent: value, bounds: weiFees(chainId), shown: weiAmount(fee, chainId) }),
    ]),
    sections: [
      ...section('transaction', [
        row('chain', chainId === undefined ? note('everyChain') : ethereumChain(chainId)),
        row('transactionType', code(String(tx.type))),
        row('from', from(String(tx.from))),
        row('to', to === '' ? code('newContract') : ethereumAddress(to)),
        row('amount', amount),
        ...feeRows(transaction, tx, chainId),
        row('nonce', decodedValue(tx.nonce)),
        ...extraRows(transaction),
      ]),
      ...section('transfers', transferRows({ from: from(String(tx.from)), to, amount, value, token })),
      ...section('calls', calls),
      ...(yield* authorizationSection(transaction, from)),
    ],
  }
}

/** A transaction without a chain is valid on each, and so its transfers are read on any. */
function chainOf(chainId: bigint | undefined) {
  return { namespace: 'eip155', reference: String(chainId ?? 1n) } as const
}

type Sent = {
  readonly to: string
  readonly amount: Value
  readonly value: bigint
  readonly token: TokenCall | undefined
}

/** No title is silent about an amount that the transaction sends. */
function titleOf(sent: Sent & { readonly data: string; readonly tx: Struct }) {
  const { to, data, amount, value, tx } = sent
  if (to === '')
    return value === 0n
      ? { code: 'createContract', values: [] }
      : { code: 'createContractWithAmount', values: [amount] }
  const inner = callTitleOf(sent)
  if (tx.type !== 'TYPE_4') return inner
  if (data === '' && value === 0n) return { code: 'changeCode', values: [] }
  return { code: titlesWithCode[inner.code], values: inner.values }
}

type CallTitle = 'approveSpender' | 'send' | 'call' | 'callWithAmount'

const titlesWithCode: Readonly<Record<CallTitle, string>> = {
  approveSpender: 'changeCodeAndApproveSpender',
  send: 'changeCodeAndSend',
  call: 'changeCodeAndCall',
  callWithAmount: 'changeCodeAndCallWithAmount',
}

function callTitleOf({ to, data, amount, value, token, tx }: Sent & { readonly data: string; readonly tx: Struct }): {
  readonly code: CallTitle
  readonly values: readonly Value[]
} {
  if (token !== undefined && value === 0n) {
    return { code: token.code === 'approve' ? 'approveSpender' : 'send', values: [token.amount, token.to] }
  }
  if (data === '') return { code: 'send', values: [amount, ethereumAddress(to)] }
  const called = typeof tx.function_name === 'string' ? text(tx.function_name) : hex(data.slice(0, 8))
  return {
    code: value === 0n ? 'call' : 'callWithAmount',
    values: [called, ethereumAddress(to), ...(value === 0n ? [] : [amount])],
  }
}

function transferRows({ from, to, amount, value, token }: Sent & { readonly from: Value }): readonly Row[] {
  const own = value === 0n ? [] : [tree({ from, to: to === '' ? code('newContract') : ethereumAddress(to), amount })]
  const ofToken = token === undefined || token.code === 'approve' ? [] : [token.shown]
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
  if (!('accessList' in transaction) || transaction.accessList.length === 0) return []
  return [
    row(
      'accessList',
      list(listed(transaction.accessList, (entry) => ethereumAddress(`0x${bytesToHex(entry.address)}`))),
    ),
  ]
}

type Called = Pick<TransactionContent, 'tx' | 'interfaces'> & {
  readonly to: string
  readonly data: string
  readonly token: TokenCall | undefined
}

function callRows({ tx, to, data, token, interfaces }: Called): readonly Row[] {
  if (data === '') return []
  const size = row('data', hex(data))
  if (to === '') return [row('call', tree({ contract: code('newContract') })), size]
  const selector = data.slice(0, 8)
  const byAbi = typeof tx.function_name === 'string'
  const call = tree({
    contract: ethereumAddress(to),
    function: byAbi ? text(String(tx.function_name)) : undefined,
    selector: hex(selector),
    arguments: byAbi
      ? tx.contract_call_args === undefined
        ? note('argumentsUnreadable')
        : decodedValue(tx.contract_call_args)
      : undefined,
    decodedBy: byAbi ? list(interfaces) : undefined,
    unknown: byAbi || token !== undefined ? undefined : note('unknownCall', `0x${selector}`),
  })
  return [row('call', call), ...(token === undefined ? [] : [row('asToken', token.shown)]), size]
}

/** Recovering a key takes as long as verifying a signature, so each authorization is a step. */
function* authorizationSection(
  transaction: EthereumTransaction,
  from: TransactionContent['from'],
): Steps<readonly Section[]> {
  if (transaction.type !== 'TYPE_4') return []
  const shown: Value[] = []
  for (const given of transaction.authorizationList.slice(0, authorizationsMax)) {
    yield
    const authority = authorityOf(given)
    shown.push(
      tree({
        authority: authority === undefined ? note('unreadable') : from(authority),
        codeAt: ethereumAddress(given.address),
        chain: given.chainId === 0n ? note('everyChain') : ethereumChain(given.chainId),
        nonce: number(given.nonce),
      }),
    )
  }
  const leftOut = transaction.authorizationList.length - shown.length
  return section('authorizations', [
    ...shown.map((each) => row('authorization', each)),
    ...(leftOut === 0 ? [] : [row('authorizationsLeftOut', { kind: 'leftOut', count: leftOut })]),
  ])
}

/** The authorizations whose accounts are recovered. */
const authorizationsMax = 100

/** Explains an authorization of EIP-7702 that is signed on its own, from what conditions see of it. */
export function authorizationContent(authorization: Struct, authority?: Value): Content {
  const { address: codeAt, chain_id: chainId, nonce } = authorization
  const chain = typeof chainId === 'bigint' && chainId !== 0n ? ethereumChain(chainId) : note('everyChain')
  const codeAddress = typeof codeAt === 'string' ? ethereumAddress(codeAt) : none
  return {
    title: { code: 'authorize', values: [codeAddress] },
    sections: section('authorizations', [
      row('authorization', {
        kind: 'tree',
        rows: rowsOf({ authority, codeAt: codeAddress, chain, nonce: decodedValue(nonce) }),
      }),
    ]),
  }
}
