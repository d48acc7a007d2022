import type { Note, NoteCode, Title } from './explanation.ts'

/** The notes that may stand in a title, the worst first. */
const worstFirst: readonly NoteCode[] = [
  'notExplained',
  'unreadable',
  'highFee',
  'changesControl',
  'changesWhoControls',
  'delegateCall',
  'letsMoveAll',
  'letsSpend',
  'goesTo',
  'endsOrLetsTake',
  'takenBySignature',
  'refundsFee',
  'locksUp',
  'delegatesStake',
  'makesTokens',
  'destroysTokens',
  'freezesAccount',
  'freezesNewAccounts',
  'withholdsFee',
  'isAuthorization',
  'isTransaction',
  'isTypedData',
  'onlyHash',
  'mayBeHash',
  'mayBeTransaction',
  'unknownMeaning',
  'ownIsExported',
  'unreadProgram',
  'unreadBytes',
  'beyondLimit',
  'tooMuch',
  'cutText',
  'innerBytes',
  'dataBeside',
  'unlimited',
  'nearlyUnlimited',
  'everyChain',
  'untilNonceAdvances',
  'noChain',
  'noContract',
  'feeUncertain',
  'otherNames',
  'borrowedName',
  'knownProgram',
  'onlyDomain',
  'notSigned',
  'fewerApprovals',
  'joinsQuorum',
  'actsAs',
  'contactLogsIn',
  'allowsAll',
  'allowsAllBy',
  'rulesGoBy',
  'keysLost',
  'denialEnds',
  'denialChanges',
  'limitEnds',
  'allowanceChanges',
  'stepsEnd',
  'stepsChange',
  'allowlistEnds',
  'allowlistWidens',
  'originsChange',
  'wayInOpens',
  'sentTo',
]

/** Returns the title with these warnings beside its own: each once, the worst first. */
export function warned(title: Title, warnings: readonly Note[]): Title {
  const all = new Map([...(title.warnings ?? []), ...warnings].map((one) => [JSON.stringify(one), one]))
  if (all.size === 0) return title
  const ranked = [...all.values()].map((warning) => ({ warning, rank: rankOf(warning) }))
  return { ...title, warnings: ranked.toSorted((one, other) => one.rank - other.rank).map(({ warning }) => warning) }
}

/** Whether a note is one that a title may have. */
export function isWarning({ code }: Note): boolean {
  return worstFirst.includes(code)
}

/** The codes of what a title warns of. */
export function saysOf({ warnings = [] }: Title): ReadonlySet<NoteCode> {
  return new Set(warnings.map((warning) => innermost(warning).code))
}

/** A note about payloads is no warning of its own. The note in it says what is the matter. */
function innermost(warning: Note): Note {
  if (isWarning(warning)) return warning
  const inner = warning.values?.find((value) => value.kind === 'note')
  return inner?.kind === 'note' ? innermost(inner) : warning
}

/** The place among the warnings. A note about payloads has that of the note in it. */
export function rankOf(warning: Note): number {
  const { code } = innermost(warning)
  const rank = worstFirst.indexOf(code)
  if (rank === -1) throw new Error(`${code} has no place among the warnings`)
  return rank
}
