import { hexToBytes } from '@noble/hashes/utils.js'
import { readAbiArguments } from '../../../../policy/contracts/ethereum/abi_values.ts'
import type { Reading } from '../../../../policy/contracts/reading.ts'
import { isList, type Value as Seen } from '../../../../policy/language/expression_values.ts'
import { zeroAddress } from '../../../../protocol/chains/ethereum_values.ts'
import type { Note, Value } from '../../explanation.ts'
import { code, none, note, noteOf, number, text } from '../../shown_values.ts'
import { spendNotes } from '../shared/allowances.ts'
import { orTokenNumber, tokenAmount } from '../shared/coins.ts'
import { isSame } from '../shared/own_accounts.ts'
import type { Called } from './called.ts'
import type { Effect } from './function_effects.ts'
import { type KnownFunction, knownFunctionIn } from './known_functions.ts'
import { type TokenCall, tokenCallOf, unreadableEffect } from './token_calls.ts'

/** A call of a function that is known without an interface. */
export type KnownCall = {
  readonly known: KnownFunction
  readonly reading: Reading
  /** Present for a function of tokens whose arguments are read. */
  readonly token: TokenCall | undefined
  /** The effects of any other function: who gets control, may spend or gets something. */
  readonly effects: readonly Note[]
}

export function knownCallOf(called: Called): KnownCall | undefined {
  const known = knownFunctionIn(called.data)
  if (known === undefined) return undefined
  const reading = readAbiArguments(hexToBytes(called.data.slice(8)), known.parameters)
  const isRead = reading.kind === 'read'
  const unreadable = isRead ? undefined : unreadableEffect(called)
  return {
    known,
    reading,
    token: isRead ? tokenCallOf(called, reading.args) : undefined,
    effects: unreadable ? [unreadable] : effectNotes(known, { ...called, reading }),
  }
}

/** The arguments that name whose tokens they are, if they are not the caller's. */
const givers = ['from', 'owner', 'holder']

/** The caller, if nobody else gives what the call gives. */
export function giverIn(
  { known, reading }: KnownCall,
  caller: Value | undefined,
  addressOf: Called['addressOf'],
): Value | undefined {
  const isGift = known.effect?.does !== 'giveControl'
  const named = reading.kind === 'read' && isGift ? givers.flatMap((name) => reading.args.get(name) ?? []) : []
  return named.every((one) => isSame(addressOf(String(one)), caller)) ? caller : undefined
}

/** Stands for all that there is, in pools that name the token. */
const greatest = (1n << 256n) - 1n

function isEmpty(given: Seen | undefined): boolean {
  return given !== undefined && isList(given) && given.length === 0
}

/** Which tokens, by the names of parameters. */
type Tokens = { readonly amount?: string; readonly id?: string; readonly token?: string }

type Read = Pick<Called, 'contract' | 'addressOf'> & { readonly reading: Reading }

/** A contract may read arguments in another encoding than ours. Then nobody here can tell who gets it. */
function effectNotes(
  { name, parameters, effect }: KnownFunction,
  { contract, reading, addressOf }: Read,
): readonly Note[] {
  const argument = (parameter: string | undefined): Seen | undefined =>
    reading.kind === 'read' && parameter !== undefined ? reading.args.get(parameter) : undefined
  const shown = (parameter: string) => {
    const given = argument(parameter)
    return typeof given === 'string' ? addressOf(given) : note('unreadable')
  }
  const amountOf = (parameter: string, token?: string) => {
    const amount = argument(parameter)
    const of = token === undefined ? addressOf(contract) : shown(token)
    if (typeof amount !== 'bigint' || of.kind !== 'address') return note('unreadable')
    return token !== undefined && amount === greatest ? noteOf('allTokens', of) : tokenAmount(amount, of.address)
  }
  const ofContract = (which: 'listedTokens' | 'unlimitedTokens') =>
    reading.kind === 'read' ? noteOf(which, addressOf(contract)) : note('unreadable')
  const tokensOf = ({ amount, id, token }: Tokens) => {
    if (id === undefined) return amount === undefined ? ofContract('listedTokens') : amountOf(amount, token)
    const [tokenId, count = 1n] = [argument(id), argument(amount)]
    if (typeof tokenId !== 'bigint' || typeof count !== 'bigint') return note('unreadable')
    return noteOf('singleTokens', number(count), number(tokenId), addressOf(contract))
  }
  const ofVault = (given: Extract<Effect, { readonly does: 'giveOfVault' }>) => {
    const [which, parameter] =
      'assets' in given
        ? (['vaultAssets', given.assets] as const)
        : 'sharesFor' in given
          ? (['vaultSharesFor', given.sharesFor] as const)
          : (['vaultAssetsFor', given.assetsFor] as const)
    const amount = argument(parameter)
    if (typeof amount !== 'bigint') return note('unreadable')
    return amount === 0n ? undefined : noteOf(which, number(amount), addressOf(contract))
  }
  const ownerNotes = ({ needs, loses }: { readonly needs?: string; readonly loses?: string }) => {
    const needed = argument(needs)
    const facts = [
      ...(needs === undefined
        ? []
        : [noteOf('ownersNeeded', text(name), typeof needed === 'bigint' ? number(needed) : note('unreadable'))]),
      ...(loses === undefined ? [] : [noteOf('losesOwner', text(name), shown(loses))]),
    ]
    return facts.map((fact) => noteOf('changesWhoControls', addressOf(contract), fact))
  }
  switch (effect?.does) {
    case undefined:
      return []
    case 'giveControl': {
      const of = effect.of === undefined ? addressOf(contract) : shown(effect.of)
      if (effect.endsByZero && argument(effect.to) === zeroAddress)
        return [noteOf('changesWhoControls', of, text(name))]
      return [noteOf('changesControl', of, effect.to === undefined ? none : shown(effect.to)), ...ownerNotes(effect)]
    }
    case 'changeControl': {
      const owners = ownerNotes(effect)
      return owners.length === 0 ? [noteOf('changesWhoControls', addressOf(contract), text(name))] : owners
    }
    case 'consent':
      return [note('onlyHash')]
    case 'consentTo': {
      const id = argument(effect.id)
      return [noteOf('agreesTo', typeof id === 'bigint' ? number(id) : note('unreadable'), addressOf(contract))]
    }
    case 'makeDebt':
    case 'payDebt': {
      if (argument(effect.amount) === 0n) return []
      const code = effect.does === 'makeDebt' ? 'makesDebt' : 'paysDebt'
      return [noteOf(code, amountOf(effect.amount, effect.token), shown(effect.to))]
    }
    case 'giveTokens':
      if (argument(effect.amount) === 0n || (effect.list !== undefined && isEmpty(argument(effect.list)))) return []
      return [noteOf('goesTo', tokensOf(effect), shown(effect.to))]
    case 'giveOfVault': {
      const given = ofVault(effect)
      return given === undefined ? [] : [noteOf('goesTo', given, shown(effect.to))]
    }
    case 'letSpend': {
      const amount = argument(effect.amount)
      if (amount === 0n || argument(effect.allowed) === false) return []
      const type = parameters.find((parameter) => parameter.name === effect.amount)?.type
      const bits = type?.kind === 'integer' ? type.bits : 256
      const spent =
        effect.amount === undefined
          ? ofContract('unlimitedTokens')
          : effect.id === undefined
            ? amountOf(effect.amount, effect.token)
            : tokensOf(effect)
      return spendNotes({ amount, bits, shown: spent, spender: shown(effect.to) })
    }
    case 'letMoveAll':
      if (argument(effect.allowed) === false) return []
      return [noteOf('letsMoveAll', shown(effect.to), addressOf(contract))]
    case 'payFees':
      if (isEmpty(argument(effect.list))) return []
      return [noteOf('goesTo', code('feesOfOperations'), shown(effect.to))]
    case 'makeTokens':
      return [noteOf('makesTokens', amountOf(effect.amount), shown(effect.to))]
    case 'destroyTokens': {
      // Where the number may name a token, 0 is one as every other.
      if (effect.isTokenId !== true && argument(effect.amount) === 0n) return []
      const of = effect.of === undefined ? code('accountOfCaller') : shown(effect.of)
      const tokens = tokensOf(effect)
      return [noteOf('destroysTokens', effect.isTokenId ? orTokenNumber(tokens) : tokens, of)]
    }
  }
}
