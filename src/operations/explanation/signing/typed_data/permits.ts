import { isList, isMap, type Value as Seen } from '../../../../policy/language/values.ts'
import type { TypedData } from '../../../../protocol/chains/eip712.ts'
import type { Note, Value } from '../../explanation.ts'
import { code, ethereumAddress, none, noteOf } from '../../values.ts'
import { allowanceNote, allowedAmount } from '../allowances.ts'
import { amountOfToken as amountIn, weiAmount } from '../coins.ts'
import { refundNotes } from '../ethereum/safe_transactions.ts'

type Members = ReadonlyMap<string, Seen>
type Signed = { readonly message: Members; readonly domain: Members }
type Permit = (signed: Signed) => readonly Note[]

const safeType = /^SafeTx\(address to,uint256 value,bytes data,uint8 operation,/

/**
 * Documents that let somebody spend tokens or send them, as calls do, by their type. A contract takes no other type for
 * these, because it is part of what is hashed.
 */
const permits: readonly (readonly [type: RegExp, read: Permit])[] = [
  // EIP-2612.
  [
    /^Permit\(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline\)$/,
    ({ message, domain }) => allowance(message, { amount: message.get('value'), token: tokenOf(domain), bits: 256 }),
  ],
  // Dai.
  [
    /^Permit\(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed\)$/,
    ({ message }) =>
      message.get('allowed') === true ? [noteOf('letsSpend', code('everything'), addressIn(message, 'spender'))] : [],
  ],
  // EIP-4494, for single tokens.
  [
    /^Permit\(address spender,uint256 tokenId,uint256 nonce,uint256 deadline\)$/,
    ({ message, domain }) => [
      noteOf('letsSpend', amountIn(message.get('tokenId'), tokenOf(domain)), addressIn(message, 'spender')),
    ],
  ],
  // Permit2: allowances.
  [
    /^Permit(Single\(PermitDetails|Batch\(PermitDetails\[\]) details,address spender,uint256 sigDeadline\)$/,
    ({ message }) => allowances(message, { of: message.get('details'), bits: 160 }),
  ],
  // Permit2: a transfer by the spender, with or without a witness.
  [
    /^Permit(Batch)?(Witness)?TransferFrom\(TokenPermissions(\[\])? permitted,address spender,uint256 nonce,uint256 deadline[,)]/,
    ({ message }) => allowances(message, { of: message.get('permitted'), bits: 256 }),
  ],
  // EIP-3009.
  [
    /^(Transfer|Receive)WithAuthorization\(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce\)$/,
    ({ message, domain }) => [
      noteOf('goesTo', amountIn(message.get('value'), tokenOf(domain)), addressIn(message, 'to')),
    ],
  ],
  [safeType, safeNotes],
]

/** What a document lets others do, if its type is known. */
export function permitNotes({ primaryType, types }: TypedData, signed: Signed): readonly Note[] {
  const type = typeOf(primaryType, types)
  return permits.find(([one]) => one.test(type))?.[1](signed) ?? []
}

function typeOf(primaryType: string, types: TypedData['types']): string {
  const members = (types.get(primaryType) ?? []).map(({ name, typeText }) => `${typeText} ${name}`)
  return `${primaryType}(${members.join(',')})`
}

/** Each detail names its token and its amount. */
function allowances(message: Members, { of, bits }: { readonly of: Seen | undefined; readonly bits: number }) {
  const details = of !== undefined && isList(of) ? of : [of]
  return details.flatMap((one) =>
    one !== undefined && isMap(one)
      ? allowance(message, { amount: one.get('amount'), token: String(one.get('token')), bits })
      : [],
  )
}

type Allowed = { readonly amount: Seen | undefined; readonly token: string; readonly bits: number }

function allowance(message: Members, { amount, token, bits }: Allowed): readonly Note[] {
  if (typeof amount !== 'bigint' || amount === 0n) return []
  const great = allowanceNote(amount, bits)
  const lets = noteOf('letsSpend', allowedAmount(amountIn(amount, token), great), addressIn(message, 'spender'))
  return great === undefined ? [lets] : [lets, great]
}

/**
 * A Safe sends the value of its transaction, and runs the code of another contract as its own with operation 1. With a
 * price of gas, it pays for the execution.
 */
function safeNotes({ message, domain }: Signed): readonly Note[] {
  const [value, operation] = [message.get('value'), message.get('operation')]
  const to = addressIn(message, 'to')
  const chainId = chainIn(domain)
  return [
    ...(operation === 0n ? [] : [noteOf('delegateCall', to)]),
    ...(typeof value === 'bigint' && value > 0n ? [noteOf('goesTo', weiAmount(value, chainId), to)] : []),
    ...refundNotes(message, chainId),
  ]
}

export function chainIn(domain: Members): bigint | undefined {
  const chainId = domain.get('chainId')
  return typeof chainId === 'bigint' ? chainId : undefined
}

/** Documents that hold a call: their type, and the members that name the called contract and the data. */
const callDocuments: readonly (readonly [type: RegExp, to: string, data: string])[] = [
  [safeType, 'to', 'data'],
  // ERC-4337: the entry point calls the account, also where the account is a Safe.
  [/^PackedUserOperation\(address sender,uint256 nonce,bytes initCode,bytes callData,/, 'sender', 'callData'],
  [/^SafeOp\(address safe,uint256 nonce,bytes initCode,bytes callData,/, 'safe', 'callData'],
]

/** The call that a document orders. Undefined if it is of no such type, or if its call has no data. */
export function heldCallIn({ primaryType, types }: TypedData, message: Members) {
  const type = typeOf(primaryType, types)
  const [, toName = '', dataName = ''] = callDocuments.find(([one]) => one.test(type)) ?? []
  const [to, data] = [message.get(toName), message.get(dataName)]
  if (typeof to !== 'string' || typeof data !== 'string' || data === '0x') return undefined
  return { to: to.toLowerCase(), data: data.slice(2).toLowerCase() }
}

function tokenOf(domain: Members): string {
  return String(domain.get('verifyingContract') ?? '')
}

function addressIn(message: Members, name: string): Value {
  const given = message.get(name)
  return typeof given === 'string' ? ethereumAddress(given) : none
}
