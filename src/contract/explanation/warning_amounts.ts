import type { NoteCode } from './codes/note_codes.ts'
import type { Note, Value } from './explanation.ts'
import { feeBoundsOf } from './fee_bounds.ts'

/** How much a warning is about, as far as that decides where it stands. */

/** Notes that begin with an amount. */
const withBound: ReadonlySet<NoteCode> = new Set<NoteCode>(['letsSpend', 'goesTo', 'makesDebt', 'paysDebt'])

/**
 * An allowance without a bound, one that cannot be read, and a gift or a debt of which only the chain says how much it is
 * come before one as good as unbounded, and all of these before amounts. Tokens come before coins: more than a little of a
 * coin stands beside the worst warning anyway (`greatestGifts`), and nobody here knows what a token is worth. Fees come
 * last: accounts pay them that agreed to them before.
 */
export function boundOf({ code, values: [given] = [] }: Note): number {
  if (!withBound.has(code) || given === undefined) return 0
  if (given.kind === 'code' && given.code === 'feesOfOperations') return 4
  if (given.kind === 'amount' && feeBoundsOf(given) !== undefined) return 3
  if (given.kind === 'amount' || isCode(given, 'amountOrNumber') || isCode(given, 'listedTokens')) return 2
  if (countIn(given) !== undefined) return 2
  return isCode(given, 'nearlyUnlimitedTokens') ? 1 : 0
}

export function isCode(value: Value, code: NoteCode): boolean {
  return value.kind === 'note' && value.code === code
}

type Measure = { readonly smallest: bigint; readonly unit: unknown }

/** How much gas hardly any execution goes below. */
const gasOfExecution = 100_000n

export function measureOf({ code, values = [] }: Note): Measure | undefined {
  const [first, other] = values.flatMap(amountsIn)
  if (first === undefined) return tokensIn(values)
  const { smallest, unit, smallestUnit, token } = first
  const isOfGas = code === 'refundsFee' && other !== undefined
  const all = isOfGas ? BigInt(smallest) * gasOfExecution + BigInt(other.smallest) : BigInt(smallest)
  return { smallest: all, unit: [unit, smallestUnit, token] }
}

function amountsIn(value: Value): readonly Extract<Value, { readonly kind: 'amount' }>[] {
  if (value.kind === 'amount') return [value]
  return value.kind === 'note' && value.code === 'amountOrNumber' ? (value.values ?? []).flatMap(amountsIn) : []
}

/** Tokens with a number are counted by contract and number, what a vault gives by the vault. */
function tokensIn(values: readonly Value[]): Measure | undefined {
  return values.flatMap((value) => countIn(value) ?? [])[0]
}

const counts: ReadonlySet<NoteCode> = new Set(['singleTokens', 'vaultAssets', 'vaultSharesFor', 'vaultAssetsFor'])

/** Undefined for what is no count, as everything of a token. */
function countIn(tokens: Value): Measure | undefined {
  if (tokens.kind !== 'note' || !counts.has(tokens.code)) return undefined
  const [count, ...unit] = tokens.values ?? []
  return count?.kind === 'number' ? { smallest: BigInt(count.number), unit: [tokens.code, unit] } : undefined
}

/** A coin that somebody gets, by an address or by a script that is none. */
const gifts: ReadonlySet<NoteCode> = new Set<NoteCode>(['goesTo', 'goesToScript'])

/**
 * The greatest gift of each coin, if it is more than a small fee. `toInner`: the note that says what is the matter. Who
 * asks chooses what stands before it, as one unit of a token that is worth nothing.
 */
export function greatestGifts(warnings: readonly Note[], toInner: (warning: Note) => Note): ReadonlySet<Note> {
  const greatest = new Map<string, { readonly warning: Note; readonly smallest: bigint }>()
  for (const warning of warnings) {
    const { code, values: [given] = [] } = toInner(warning)
    if (!gifts.has(code) || given?.kind !== 'amount') continue
    const smallest = BigInt(given.smallest)
    const small = feeBoundsOf(given)?.small
    const coin = JSON.stringify([code, given.smallestUnit, given.unit])
    const least = greatest.get(coin)?.smallest ?? small
    if (least !== undefined && smallest > least) greatest.set(coin, { warning, smallest })
  }
  return new Set([...greatest.values()].map(({ warning }) => warning))
}
