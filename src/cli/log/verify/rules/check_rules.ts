import type { PlacedEntry } from '../chain/check_log.ts'
import type { CheckedDocument } from '../check_document.ts'
import { decidedVersion } from '../decided_version.ts'
import { createOutcomes, type Outcome, right, unchecked, unlessLate, unreadable, wrong } from '../findings.ts'
import type { Replay } from '../replay.ts'
import { createWaitingVersions, type RecordedVersion, type UnknownVersion } from '../waiting_versions.ts'
import { createSumsCheck, otherOrder } from './check_sums.ts'
import { explained } from './explained_fault.ts'
import { createRepeats, faultsOfVote, isOfStranger } from './vote_faults.ts'

/**
 * Decides about each vote again, by the records and rules of the organization as they were then: what became of the
 * activity must be what they say. `logs`: how many logs the file has.
 */
export function createRulesCheck(organizationId: string, replay: Replay, { logs }: { readonly logs: number }) {
  const { organization } = replay
  const outcomes = createOutcomes()
  const waiting = createWaitingVersions(organizationId)
  const sums = createSumsCheck(organization, { logs })
  const isRepeat = createRepeats()

  async function decided(
    { entry, index }: PlacedEntry,
    checked: CheckedDocument,
    isStampWrong: boolean,
  ): Promise<Decided> {
    const { activity: logged } = entry
    const notDecided = { why: afterUndecided, because: `the vote before it is at index ${index}` }
    if (logged === undefined) return { outcomes: [] }
    if (checked.document.vote === undefined) return { outcomes: [unchecked(ofAnother)] }
    const version = waiting.versionOf(logged, checked)
    if (!('activity' in version)) {
      waiting.keep(logged, notDecided)
      return { outcomes: [unknownVersion(version)] }
    }
    const undecided = undecidable(version)
    if (entry.isLate) sums.noteLate(checked)
    if (undecided !== undefined) {
      waiting.keep(logged, notDecided)
      return { outcomes: [undecided] }
    }
    const { counted, outcome, sumsAsked } = await decidedVersion(organization, version)
    const { votes, status } = version.activity
    const voted = entry.isLate && outcome.kind !== 'right' ? undefined : (counted?.voted ?? version.before)
    waiting.keep(logged, voted === undefined || isStampWrong ? notDecided : { ...voted, votes, status })
    const isUnsure = outcome.kind === 'wrong' && sumsAsked.size > 0 && sums.isUnsure(sumsAsked)
    const { document } = checked
    const found = [
      ...faultsOfVote(entry, version, { organization, document, isRepeat }),
      entry.isLate ? unlessLate(outcome) : isUnsure ? unchecked(otherOrder) : outcome,
      ...(counted === undefined || entry.isLate ? [] : [await sums.outcomeOf(version, checked)]),
    ].map((each) => explained(each, { organization, version, counted }))
    const isDoubtful = isStampWrong && found.every(({ kind }) => kind !== 'wrong')
    return { outcomes: isDoubtful ? [unchecked(onWrongStamp)] : found, version }
  }

  function unknownVersion(version: UnknownVersion): Outcome {
    if ('why' in version) return unchecked(version.why, version.because)
    const lacks = replay.lacks()
    return lacks === undefined ? wrong(version.missing) : unchecked(`votes on activities that may be from ${lacks}`)
  }

  /** Returns the outcome of a vote about which the file has not enough to decide. */
  function undecidable(version: RecordedVersion): Outcome | undefined {
    const lacks = replay.lacks()
    if (lacks !== undefined) return unchecked(`decisions by rules that may be from ${lacks}`)
    if (isOfStranger(organization, version)) return wrong(ofStranger)
    if (version.activity.votes.at(-1)?.organizationId !== organizationId) return unchecked(ofParent)
    return undefined
  }

  return {
    /**
     * Returns the version of the activity that was decided about. Undefined: it could not be. To be called before the replay
     * takes the changes of the entry.
     */
    async add(
      placed: PlacedEntry,
      { isStampWrong }: { readonly isStampWrong: boolean },
    ): Promise<RecordedVersion | undefined> {
      const { checked } = placed
      if (checked === undefined) return undefined
      const unread = (error: unknown): Decided => ({ outcomes: [unreadable(error)] })
      const { outcomes: found, version } = await decided(placed, checked, isStampWrong).catch(unread)
      const others = found.filter(({ kind }) => kind !== 'right')
      // One decision counts once, however many parts of it are right.
      for (const outcome of others.length === 0 && found.length > 0 ? [right] : others) outcomes.add(placed, outcome)
      return version
    },
    result: outcomes.result,
  }
}

type Decided = { readonly outcomes: readonly Outcome[]; readonly version?: RecordedVersion }

const afterUndecided = 'votes on activities of which a vote before could not be decided again'
const onWrongStamp = 'decisions that rest on a wrong stamp'
const ofAnother = 'changes by activities of another organization: its export has their votes'
const ofStranger = 'its voter is of another organization, and may not ask for this here'
const ofParent = 'decisions about requests of users of the parent: its export has their rules'
