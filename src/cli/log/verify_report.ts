import { areAll, counted, isUnvouched, type Verdict } from './verdict.ts'
import type { ChainResult } from './verify/chain/verify_chain.ts'
import type { Finding, StepResult, UncheckedEntry } from './verify/findings.ts'
import type { Verified } from './verify/verify_export.ts'

/** The verdict about an export, and all that it does not say. `hasPolicy`: the reader has said whose keys count. */
export type Reported = {
  readonly notChecked: readonly string[]
  readonly verdict: Verdict
  readonly hasPolicy: boolean
}
type Faults = Pick<StepResult, 'findings' | 'findingsCount'>

/** So many entries of one kind are named. All are counted. */
const placesMax = 20

/** The report as a text for people: the steps, what they did not check, and the verdict in the last line. */
export function reportOf(verified: Verified, { notChecked, verdict, hasPolicy }: Reported): string {
  const { chain, stamps, rules, changes, results } = verified
  const doubts = [
    ...(hasPolicy && !isUnvouched(verified) ? [] : ['unvouched']),
    ...(chain.findings.some(({ kind }) => kind === 'incomplete') ? ['over an incomplete history'] : []),
  ]
  const linesOf = (name: string, step: StepResult, line: string) =>
    chain.entries === 0 ? [`${name}: not reached`] : [...headingOf(name, step, doubts), `  ${line}`]
  const votes = counted(
    stamps.checked,
    'vote is stamped by a key that its user had then',
    'votes are stamped by a key that their user had then',
  )
  const decisions = counted(
    rules.checked,
    'decision is that of the rules of its time',
    'decisions are those of the rules of their time',
  )
  const changed = counted(
    changes.checked,
    'activity changed what it asked for, and nothing else',
    'activities changed what they asked for, and nothing else',
  )
  const signed = counted(
    results.checked,
    'signature or address is that of its public key',
    'signatures and addresses are those of their public keys',
  )
  return [
    ...headingOf('chain', chain, doubts),
    ...linesOfChain(chain),
    ...linesOf('stamps', stamps, votes),
    ...linesOf('rules', rules, decisions),
    ...linesOf('changes', changes, changed),
    ...linesOf('results', results, signed),
    'Not checked:',
    ...notChecked.map((line) => `- ${line}`),
    `VERDICT: ${verdict.name}: ${verdict.why}`,
  ].join('\n')
}

function headingOf(step: string, faults: Faults, doubts: readonly string[]): readonly string[] {
  const { findings, findingsCount } = faults
  const more = findingsCount - findings.length
  return [`${step}: ${wordOf(faults, doubts)}`, ...findings.map(lineOf), ...(more > 0 ? [`  … and ${more} more`] : [])]
}

function wordOf(faults: Faults, doubts: readonly string[]): string {
  if (faults.findingsCount === 0) return doubts.length === 0 ? 'right' : `right, but ${doubts.join(' and ')}`
  if (areAll(faults, ['older'])) return 'OLDER THAN WHAT YOU HOLD'
  if (areAll(faults, ['unvouched', 'older'])) return 'UNVOUCHED'
  return `WRONG, ${counted(faults.findingsCount, 'fault', 'faults')}`
}

function lineOf({ origin, index, what, about }: Finding): string {
  const entry = `entry at index ${index}${about === undefined ? '' : ` (${about})`}`
  const place = [origin, index === undefined ? undefined : entry]
  return `  ${inOneLine([...place, what].filter((part) => part !== undefined).join(': '))}`
}

/** A line end in a text of the file would make a line of the report. */
function inOneLine(text: string): string {
  return text.replaceAll('\n', '\\n')
}

function linesOfChain(chain: ChainResult): readonly string[] {
  const { logs, entries, flagged, lateEntries, wentBack, unconfirmed, newest, organizationId, held } = chain
  return [
    ...(organizationId === undefined ? [] : [`  organization ${organizationId}, up to head ${newest?.version ?? 0}`]),
    ...logs.map(({ origin, size, root, witnesses }) => {
      const seen = witnesses.length === 0 ? '' : `, cosigned by ${witnesses.join(', ')}`
      return `  ${origin}: a tree of ${counted(size, 'entry', 'entries')}, root ${root}${seen}`
    }),
    ...held.reached.map(({ origin, path }) => `  ${origin}: the file ends with the checkpoint of ${path}`),
    ...(held.provenEntries === 0
      ? []
      : [`  ${counted(held.provenEntries, 'entry', 'entries')} of the proofs given: in the file`]),
    `  ${counted(entries, 'entry', 'entries')} of the organization: ${flagged.late} late, ${flagged.takenUp} taken up, ${flagged.ofOperator} by the operator`,
    ...lateEntries.map(({ origin, index, atMs }) =>
      lineOf({ origin, index, what: `marked late by the vault, of ${timeOf(atMs)}: nothing in the file shows why` }),
    ),
    ...(wentBack.count === 0 ? [] : [lineOfTimes(wentBack)]),
    ...unconfirmed.named.map(({ origin, index, activityId, version }) =>
      lineOf({ origin, index, what: `unconfirmed: version ${version} of activity ${activityId}` }),
    ),
  ]
}

function lineOfTimes({ count, named }: ChainResult['wentBack']): string {
  const places = named.map(({ byMs, ...place }) => ({ ...place, because: `${byMs} ms before` }))
  return `  times that go back, of entries that are not marked late: ${placesOf(places, count)}`
}

/** A holder of the master seed can enter a time that no date has. */
function timeOf(atMs: number): string {
  const date = new Date(atMs)
  return Number.isNaN(date.getTime()) ? `${atMs} ms` : date.toISOString()
}

/** A line for each reason for which a step could not check something. */
export function uncheckedLines({ notChecked, unchecked = [] }: StepResult): readonly string[] {
  return Object.entries(notChecked).map(([why, count]) => {
    const places = unchecked.filter((each) => each.why === why)
    return inOneLine(`${why}: ${placesOf(places, count)}`)
  })
}

type Place = Pick<UncheckedEntry, 'origin' | 'index' | 'because'>

/** Names the entries of a reason, by their logs. `count`: how many there are, of which some may not be named. */
export function placesOf(places: readonly Place[], count: number): string {
  const shown = places.slice(0, placesMax)
  const byOrigin = Map.groupBy(shown, ({ origin }) => origin)
  const named = [...byOrigin].map(
    ([origin, some]) => `in ${origin} at index ${[...new Set(some.map(indexOf))].join(', ')}`,
  )
  return `${[count, ...named].join(', ')}${shown.length < count ? ', …' : ''}`
}

function indexOf({ index, because }: Place): string {
  return because === undefined ? `${index}` : `${index} (${because})`
}
