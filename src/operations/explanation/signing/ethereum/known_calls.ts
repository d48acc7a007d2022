import { hexToBytes } from '@noble/hashes/utils.js'
import { readAbiArguments } from '../../../../policy/contracts/ethereum/abi_values.ts'
import type { Reading } from '../../../../policy/contracts/reading.ts'
import type { Value as Seen } from '../../../../policy/language/values.ts'
import type { Note, Value } from '../../explanation.ts'
import { code, none, note, noteOf, number } from '../../values.ts'
import { allowanceNote } from '../allowances.ts'
import { tokenAmount } from '../coins.ts'
import { type KnownFunction, knownFunctionIn } from './known_functions.ts'

/** A call of a function that is known without an interface. */
export type KnownCall = {
  readonly known: KnownFunction
  readonly reading: Reading
  /** Who gets control, may spend or gets something. */
  readonly effects: readonly Note[]
}

type Called = {
  readonly contract: string
  /** In hex, without `0x`. */
  readonly data: string
  /** Shows an address of the chain, from 20 bytes as `0x` and hex, or as transactions name it. */
  readonly addressOf: (given: string) => Value
}

export function knownCallOf({ contract, data, addressOf }: Called): KnownCall | undefined {
  const known = knownFunctionIn(data)
  if (known === undefined) return undefined
  const reading = readAbiArguments(hexToBytes(data.slice(8)), known.parameters)
  return { known, reading, effects: effectsOf(known, { contract, reading, addressOf }) }
}

type Read = Pick<Called, 'contract' | 'addressOf'> & { readonly reading: Reading }

/** A contract may read arguments in another encoding than ours. Then nobody here can tell who gets it. */
function effectsOf({ name, parameters, gift }: KnownFunction, { contract, reading, addressOf }: Read): readonly Note[] {
  const argument = (parameter: string | undefined): Seen | undefined =>
    reading.kind === 'read' && parameter !== undefined ? reading.args.get(parameter) : undefined
  const shown = (parameter: string) => {
    const given = argument(parameter)
    return typeof given === 'string' ? addressOf(given) : note('unreadable')
  }
  const amountOf = (parameter: string | undefined, token?: string) => {
    if (parameter === undefined && reading.kind === 'read') return code('everything')
    const amount = argument(parameter)
    const of = token === undefined ? addressOf(contract) : shown(token)
    return typeof amount === 'bigint' && of.kind === 'address' ? tokenAmount(amount, of.address) : note('unreadable')
  }
  const singleTokens = (id: bigint, amount: Seen | undefined) =>
    noteOf('singleTokens', number(typeof amount === 'bigint' ? amount : 1n), number(id), addressOf(contract))
  switch (gift?.gives) {
    case undefined:
      return []
    case 'control': {
      const of = gift.of === undefined ? addressOf(contract) : shown(gift.of)
      return [noteOf('changesControl', of, gift.to === undefined ? none : shown(gift.to))]
    }
    case 'otherControl':
      return [noteOf('changesWhoControls', addressOf(contract), code(name))]
    case 'consent':
      return [note('onlyHash')]
    case 'tokens': {
      const id = argument('tokenId') ?? argument('id')
      const amount = argument(gift.amount)
      if (amount === 0n) return []
      if (typeof id === 'bigint') return [noteOf('goesTo', singleTokens(id, amount), shown(gift.to))]
      const isBatch = gift.amount === undefined && reading.kind === 'read'
      return [noteOf('goesTo', isBatch ? code('listedTokens') : amountOf(gift.amount, gift.token), shown(gift.to))]
    }
    case 'spending': {
      const amount = argument(gift.amount)
      if (amount === 0n || argument('allowed') === false) return []
      const type = parameters.find((parameter) => parameter.name === gift.amount)?.type
      const bits = type?.kind === 'integer' ? type.bits : 256
      const great = typeof amount === 'bigint' ? allowanceNote(amount, bits) : undefined
      const lets = noteOf('letsSpend', amountOf(gift.amount, gift.token), shown(gift.to))
      return great === undefined ? [lets] : [lets, great]
    }
    case 'allTokens':
      return [noteOf('letsMoveAll', shown(gift.to), addressOf(contract))]
    case 'newTokens':
      return [noteOf('makesTokens', amountOf(gift.amount), shown(gift.to))]
  }
}
