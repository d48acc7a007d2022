import { argsOf } from '../../../policy/contracts/reading.ts'
import type { Note, Value } from '../explanation.ts'
import { hex, note, noteOf, text } from '../values.ts'
import { amountOf, tokenAmount, trx } from './coins.ts'
import type { Called } from './ethereum/called.ts'
import { type ContractCall, callsMax, depthMax } from './ethereum/held_calls.ts'
import { giverIn, type KnownCall, knownCallOf } from './ethereum/known_calls.ts'
import { refundNotes } from './ethereum/safe_transactions.ts'
import { ownNote } from './own_accounts.ts'

type Place = {
  readonly addressOf: Called['addressOf']
  readonly signer: Value | undefined
  /** The account that makes the call. */
  readonly caller: Value
  /** Whether the called code acts as the caller. */
  readonly isDelegate: boolean
  readonly depth: number
  readonly count: { calls: number }
}

/** What the calls do that a known function of a contract of Tron holds. How much of them is not read is said beside it. */
export function tronHeldNotes(
  contract: string,
  known: KnownCall,
  { addressOf, signer, caller }: Pick<Place, 'addressOf' | 'signer' | 'caller'>,
): readonly Note[] {
  return heldNotes(contract, known, { addressOf, signer, caller, isDelegate: false, depth: 1, count: { calls: 0 } })
}

function heldNotes(contract: string, { known, reading }: KnownCall, place: Place): readonly Note[] {
  const args = argsOf(reading)
  if (known.calls === undefined || args === undefined) return []
  const calls = known.calls(args, contract)
  if (calls === undefined) return [note('unreadable')]
  const { addressOf, caller, isDelegate } = place
  const account = isDelegate ? caller : addressOf(contract)
  const shown = { addressOf, coin: (sun: bigint) => amountOf(sun, trx), token: tokenOfTron(addressOf) }
  return [
    ...calls.flatMap((call) => notesOfCall(call, { ...place, caller: call.isOwnCode ? caller : account })),
    ...(known.name === 'execTransaction' ? refundNotes(args, shown) : []),
  ]
}

const tokenOfTron = (addressOf: Called['addressOf']) => (amount: bigint, token: string) => {
  const of = addressOf(token)
  return of.kind === 'address' ? tokenAmount(amount, of.address) : note('unreadable')
}

function notesOfCall({ to, data, value, isOwnCode, isDelegate }: ContractCall, place: Place): readonly Note[] {
  if (data === '' && value === 0n && !isDelegate) return []
  const { addressOf, signer, caller, count, depth } = place
  if (depth >= depthMax || count.calls >= callsMax) return [note('tooMuch')]
  count.calls += 1
  const known = knownCallOf({ contract: to, data, addressOf })
  const token = known?.token
  const inner = { ...place, isDelegate: isOwnCode ? place.isDelegate : isDelegate, depth: depth + 1 }
  const held = known === undefined ? [] : heldNotes(to, known, inner)
  const effects = [token?.effect ?? [], known?.effects ?? []].flat()
  const own = { signer, giver: known && giverIn(known, caller, addressOf) }
  const isKnown = data === '' || token !== undefined || effects.length + held.length > 0
  const name = known === undefined ? hex(data.slice(0, 8)) : text(known.known.name)
  const paid = noteOf('goesTo', amountOf(value, trx), addressOf(to))
  return [
    ...(isDelegate ? [noteOf('delegateCall', addressOf(to))] : []),
    ...(value === 0n ? [] : [ownNote(paid, { signer, giver: caller })]),
    ...effects.map((effect) => ownNote(effect, own)),
    ...(token?.unlimited === undefined ? [] : [token.unlimited]),
    ...held,
    ...(isKnown ? [] : [noteOf('callsInside', name, addressOf(to))]),
  ]
}
