import { randomBytes } from 'node:crypto'
import type { PublicChange, PublicChanges } from '../../../contract/records/public_changes.ts'
import { recordKinds } from '../../../contract/records/records.ts'
import { type RanAgain, runAgain, runsAgain } from '../../../deciding/changes/run_again.ts'
import { NotRecorded, type RecordedOrganization } from '../../../deciding/organization/recorded_organization.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import type { JsonValue } from '../../../protocol/wire/json.ts'
import type { PlacedEntry } from './chain/check_log.ts'
import type { CheckedDocument } from './check_document.ts'
import { isReadable, unreadableHere } from './decided_version.ts'
import { createOutcomes, type Outcome, right, unchecked, unlessLate, unreadable, wrong } from './findings.ts'
import { createComparison } from './same_but_made.ts'
import type { RecordedVersion } from './waiting_versions.ts'

/**
 * Runs each activity again, on the records of its time: what it changed and answered must be what it asked for. Sums of
 * limits are verified by `check_sums.ts`. `logs`: how many logs the file has.
 */
export function createChangesCheck(organization: RecordedOrganization, { logs }: { readonly logs: number }) {
  const outcomes = createOutcomes()
  const seed = randomBytes(32)
  const { organizationId } = organization.head

  async function outcomeOf(
    version: RecordedVersion,
    { entry }: PlacedEntry,
    checked: CheckedDocument,
  ): Promise<Outcome> {
    const changes = changesIn(checked, organizationId)
    if (!runsAgain(version.activity)) return changes === undefined ? right : wrong('it signs, and has changed records')
    // Nothing but their times orders changes of different logs that make no head.
    const isUnordered = logs > 1 && entry.makes === undefined && !needsHead(changes)
    const unlike = (what: string) =>
      entry.isLate ? unlessLate(wrong(what)) : isUnordered ? unchecked(otherOrder, what) : wrong(what)
    try {
      const ran = await runAgain({ ...version, target: organization, changes }, seed)
      const difference = differenceOf(ran, { changes, result: version.activity.result })
      if (difference !== undefined)
        return unlike(`it has changed or answered something else than it asked for: ${difference}`)
      const taken = changes?.records.find((change, at) => isTaken(change, ran.changes?.records[at]))
      if (taken === undefined) return right
      const replaced = wrong(`it puts a new ${taken.kind} in the place of ${taken.recordId}, which was there before`)
      return entry.isLate ? unlessLate(replaced) : replaced
    } catch (error) {
      if (error instanceof NotRecorded) return unchecked(error.message)
      if (!(error instanceof Failure)) throw error
      if (!(await isReadable(version))) return unchecked(unreadableHere)
      return unlike(`it has run, and on the records of that time it fails: ${error.message}`)
    }
  }

  /** Whether a record that the operation adds has the id of another one. */
  function isTaken({ kind, recordId }: PublicChange, expected: PublicChange | undefined): boolean {
    if (recordId === expected?.recordId) return false
    return (organization.listed(kind, recordId) ?? organization.unlisted(kind, recordId)) !== undefined
  }

  return {
    /** To be called before the replay takes the changes of the entry. `version` undefined: it cannot be told. */
    async add(placed: PlacedEntry, version: RecordedVersion | undefined): Promise<void> {
      const { entry, checked } = placed
      if (checked === undefined || entry.activity?.status !== 'ACTIVITY_STATUS_COMPLETED') return
      const outcome =
        version === undefined ? unchecked(notDecided) : await outcomeOf(version, placed, checked).catch(unreadable)
      outcomes.add(placed, outcome)
    },
    result: outcomes.result,
  }
}

const otherOrder = 'changes that may have come in another order in the logs'
const notDecided = 'changes by activities that could not be decided again'
const sums: readonly PublicChange['kind'][] = ['signed_amounts', 'velocity_bucket']

function differenceOf({ made, ...ran }: RanAgain, recorded: Omit<RanAgain, 'made'>): string | undefined {
  const difference = createComparison(made)
  const ofChanges = difference(plain(ran.changes), plain(recorded.changes), 'changes')
  return ofChanges ?? difference(plain(ran.result), plain(recorded.result), 'result')
}

/** Whether the head of an organization names what has changed. */
function needsHead(changes: PublicChanges | undefined): boolean {
  if (changes === undefined) return false
  return changes.organization !== undefined || changes.records.some(({ kind }) => recordKinds[kind].listed)
}

/** The changes of the organization, without sums. Undefined: nothing else has changed. */
function changesIn({ document }: CheckedDocument, organizationId: string): PublicChanges | undefined {
  const [own, another] = document.changes.filter((each) => each.organizationId === organizationId)
  if (own === undefined) return undefined
  if (another !== undefined) throw new Error('it has the changes of one organization twice')
  const records = own.records.filter(({ kind, record }) => record === undefined || !sums.includes(kind))
  const { records: _, organizationId: __, ...others } = own
  return records.length === 0 && Object.keys(others).length === 0 ? undefined : { ...own, records }
}

/** As JSON has it: without members that are undefined. */
function plain(value: object | undefined): JsonValue | undefined {
  return value && JSON.parse(JSON.stringify(value))
}
