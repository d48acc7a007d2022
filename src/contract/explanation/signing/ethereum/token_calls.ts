import type { Value as Seen } from '../../../../policy/language/expression_values.ts'
import type { Note, Value } from '../../explanation.ts'
import { code, flag, none, note, noteOf, tree } from '../../shown_values.ts'
import { allowanceNote, allowedAmount } from '../shared/allowances.ts'
import { orTokenNumber, tokenAmount } from '../shared/coins.ts'
import type { Called } from './called.ts'
import { type TokenFunction, tokenFunctions } from './token_functions.ts'

/** A call of a token's contract, read from the selector alone. */
export type TokenCall = {
  readonly title: {
    readonly code: 'send' | 'approveSpender' | 'raiseAllowance' | 'approveOperator' | 'revokeOperator'
    readonly values: readonly Value[]
  }
  readonly isTransfer: boolean
  readonly shown: Value
  /** Says that an allowance has no bound, or as good as none. */
  readonly unlimited: Note | undefined
  /** The content of the title, as a warning beside another title. Undefined if nobody gets anything. */
  readonly effect: Note | undefined
}

/** Returns a call of a token with these arguments, by their roles. Undefined if the selector is none of a token's. */
export function tokenCallOf(
  { contract, data, addressOf }: Called,
  args: ReadonlyMap<string, Seen>,
): TokenCall | undefined {
  const called = tokenFunctionIn(data)
  if (called === undefined) return undefined
  const token = addressOf(contract)
  const tokenAddress = token.kind === 'address' ? token.address : contract
  const shownValue = (given: Seen | undefined): Value | undefined => {
    if (typeof given === 'string') return addressOf(given)
    if (typeof given === 'bigint') return tokenAmount(given, tokenAddress)
    return typeof given === 'boolean' ? flag(given) : undefined
  }
  const given = Object.fromEntries([...args].map(([role, value]) => [role, shownValue(value)]))
  const amount = args.get('amount')
  const isAllowance = givesAllowance.has(called.name) && typeof amount === 'bigint'
  const unlimited = isAllowance ? allowanceNote(amount, 256) : undefined
  const allowed = given.amount && allowedAmount(given.amount, unlimited)
  const said = { ...given, token, ...(allowed && { amount: called.isTokenId ? orTokenNumber(allowed) : allowed }) }
  return {
    title: titleOf(called, said),
    isTransfer: called.name === 'transfer' || called.name === 'transferFrom',
    shown: tree({
      function: code(called.name),
      token,
      ...given,
      unlimited,
      readAs: called.isTokenId ? note('amountOrTokenId') : undefined,
    }),
    unlimited,
    effect: amount === 0n ? effectOfZero(called, said) : effectOf(called, said),
  }
}

/**
 * The effect of a token's call whose arguments are in another encoding. Contracts of older compilers take it all the
 * same, as an address with other bits above it.
 */
export function unreadableEffect({ contract, data, addressOf }: Called): Note | undefined {
  const [called, unknown] = [tokenFunctionIn(data), code('unreadableAddress')]
  const given = { to: unknown, spender: unknown, operator: unknown, amount: code('unreadableAmount') }
  return called && effectOf(called, { ...given, token: addressOf(contract), approved: flag(true) })
}

const givesAllowance: ReadonlySet<string> = new Set(['approve', 'increaseAllowance'])

/** The function of a token with the selector of this data. Its arguments may be unreadable. */
function tokenFunctionIn(data: string): TokenFunction | undefined {
  return tokenFunctions.get(data.slice(0, 8))
}

type ShownArguments = Readonly<Record<string, Value | undefined>>

function titleOf({ name }: TokenFunction, given: ShownArguments): TokenCall['title'] {
  const { to = none, spender = none, operator = none, amount = none, token = none, approved } = given
  switch (name) {
    case 'transfer':
    case 'transferFrom':
      return { code: 'send', values: [amount, to] }
    case 'approve':
      return { code: 'approveSpender', values: [amount, spender] }
    case 'increaseAllowance':
      return { code: 'raiseAllowance', values: [amount, spender] }
    case 'setApprovalForAll': {
      return { code: isGiven(approved) ? 'approveOperator' : 'revokeOperator', values: [operator, token] }
    }
  }
}

function effectOf({ name }: TokenFunction, given: ShownArguments): Note | undefined {
  const { to = none, spender = none, operator = none, amount = none, token = none, approved } = given
  switch (name) {
    case 'transfer':
    case 'transferFrom':
      return noteOf('goesTo', amount, to)
    case 'approve':
    case 'increaseAllowance':
      return noteOf('letsSpend', amount, spender)
    case 'setApprovalForAll':
      return isGiven(approved) ? noteOf('letsMoveAll', operator, token) : undefined
  }
}

/** Where the number may name a token, 0 is a token as every other number. */
function effectOfZero(called: TokenFunction, given: ShownArguments): Note | undefined {
  const { spender = none, token = none } = given
  if (called.name === 'approve') return noteOf('endsOrLetsTake', spender, token)
  return called.isTokenId ? effectOf(called, given) : undefined
}

function isGiven(approved: Value | undefined): boolean {
  return approved?.kind === 'code' && approved.code === 'yes'
}
