import { isList, isMap, type Value as Seen } from '../../../../policy/language/values.ts'
import type { TypedData } from '../../../../protocol/chains/eip712.ts'
import type { Note, Value } from '../../explanation.ts'
import { code, ethereumAddress, none, noteOf } from '../../values.ts'
import { allowanceNote } from '../allowances.ts'
import { tokenAmount, weiAmount } from '../coins.ts'

type Members = ReadonlyMap<string, Seen>
type Signed = { readonly message: Members; readonly domain: Members }
type Permit = (signed: Signed) => readonly Note[]

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
  [/^SafeTx\(address to,uint256 value,bytes data,uint8 operation,/, safeNotes],
]

/** What a document lets others do, if its type is known. */
export function permitNotes({ primaryType, types }: TypedData, signed: Signed): readonly Note[] {
  const members = (types.get(primaryType) ?? []).map(({ name, typeText }) => `${typeText} ${name}`)
  const type = `${primaryType}(${members.join(',')})`
  return permits.find(([one]) => one.test(type))?.[1](signed) ?? []
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
  const lets = noteOf('letsSpend', amountIn(amount, token), addressIn(message, 'spender'))
  return great === undefined ? [lets] : [lets, great]
}

/**
 * A Safe sends the value of its transaction, and runs the code of another contract as its own with operation 1. With a
 * price of gas, it pays for the execution.
 */
function safeNotes({ message, domain }: Signed): readonly Note[] {
  const [value, operation, chainId] = [message.get('value'), message.get('operation'), domain.get('chainId')]
  const to = addressIn(message, 'to')
  const chain = typeof chainId === 'bigint' ? chainId : undefined
  const { price, gas, receiver, paidIn } = refundOf(message)
  return [
    ...(operation === 0n ? [] : [noteOf('delegateCall', to)]),
    ...(typeof value === 'bigint' && value > 0n ? [noteOf('goesTo', weiAmount(value, chain), to)] : []),
    ...(price === 0n
      ? []
      : [
          noteOf(
            'refundsFee',
            receiver === zeroAddress ? code('whoeverExecutes') : addressIn(message, 'refundReceiver'),
            paidIn === zeroAddress ? weiAmount(gas * price, chain) : amountIn(gas * price, paidIn),
          ),
        ]),
  ]
}

const zeroAddress = `0x${'00'.repeat(20)}`

/** What a Safe pays: the gas that the execution takes, which nobody knows before, and this gas, each at the price. */
function refundOf(message: Members) {
  const [price, gas] = [message.get('gasPrice'), message.get('baseGas') ?? message.get('dataGas')]
  return {
    price: typeof price === 'bigint' ? price : 0n,
    gas: typeof gas === 'bigint' ? gas : 0n,
    receiver: String(message.get('refundReceiver')),
    paidIn: String(message.get('gasToken')),
  }
}

function tokenOf(domain: Members): string {
  return String(domain.get('verifyingContract') ?? '')
}

/** A document may declare a token as a text, which must not stand in a title as an address does. */
const isAddress = /^0x[0-9a-f]{40}$/i

function amountIn(amount: Seen | undefined, token: string): Value {
  if (typeof amount !== 'bigint') return none
  const shown = isAddress.test(token) ? ethereumAddress(token) : none
  return shown.kind === 'address' ? tokenAmount(amount, shown.address) : { kind: 'amount', smallest: String(amount) }
}

function addressIn(message: Members, name: string): Value {
  const given = message.get(name)
  return typeof given === 'string' ? ethereumAddress(given) : none
}
