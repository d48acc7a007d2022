import { canonicalSolanaKey } from '../../../../protocol/chains/canonical_address.ts'
import { both, isNone, textsAmong, type Values } from '../possible_values.ts'
import type { Known } from './facts.ts'

/** More parts of one text, and more texts that one may be, are not compared. */
const [partsMax, textsMax] = [16, 32]

/**
 * A text or a part of it, as far as it is known. `texts`: those which it may be, if these are few. The whole text has its
 * end where each of them ends.
 */
type Stretch = {
  readonly from: number
  readonly to: number | undefined
  readonly texts: readonly string[] | undefined
  readonly values: Values
  readonly exists: boolean
}

/** Whether the parts of each text may be what is said of them: they overlap, or one is beyond the end of the whole. */
export function areTextsPossible(known: Iterable<Known>): boolean {
  const ofWholes = Map.groupBy(known, ({ term }) => term.part?.whole.name ?? term.name)
  return [...ofWholes.values()].every((all) => {
    if (all.length === 1 || all.length > partsMax) return true
    const stretches = all.map(stretchOf)
    return stretches.every((one) => stretches.every((other) => one === other || mayMeet(one, other)))
  })
}

function stretchOf({ term: { part }, values, exists }: Known): Stretch {
  const { from, to } = part ?? { from: 0, to: undefined }
  const all = 'among' in values && values.among.size <= textsMax ? [...values.among] : undefined
  // A key stands for its other spelling too.
  const texts = all?.some(isKey) ? undefined : all?.filter(({ length }) => to === undefined || length === to - from)
  const [start = '', ...others] = part?.whole.form?.starts ?? []
  // Each text of the field begins so.
  if (texts !== undefined && others.length === 0 && from > 0 && from === start.length)
    return { from: 0, to, texts: texts.map((text) => `${start}${text}`), values, exists }
  return { from, to, texts, values, exists }
}

/** Whether a text is a key, which has two spellings of other lengths. */
export function isKey(text: string): boolean {
  return /^(0x)?[0-9a-f]{64}$/i.test(text) || canonicalSolanaKey(text) !== undefined
}

function mayMeet(one: Stretch, other: Stretch): boolean {
  return !one.exists || one.texts === undefined || one.texts.some((text) => fits(other, one, text))
}

/** Whether a stretch may be what it has to be if another one is this text. */
function fits({ from, to, texts, values, exists }: Stretch, around: Stretch, text: string): boolean {
  const end = around.from + text.length
  if (to !== undefined && to > end && around.to === undefined) return !exists
  if (to !== undefined && from >= around.from && to <= end) {
    const part = text.slice(from - around.from, to - around.from)
    return texts?.some((one) => isAlike(one, part)) ?? mayBeOther(part, text, values)
  }
  if (texts === undefined || !exists) return true
  return texts.some((other) => {
    if (to === undefined && other.length < end) return false
    const [first, last] = [Math.max(from, around.from), Math.min(from + other.length, end)]
    if (first >= last) return true
    return isAlike(text.slice(first - around.from, last - around.from), other.slice(first - from, last - from))
  })
}

/** Whether a part of a text is none of those that are excluded. Digits of hex may be of another case in the request. */
function mayBeOther(part: string, text: string, values: Values): boolean {
  const isAsWritten = !text.startsWith('0x') || part.startsWith('0x') || part.toLowerCase() === part.toUpperCase()
  return 'among' in values || !isAsWritten || !isNone(both(values, textsAmong([part])))
}

/** The case of digits may be another one where `0x` stands before them. */
function isAlike(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
