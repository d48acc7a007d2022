import { hexToBytes } from '@noble/hashes/utils.js'
import { readAbiArguments } from '../../../../policy/contracts/ethereum/abi_values.ts'
import type { Note, Value } from '../../explanation.ts'
import { ethereumAddress, note, noteOf } from '../../shown_values.ts'
import { delegateNotes } from '../ethereum/delegate_calls.ts'
import { hashedSelector, signatureOf } from '../ethereum/function_signatures.ts'
import { refundNotes } from '../ethereum/safe_transactions.ts'
import { spendNotes } from '../shared/allowances.ts'
import { ethereumForms } from '../shared/chain_forms.ts'
import { amountOfToken, isEthereumAddress, weiAmount } from '../shared/coins.ts'
import type { Funds } from '../shared/fee_warnings.ts'
import {
  addressIn,
  chainIn,
  type DocumentForm,
  type Members,
  numberIn,
  type OrderedCall,
  type Signed,
} from './document_forms.ts'

/** Documents that order a call or a payment, as transactions do. */
export const orderedCalls: readonly DocumentForm[] = [
  {
    type: /^SafeTx\(address to,uint256 value,bytes data,uint8 operation,/,
    whole:
      /^[^)]*operation,uint256 safeTxGas,uint256 (base|data)Gas,uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce\)$/,
    notes: safeNotes,
    call: safeCall,
    by: ({ domain }) => addressIn(domain, 'verifyingContract'),
    isOfContract: true,
  },
  // ERC-4337: the entry point calls the account, also where the account is a Safe.
  {
    type: /^PackedUserOperation\(address sender,uint256 nonce,bytes initCode,bytes callData,/,
    whole:
      /^[^)]*callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData\)$/,
    call: ({ message }) => operationCall(message.get('sender'), message.get('callData')),
    fee: packedFee,
    payer: ({ message }) => addressIn(message, 'sender'),
    noHashes: ['accountGasLimits', 'gasFees'],
  },
  {
    type: /^(UserOperation\(address sender|SafeOp\(address safe),uint256 nonce,bytes initCode,bytes callData,/,
    whole:
      /^[^)]*callData(,uint(128|256) (verificationGasLimit|callGasLimit|preVerificationGas|maxPriorityFeePerGas|maxFeePerGas)){5},bytes paymasterAndData(,uint48 validAfter,uint48 validUntil,address entryPoint)?\)$/,
    call: ({ message }) => operationCall(message.get('safe') ?? message.get('sender'), message.get('callData')),
    fee: unpackedFee,
    payer: ({ message }) => addressIn(message, message.has('safe') ? 'safe' : 'sender'),
  },
  // ERC-2771: a forwarder calls for the signer.
  {
    type: /^ForwardRequest\(address from,address to,uint256 value,uint256 gas,uint256 nonce,(uint48 deadline,)?bytes data(,uint256 validUntil(Time)?)?\)$/,
    notes: ({ message, domain }) => paymentNotes(numberIn(message, 'value'), addressIn(message, 'to'), chainIn(domain)),
    call: ({ message }) => orderedCall(message.get('to'), message.get('data'), numberIn(message, 'value')),
    by: ({ message }) => addressIn(message, 'from'),
  },
  // Tokens of Polygon: the contract calls itself for the signer.
  {
    type: /^MetaTransaction\(uint256 nonce,address from,bytes functionSignature\)$/,
    call: ({ message, domain }) => orderedCall(domain.get('verifyingContract'), message.get('functionSignature'), 0n),
    by: ({ message }) => addressIn(message, 'from'),
  },
  // ZKsync: the transaction itself, whose addresses are numbers.
  {
    type: /^Transaction\(uint256 txType,uint256 from,uint256 to,uint256 gasLimit,uint256 gasPerPubdataByteLimit,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,uint256 paymaster,uint256 nonce,uint256 value,bytes data,bytes32\[\] factoryDeps,bytes paymasterInput\)$/,
    notes: zksyncNotes,
    call: ({ message }) =>
      orderedCall(hexAddress(numberIn(message, 'to')), message.get('data'), numberIn(message, 'value')),
    by: ({ message }) => numberAddress(message, 'from'),
    fee: (message) => numberIn(message, 'gasLimit') * numberIn(message, 'maxFeePerGas'),
    payer: ({ message }) => numberAddress(message, 'from'),
    funds: zksyncFunds,
    transaction: ({ message, domain }) => ({
      from: numberAddress(message, 'from'),
      to: numberAddress(message, 'to'),
      amount: weiAmount(numberIn(message, 'value'), chainIn(domain)),
    }),
  },
]

/**
 * Undefined if the call only pays, or has a text in place of an address. Then its bytes count as unread. One that neither
 * pays nor has data runs code of a contract all the same (`receive` or `fallback`).
 */
function orderedCall(to: unknown, data: unknown, value: bigint): OrderedCall | undefined {
  if (typeof to !== 'string' || typeof data !== 'string' || (data === '0x' && value > 0n)) return undefined
  if (!isEthereumAddress(to)) return undefined
  return { to: to.toLowerCase(), data: data.slice(2).toLowerCase() }
}

/** The entry point makes no call without data. */
function operationCall(account: unknown, data: unknown): OrderedCall | undefined {
  return data === '0x' ? undefined : orderedCall(account, data, 0n)
}

function paymentNotes(value: bigint, to: Value, chainId: bigint | undefined): readonly Note[] {
  return value > 0n ? [noteOf('goesTo', weiAmount(value, chainId), to)] : []
}

function safeCall({ message }: Signed): OrderedCall | undefined {
  if (!isOperation(message)) return undefined
  const call = orderedCall(message.get('to'), message.get('data'), numberIn(message, 'value'))
  return call && { ...call, isDelegate: message.get('operation') !== 0n }
}

/**
 * A Safe sends the value of its transaction, and runs the code of another contract as its own with operation 1. With a
 * price of gas, it pays for the execution.
 */
function safeNotes(signed: Signed): readonly Note[] {
  const { message, domain } = signed
  const [to, chainId] = [addressIn(message, 'to'), chainIn(domain)]
  // A delegate call ignores the value.
  const isDelegate = message.get('operation') === 1n
  return [
    ...(isOperation(message) ? [] : [note('unreadable')]),
    ...(isDelegate
      ? delegateNotes(safeCall(signed) ?? noCall, to)
      : paymentNotes(numberIn(message, 'value'), to, chainId)),
    ...refundNotes(message, ethereumForms(chainId)),
  ]
}

const noCall = { to: '', data: '' }

/** No Safe executes any other one. */
function isOperation(message: Members): boolean {
  return message.get('operation') === 0n || message.get('operation') === 1n
}

const limits = ['verificationGasLimit', 'callGasLimit', 'preVerificationGas']

function unpackedFee(message: Members): bigint {
  const gas = limits.reduce((sum, name) => sum + numberIn(message, name), 0n)
  return (gas + paymasterGas(message)) * numberIn(message, 'maxFeePerGas')
}

/** Two numbers of 128 bits each stand in 32 bytes. */
function packedFee(message: Members): bigint {
  const [verification, execution] = halvesOf(digitsOf(message, 'accountGasLimits'))
  const [, price] = halvesOf(digitsOf(message, 'gasFees'))
  return (verification + execution + numberIn(message, 'preVerificationGas') + paymasterGas(message)) * price
}

function halvesOf(digits: string): readonly [bigint, bigint] {
  return digits.length === 64 ? [BigInt(`0x${digits.slice(0, 32)}`), BigInt(`0x${digits.slice(32)}`)] : [0n, 0n]
}

/** Since version 0.7, two limits of 16 bytes each follow the address of the paymaster. */
function paymasterGas(message: Members): bigint {
  const [verification, afterwards] = halvesOf(digitsOf(message, 'paymasterAndData').slice(40, 104))
  return verification + afterwards
}

/** The digits of bytes, without `0x`. */
function digitsOf(message: Members, name: string): string {
  return String(message.get(name) ?? '').slice(2)
}

function zksyncFunds(message: Members): Funds {
  const value = numberIn(message, 'value')
  return message.get('to') === message.get('from') ? { sent: 0n, returned: value } : { sent: value }
}

function zksyncNotes({ message, domain }: Signed): readonly Note[] {
  return [
    note('isTransaction', 'ZKsync'),
    ...paymentNotes(numberIn(message, 'value'), numberAddress(message, 'to'), chainIn(domain)),
    ...paymasterNotes(message),
  ]
}

const approvalBased = signatureOf('approvalBased(address token, uint256 minAllowance, bytes innerInput)')
const approvalSelector = `0x${hashedSelector(approvalBased)}`

/** An account of ZKsync lets the paymaster spend a token if the input says so. */
function paymasterNotes(message: Members): readonly Note[] {
  const input = String(message.get('paymasterInput') ?? '')
  if (!input.startsWith(approvalSelector)) return []
  const reading = readAbiArguments(hexToBytes(input.slice(approvalSelector.length)), approvalBased.parameters)
  const paymaster = numberAddress(message, 'paymaster')
  if (reading.kind !== 'read') return [noteOf('letsSpend', note('unreadable'), paymaster)]
  const amount = reading.args.get('minAllowance')
  const shown = amountOfToken(amount, String(reading.args.get('token')))
  return spendNotes({ amount, bits: 256, shown, spender: paymaster })
}

function numberAddress(message: Members, name: string): Value {
  const shown = hexAddress(numberIn(message, name))
  return shown === undefined ? note('unreadable') : ethereumAddress(shown)
}

function hexAddress(given: bigint): string | undefined {
  return given >= 0n && given < 2n ** 160n ? `0x${given.toString(16).padStart(40, '0')}` : undefined
}
