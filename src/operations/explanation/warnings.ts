import type { Note, NoteCode, Title } from './explanation.ts'

/** The notes that may stand in a title, the worst first. */
const worstFirst: readonly NoteCode[] = [
  'highFee',
  'changesControl',
  'letsSpend',
  'feeUncertain',
  'unreadBytes',
  'otherNames',
  'borrowedName',
  'knownProgram',
  'innerBytes',
  'beyondLimit',
  'unlimited',
  'everyChain',
  'noChain',
  'noContract',
  'onlyDomain',
  'notSigned',
]

/** Returns the title with these warnings beside its own: each once, the worst first. */
export function warned(title: Title, warnings: readonly Note[]): Title {
  const all = new Map([...(title.warnings ?? []), ...warnings].map((one) => [JSON.stringify(one), one]))
  if (all.size === 0) return title
  return { ...title, warnings: [...all.values()].toSorted((one, other) => rankOf(one) - rankOf(other)) }
}

function rankOf({ code }: Note): number {
  const rank = worstFirst.indexOf(code)
  if (rank === -1) throw new Error(`${code} has no place among the warnings`)
  return rank
}
