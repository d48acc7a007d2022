import { isList, isMap, type Value as Seen } from '../../../../policy/language/expression_values.ts'
import type { Note, Value } from '../../explanation.ts'
import { code, none, noteOf, number } from '../../shown_values.ts'
import { spendNotes } from '../shared/allowances.ts'
import { amountOfToken, ethereumToken } from '../shared/coins.ts'
import { addressIn, type DocumentForm, type Members, type Signed, tokenOf } from './document_forms.ts'

const permitDetails = String.raw`PermitDetails\(address token,uint160 amount,uint48 expiration,uint48 nonce\)$`
const tokenPermissions = String.raw`TokenPermissions\(address token,uint256 amount\)`

/** Documents that let somebody spend tokens or send them, as calls do. */
export const permits: readonly DocumentForm[] = [
  // EIP-2612.
  {
    type: /^Permit\(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline\)$/,
    notes: ({ message, domain }) =>
      allowance(message, { amount: message.get('value'), token: tokenOf(domain), bits: 256 }),
    by: ({ message }) => addressIn(message, 'owner'),
  },
  // Dai.
  {
    type: /^Permit\(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed\)$/,
    notes: ({ message }) =>
      message.get('allowed') === true ? [noteOf('letsSpend', code('everything'), addressIn(message, 'spender'))] : [],
    by: ({ message }) => addressIn(message, 'holder'),
  },
  // EIP-4494, for single tokens.
  {
    type: /^Permit\(address spender,uint256 tokenId,uint256 nonce,uint256 deadline\)$/,
    notes: ({ message, domain }) => [
      noteOf('letsSpend', singleToken(message.get('tokenId'), domain), addressIn(message, 'spender')),
    ],
  },
  // Permit2: allowances.
  {
    type: new RegExp(
      String.raw`^Permit(Single\(PermitDetails|Batch\(PermitDetails\[\]) details,address spender,uint256 sigDeadline\)${permitDetails}`,
    ),
    notes: ({ message }) => allowances(message, { of: message.get('details'), bits: 160 }),
  },
  // Permit2: a transfer by the spender, with or without a witness.
  {
    type: new RegExp(
      String.raw`^Permit(Batch)?(Witness)?TransferFrom\(TokenPermissions(\[\])? permitted,address spender,uint256 nonce,uint256 deadline[,)](.*\))?${tokenPermissions}`,
    ),
    // The spender does what a witness says, as to whom the tokens go.
    whole: /^[^)]*,uint256 deadline\)/,
    notes: ({ message }) => allowances(message, { of: message.get('permitted'), bits: 256 }),
  },
  // EIP-3009.
  {
    type: /^(Transfer|Receive)WithAuthorization\(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce\)$/,
    notes: ({ message, domain }) => [
      noteOf('goesTo', amountOfToken(message.get('value'), tokenOf(domain)), addressIn(message, 'to')),
    ],
    by: ({ message }) => addressIn(message, 'from'),
    noHashes: ['nonce'],
  },
  {
    type: /^CancelAuthorization\(address authorizer,bytes32 nonce\)$/,
    by: ({ message }) => addressIn(message, 'authorizer'),
    noHashes: ['nonce'],
  },
  // Aave: a loan on the account of the signer.
  {
    type: /^DelegationWithSig\((address delegator,)?address delegatee,uint256 value,uint256 nonce,uint256 deadline\)$/,
    notes: ({ message, domain }) =>
      allowance(message, { amount: message.get('value'), token: tokenOf(domain), bits: 256, to: 'delegatee' }),
    by: ({ message }) => addressIn(message, 'delegator'),
  },
  // Uniswap v4, Morpho and Compound.
  everythingOf(/^PermitForAll\(address operator,bool approved,uint256 nonce,uint256 deadline\)$/, [
    'operator',
    'approved',
  ]),
  everythingOf(
    /^Authorization\(address authorizer,address authorized,bool isAuthorized,uint256 nonce,uint256 deadline\)$/,
    ['authorized', 'isAuthorized'],
  ),
  everythingOf(/^Authorization\(address owner,address manager,bool isAllowed,uint256 nonce,uint256 expiry\)$/, [
    'manager',
    'isAllowed',
  ]),
]

function everythingOf(type: RegExp, [who, isGiven]: readonly [string, string]): DocumentForm {
  return {
    type,
    notes: ({ message, domain }: Signed) =>
      message.get(isGiven) === true
        ? [noteOf('letsMoveAll', addressIn(message, who), ethereumToken(tokenOf(domain)))]
        : [],
    by: ({ message }) => addressIn(message, message.has('owner') ? 'owner' : 'authorizer'),
  }
}

function singleToken(id: Seen | undefined, domain: Members): Value {
  return typeof id === 'bigint' ? noteOf('singleTokens', number(1), number(id), ethereumToken(tokenOf(domain))) : none
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

type Allowed = {
  readonly amount: Seen | undefined
  readonly token: string
  readonly bits: number
  readonly to?: string
}

function allowance(message: Members, { amount, token, bits, to = 'spender' }: Allowed): readonly Note[] {
  if (typeof amount !== 'bigint' || amount === 0n) return []
  return spendNotes({ amount, bits, shown: amountOfToken(amount, token), spender: addressIn(message, to) })
}
