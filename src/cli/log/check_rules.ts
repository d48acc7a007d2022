import type { Activity } from '../../contract/records/activity.ts'
import { messageOf } from '../../deciding/organization/submitted.ts'
import { isFresh, requestLifeMsMax } from '../../deciding/votes/freshness.ts'
import type { LogEntry } from '../../protocol/log/log_entry.ts'
import type { CheckedDocument } from './check_document.ts'
import type { PlacedEntry } from './check_log.ts'
import { createSumsCheck, otherOrder } from './check_sums.ts'
import { decidedVersion } from './decided_version.ts'
import { createOutcomes, type Outcome, right, unchecked, unreadable, wrong } from './findings.ts'
import type { Replay } from './replay.ts'
import { createWaitingVersions, type RecordedVersion, type UnknownVersion } from './waiting_versions.ts'

/**
 * Decides about each vote again, by the records and rules of the organization as they were then: what became of the
 * activity must be what they say. `logs`: how many logs the file has.
 */
export function createRulesCheck(organizationId: string, replay: Replay, { logs }: { readonly logs: number }) {
  const outcomes = createOutcomes()
  const waiting = createWaitingVersions(organizationId)
  const sums = createSumsCheck(replay.organization)
  const isRepeat = createRepeats()

  async function outcomesOf(entry: LogEntry, checked: CheckedDocument): Promise<readonly Outcome[]> {
    const { activity: logged } = entry
    if (logged === undefined) return []
    if (checked.document.vote === undefined) return [unchecked(ofAnother)]
    const version = waiting.versionOf(logged, checked)
    if (!('activity' in version)) {
      waiting.keep(logged, { why: notDecided })
      return [unknownVersion(version)]
    }
    const why = whyUndecidable(entry, version)
    if (why !== undefined) {
      if (entry.isLate) await sums.outcomeOf(version, checked, { isLate: true, logs })
      waiting.keep(logged, { why: notDecided })
      return [unchecked(why)]
    }
    const { activity, before } = version
    const { counted, outcome, sumsAsked } = await decidedVersion(replay.organization, version)
    const { votes, status } = activity
    const voted = counted?.voted ?? before
    waiting.keep(logged, voted === undefined ? { why: notDecided } : { ...voted, votes, status })
    const isUnsure = outcome.kind === 'wrong' && sumsAsked.size > 0 && sums.isUnsure(sumsAsked, { logs })
    return [
      ...[...faultsOfVote(entry, version), ...faultsOfChanges(version, checked)].map(wrong),
      isUnsure ? unchecked(otherOrder) : outcome,
      ...(counted === undefined ? [] : [await sums.outcomeOf(version, checked, { logs })]),
    ]
  }

  function unknownVersion(version: UnknownVersion): Outcome {
    if ('why' in version) return unchecked(version.why)
    const lacks = replay.lacks()
    return lacks === undefined ? wrong(version.missing) : unchecked(`votes on activities that may be from ${lacks}`)
  }

  function whyUndecidable({ isLate }: LogEntry, { activity }: RecordedVersion): string | undefined {
    const lacks = replay.lacks()
    if (activity.votes.at(-1)?.organizationId !== organizationId) {
      return 'decisions about requests of users of the parent: its export has their rules'
    }
    if (lacks !== undefined) return `decisions by rules that may be from ${lacks}`
    return isLate ? 'decisions that were entered late, after others' : undefined
  }

  /** The vote must be of the time that its entry has, fresh then, and new. */
  function faultsOfVote({ atMs, makes }: LogEntry, { activity, before }: RecordedVersion): readonly string[] {
    const vote = activity.votes.at(-1)
    if (vote === undefined) return []
    const isRepeated = before === undefined && makes !== undefined && isRepeat(activity)
    const isStale = !isFresh(Number(messageOf(vote).timestampMs), vote.createdAtMs)
    return [
      ...(vote.createdAtMs === atMs ? [] : [`its vote is of ${vote.createdAtMs}, and its entry of ${atMs}`]),
      ...(isStale ? ['its vote was not fresh: too old, or of a time to come'] : []),
      ...(isRepeated ? ['the same request has made an activity before'] : []),
    ]
  }

  return {
    /** To be called before the replay takes the changes of the entry. */
    async add(placed: PlacedEntry): Promise<void> {
      const { entry, checked } = placed
      if (checked === undefined) return
      const found = await outcomesOf(entry, checked).catch((error: unknown) => [unreadable(error)])
      const others = found.filter(({ kind }) => kind !== 'right')
      // One decision counts once, however many parts of it are right.
      for (const outcome of others.length === 0 && found.length > 0 ? [right] : others) outcomes.add(placed, outcome)
    },
    result: outcomes.result,
  }
}

const notDecided = 'votes on activities of which a vote before could not be decided again'
const ofAnother = 'changes by activities of another organization: its export has their votes'

function faultsOfChanges({ activity }: RecordedVersion, { document }: CheckedDocument): readonly string[] {
  if (activity.status === 'ACTIVITY_STATUS_COMPLETED' || document.changes.length === 0) return []
  return [`it has the status ${activity.status}, and has changed records`]
}

/** Returns what says whether the same request has made an activity before. It forgets those that are fresh no more. */
function createRepeats() {
  const seen = new Map<string, number>()
  return function isRepeat({ fingerprint, createdAtMs }: Activity): boolean {
    for (const [old, atMs] of seen) {
      if (createdAtMs - atMs <= requestLifeMsMax) break
      seen.delete(old)
    }
    const isThere = seen.has(fingerprint)
    seen.set(fingerprint, createdAtMs)
    return isThere
  }
}
