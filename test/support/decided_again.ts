import { isDeepStrictEqual } from 'node:util'
import type { Activity } from '../../src/contract/records/activity.ts'
import { everyRecordKind, type RecordKind, type RecordTypes, recordKinds } from '../../src/contract/records/records.ts'
import { type RecordedOrganization, recordsOf } from '../../src/deciding/organization/recorded_organization.ts'
import type { CountedVote } from '../../src/deciding/votes/count_vote.ts'
import { decideAgain } from '../../src/deciding/votes/decide_again.ts'
import type { Commit, Found, FoundRecord, Read } from '../../src/protocol/reads.ts'
import { Failure } from '../../src/protocol/wire/failures.ts'
import type { Store } from '../../src/service/store/store.ts'
import { SealError, type Seals } from '../../src/vault/keys/seal.ts'
import { unsealRecord } from '../../src/vault/keys/sealed_record.ts'
import { type Head, unsealHead } from '../../src/vault/state/head.ts'
import { openActivity } from '../../src/vault/state/sealed_activity.ts'

const pageItems = 100
const unlistedKinds = everyRecordKind.filter((kind) => !recordKinds[kind].listed)

/**
 * Returns the store. Before each commit it decides about the vote again, from all records that the store has then, and
 * throws if the vault has decided otherwise. What the books alone have counted is not known to it.
 */
export function decidingAgain(store: Store, openSeals: () => Promise<Seals>): Store {
  const known = new Map<string, RecordTypes[RecordKind]>()
  let seals: Seals | undefined

  async function one<K extends Read['read']>(read: Extract<Read, { read: K }>): Promise<Extract<Found, { read: K }>> {
    const [found] = await store.find([read])
    return found as Extract<Found, { read: K }>
  }

  function opened(seals: Seals, place: { organizationId: string; kind: RecordKind }, row: FoundRecord) {
    const { recordId, version, sealed } = row
    const name = `${place.organizationId} ${place.kind} ${recordId} ${version} ${Buffer.from(sealed).toString('base64', 0, 64)}`
    const record = known.get(name) ?? unsealRecord(seals, { ...place, recordId, version }, sealed)
    known.set(name, record)
    return record
  }

  async function headOf(seals: Seals, organizationId: string): Promise<Head> {
    const { row } = await one({ read: 'head', organizationId })
    if (row === undefined) throw new SealError(`there is no organization ${organizationId}`)
    return unsealHead(seals, organizationId, row)
  }

  async function organizationAt(seals: Seals, organizationId: string): Promise<RecordedOrganization> {
    const head = await headOf(seals, organizationId)
    const parent = head.parentId === undefined ? undefined : await organizationAt(seals, head.parentId)
    const records = recordsOf(head, parent)
    for (const [kind, listings] of head.listed) {
      const reads = [...listings.keys()].map(
        (recordId) => ({ read: 'record', organizationId, kind, recordId }) as const,
      )
      for (const found of reads.length === 0 ? [] : await store.find(reads)) {
        if (found.read !== 'record' || found.row === undefined)
          throw new SealError(`${kind} of ${organizationId} is missing`)
        records.put(kind, opened(seals, { organizationId, kind }, found.row))
      }
    }
    for (const kind of unlistedKinds) {
      for (let after: string | undefined, isLast = false; !isLast; ) {
        const page = { limit: pageItems, ...(after === undefined ? {} : { after }) }
        const { rows = [] } = await one({ read: 'page', organizationId, kind, ...page })
        for (const row of rows) {
          const record = opened(seals, { organizationId, kind }, row)
          if (isLive(head, kind, record)) records.put(kind, record)
        }
        after = rows.at(-1)?.recordId
        isLast = rows.length < pageItems
      }
    }
    return records.organization
  }

  /** Whether the records are still those on which the decision rests. If not, the commit is a conflict. */
  async function isCurrent(readSet: Commit['readSet']): Promise<boolean> {
    for (const entry of readSet) {
      if (entry.of !== 'head' && entry.of !== 'record') continue
      const { of, version, organizationId } = entry
      const read =
        of === 'head'
          ? ({ read: 'headTag', organizationId } as const)
          : ({ ...recordOf(entry), read: 'record' } as const)
      const { row } = await one<'headTag' | 'record'>(read)
      if (row?.version !== version) return false
    }
    return true
  }

  async function requireSame({ activities, readSet }: Commit) {
    seals ??= await openSeals()
    if (!(await isCurrent(readSet))) return
    for (const { organizationId, activityId, version, sealed } of activities) {
      const activity = openActivity(seals, organizationId, { activityId, version, sealed })
      const { row } = version === 1 ? {} : await one({ read: 'activity', organizationId, activityId })
      const target = await organizationAt(seals, organizationId)
      const homeId = activity.votes.at(-1)?.organizationId ?? organizationId
      const counted = await decideAgain({
        activity,
        before: row && openActivity(seals, organizationId, row),
        target,
        home: homeId === organizationId ? target : await organizationAt(seals, homeId),
        counted: { amounts: () => [] },
      }).catch((error: unknown) => {
        if (error instanceof Failure) return error
        throw error
      })
      const found = difference(counted, activity)
      if (found !== undefined && (await isCurrent(readSet)))
        throw new Error(`${activity.type} ${activityId} was decided otherwise: ${found}`)
    }
  }

  return {
    ...store,
    async commit(commit) {
      // A test has edited the database. The vault has not read what was edited.
      await requireSame(commit).catch((error: unknown) => {
        if (!(error instanceof SealError)) throw error
      })
      return store.commit(commit)
    },
  }
}

function recordOf({ organizationId, kind, recordId }: Extract<Commit['readSet'][number], { of: 'record' }>) {
  return { organizationId, kind, recordId }
}

/** Whether an unlisted record still counts, as the vault says it (`isLive` of `organization.ts`). */
function isLive<K extends RecordKind>({ listed, removed }: Head, kind: K, record: RecordTypes[K]): boolean {
  const ownerId = recordKinds[kind].ownerOf(record)
  if (ownerId === undefined) return true
  return (
    [...listed.values()].some((ids) => ids.has(ownerId)) &&
    removed.get(ownerId)?.has(recordKinds[kind].idOf(record)) !== true
  )
}

/** Returns the first member in which the decision differs from the activity as the vault sealed it. */
function difference(counted: CountedVote | Failure | undefined, activity: Activity): string | undefined {
  if (counted === undefined) return 'the vote changes nothing'
  if (counted instanceof Failure) return `it is refused: ${counted.message}`
  const { move, voted, expectedStatus } = counted
  const hasFailed = move === 'runs' && activity.status === 'ACTIVITY_STATUS_FAILED'
  if (!hasFailed && activity.status !== expectedStatus) return `${activity.status}, and it should be ${expectedStatus}`
  const names = ['votes', 'voterIds', 'voterPlaces', 'provingIds', 'countsCredentials'] as const
  const other = names.find((name) => !isDeepStrictEqual(plain(voted[name]), activity[name]))
  return other && `${other}: ${JSON.stringify(activity[other])}, and it should be ${JSON.stringify(voted[other])}`
}

function plain<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value))
}
