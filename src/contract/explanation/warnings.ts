import type { NoteCode } from './codes/note_codes.ts'
import type { Note, Title, Value } from './explanation.ts'
import { together } from './note_sums.ts'
import { boundOf, greatestGifts, isCode, measureOf } from './warning_amounts.ts'

/**
 * The place of a note among others, mostly its code. `controlOfItself`: somebody gets control of the account that acts
 * or signs, which holds more than a contract that the caller has made for it. `ownerOfItself`: a program owns it.
 * `dataOfItself`: its key moves nothing out of it any more. `rulesOfItself`: others or fewer control it. `letsSpendAll`: an
 * allowance without a bound.
 */
type Place = NoteCode | 'controlOfItself' | 'ownerOfItself' | 'dataOfItself' | 'rulesOfItself' | 'letsSpendAll'

/** The notes that may stand in a title, the worst first. */
const worstFirst: readonly Place[] = [
  'notExplained',
  'isRequest',
  'logsIn',
  'unreadable',
  'callsBeyondLimit',
  'beyondLimit',
  'delegateCall',
  'signsForHook',
  'controlOfItself',
  'ownerOfItself',
  'dataOfItself',
  'rulesOfItself',
  'replacesOwner',
  'changesControl',
  'losesControl',
  'endsProgram',
  'upgradesProgram',
  'programOwns',
  'getsData',
  'changesWhoControls',
  'letsSpendAll',
  'letsMoveAll',
  'letsSpend',
  'locksUp',
  'locksDelegation',
  'outputsOpen',
  'goesTo',
  'paysDebt',
  'makesDebt',
  'lostOrOwn',
  'endsOrLetsTake',
  'goesToScript',
  'offers',
  'takenBySignature',
  'highFee',
  'alsoOnMainNetwork',
  'feeWithheld',
  'refundsFee',
  'delegatesStake',
  'doesOnTron',
  'makesTokens',
  'destroysTokens',
  'freezesAccount',
  'freezesNewAccounts',
  'freezesTable',
  'thawsAccount',
  'withholdsFee',
  'endsProtection',
  'setsForToken',
  'isAuthorization',
  'isTransaction',
  'isTypedData',
  'agreesTo',
  'onlyHash',
  'mayBeHash',
  'mayHoldHash',
  'mayBeTransaction',
  'unknownMeaning',
  'otherAccount',
  'otherOwner',
  'ownIsExported',
  'dataBeside',
  'unreadProgram',
  'createsContract',
  'callsInside',
  'unreadBytes',
  'tooMuch',
  'cutText',
  'hiddenCharacters',
  'innerBytes',
  'toOwn',
  'unlimited',
  'nearlyUnlimited',
  'noContract',
  'feeUncertain',
  'otherNames',
  'borrowedName',
  'knownProgram',
  'onlyDomain',
  'notSigned',
  'unknownDocument',
  'onlyInterface',
  'everyChain',
  'noChain',
  'untilNonceAdvances',
  'fewerApprovals',
  'joinsQuorum',
  'leavesQuorum',
  'noneMayBeLost',
  'actsAs',
  'contactLogsIn',
  'looksLike',
  'losesWayIn',
  'allowsAll',
  'opens',
  'allowsAllBy',
  'opensTo',
  'opensToSeveral',
  'mayOpen',
  'deniesAll',
  'deniesPolicies',
  'mayDenyPolicies',
  'namesInvited',
  'rulesGoBy',
  'keysLost',
  'denialEnds',
  'denialChanges',
  'limitEnds',
  'allowanceChanges',
  'namesUnknown',
  'namesOtherKind',
  'metByOthers',
  'stepsEnd',
  'fewerSteps',
  'stepsAlsoBy',
  'stepImpossible',
  'stepsAfterOthers',
  'stepsChange',
  'allowlistEnds',
  'allowlistWidens',
  'allowlistOnly',
  'allowlistNarrows',
  'allowlistUnchecked',
  'originsChange',
  'originsOnly',
  'wayInOpens',
  'codesWeaken',
  'sessionsLonger',
  'sessionsMayAll',
  'sessionsMay',
  'sessionsLong',
  'sessionsOutlasted',
  'mailsChosen',
  'sentTo',
  'sentNoMore',
  'textGap',
  'longText',
]

/** Returns the title with these warnings beside its own: each once or as a sum, the worst first. */
export function warned(title: Title, warnings: readonly Note[]): Title {
  const all = together([...(title.warnings ?? []), ...warnings])
  if (all.length === 0) return title
  const ranked = all.map((warning) => ({ warning, rank: rankOf(warning), bound: boundOf(innermost(warning)) }))
  const sorted = ranked.toSorted((one, other) => one.rank - other.rank || one.bound - other.bound)
  return { ...title, warnings: greatestFirst(sorted).map(({ warning }) => warning) }
}

type Ranked = { readonly warning: Note; readonly rank: number; readonly bound: number }

/**
 * Among warnings of one rank in one unit, the greatest amount comes first: the order of a request must not decide which
 * one a title shows. Tokens follow one another as they come. Nobody here knows what one is worth in another.
 */
function greatestFirst(ranked: readonly Ranked[]): readonly Ranked[] {
  const groups = new Map<string, { readonly one: Ranked; readonly smallest: bigint }[]>()
  for (const [index, one] of ranked.entries()) {
    const { smallest, unit } = measureOf(innermost(one.warning)) ?? { smallest: 0n, unit: index }
    const key = JSON.stringify([one.rank, one.bound, unit])
    const group = groups.get(key) ?? []
    groups.set(key, group)
    group.push({ one, smallest })
  }
  return [...groups.values()].flatMap((group) =>
    group
      .toSorted((one, other) => (one.smallest > other.smallest ? -1 : one.smallest < other.smallest ? 1 : 0))
      .map(({ one }) => one),
  )
}

/** Whether a note is one that a title may have. */
export function isWarning({ code }: Note): boolean {
  return worstFirst.includes(code)
}

/** The codes of what a title warns of. */
export function saysOf({ warnings = [] }: Title): ReadonlySet<NoteCode> {
  return new Set(warnings.map((warning) => innermost(warning).code))
}

/** The warnings that a title shows: the worst one, those that always stand beside it, and the greatest gift of each coin. */
export function shownWarnings({ warnings = [] }: Title): readonly Note[] {
  const gifts = greatestGifts(warnings, innermost)
  return warnings.filter((warning, index) => index === 0 || standsBesideWorse(warning) || gifts.has(warning))
}

/**
 * Whether a title shows a warning also behind a worse one. No other warning says what the execution costs: a high fee,
 * a token's withheld fee, or a refund of a Safe to a receiver whom the requester names. None says that coins are real
 * where an address looks like one for tests. A change of the root quorum is all of its parts, and steps of
 * authentication are as good as their means. No other warning says that the end of a text with a gap may be out of sight,
 * or when and on which chains the signature holds: these rank behind the rest of what is signed, so that they hide none.
 */
export function standsBesideWorse(warning: Note): boolean {
  return besideWorse.has(innermost(warning).code)
}

const besideWorse: ReadonlySet<NoteCode> = new Set<NoteCode>([
  ...(['highFee', 'feeWithheld', 'refundsFee', 'alsoOnMainNetwork'] as const),
  ...(['joinsQuorum', 'leavesQuorum', 'noneMayBeLost'] as const),
  'stepsAlsoBy',
  'textGap',
  ...(['everyChain', 'noChain', 'untilNonceAdvances'] as const),
])

/** A note about payloads, or that says how often, is no warning of its own. The note in it says what is the matter. */
function innermost(warning: Note): Note {
  if (isWarning(warning)) return warning
  const inner = warning.values?.find((value) => value.kind === 'note')
  return inner?.kind === 'note' ? innermost(inner) : warning
}

/** The place among the warnings. A note about another one has that of the note in it. */
export function rankOf(warning: Note): number {
  const place = placeOf(innermost(warning))
  const rank = worstFirst.indexOf(place)
  if (rank === -1) throw new Error(`${place} has no place among the warnings`)
  return rank
}

/** The place of a note about the account that acts or signs. */
const placesOfItself: Readonly<Partial<Record<NoteCode, Place>>> = {
  changesControl: 'controlOfItself',
  programOwns: 'ownerOfItself',
  getsData: 'dataOfItself',
  changesWhoControls: 'rulesOfItself',
}

function placeOf(warning: Note): Place {
  const { code, values: [given] = [] } = warning
  if (code === 'letsSpend' && boundOf(warning) === 0) return 'letsSpendAll'
  return given !== undefined && isItself(given) ? (placesOfItself[code] ?? code) : code
}

function isItself(value: Value): boolean {
  return isCode(value, 'itself') || (value.kind === 'code' && value.code === 'signingAccount')
}
