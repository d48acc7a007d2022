import { type ActivityStatus, isFinal } from '../../../contract/records/activity.ts'
import type { PublicChanges } from '../../../contract/records/public_changes.ts'
import { recordKinds, rowOf, type User } from '../../../contract/records/records.ts'
import {
  NotRecorded,
  type RecordedOrganization,
  recordsOf,
} from '../../../deciding/organization/recorded_organization.ts'
import type { LoggedActivity } from '../../../protocol/log/log_entry.ts'
import type { PlacedEntry } from './chain/check_log.ts'
import { createFormerUsers, type FormerUsers } from './former_users.ts'

/** An organization as it was before an entry, made of the documents of those before. */
export type Replay = {
  readonly organization: RecordedOrganization
  /** Why its records may be other ones. Undefined: all of them are known. */
  lacks(): string | undefined
  /** The user with credentials that were removed, which may have stamped what is marked late. */
  readonly former: Pick<FormerUsers, 'of' | 'areWhole'>
  /** Whether an entry before has told of this link of the operator. */
  hasLink(link: Link): boolean
  /**
   * The body by which an activity that waits was submitted, also where its votes could not be decided again. Undefined: it
   * does not wait, or the body is withheld.
   */
  waiting(activityId: string): string | undefined
  /** The index of the entry that withholds it. */
  withheldAt(activityId: string): number | undefined
  /** To be called for each entry first: one that rests on a head of no entry before it shows that records are missing. */
  meet(placed: PlacedEntry): void
  /** Takes the changes of an entry. */
  apply(placed: PlacedEntry): void
}

/** The parent, of which the file has no records. */
function unknownParent(organizationId: string): RecordedOrganization {
  const missing = () => {
    throw new NotRecorded('decisions by records of the parent: its export has them')
  }
  return {
    head: { organizationId, parentId: undefined, organizationName: '', rootQuorum: { threshold: 0, userIds: [] } },
    ...{ parent: () => undefined, listed: missing, allListed: missing, unlisted: missing },
    lookups: { rowsOf: missing, relyOn() {} },
  }
}

type Link = { readonly userId: string; readonly publicKey: string }
type Act = { readonly act?: unknown; readonly changes?: unknown } & Partial<Link>

export function createReplay(organizationId: string): Replay {
  const facts = { organizationName: '', parentId: '', rootQuorum: { threshold: 0, userIds: [] as readonly string[] } }
  const head = {
    organizationId,
    get parentId() {
      return facts.parentId === '' ? undefined : facts.parentId
    },
    get organizationName() {
      return facts.organizationName
    },
    get rootQuorum() {
      return facts.rootQuorum
    },
  }
  const { organization: own, put, remove } = recordsOf(head)
  const organization = {
    ...own,
    parent: () => (head.parentId === undefined ? undefined : unknownParent(head.parentId)),
  }
  const former = createFormerUsers()
  const links = new Set<string>()
  const waiting = new Map<string, { readonly message: string | undefined; readonly index: number }>()
  let lacks: string | undefined = 'what was before the log began'
  let newest: number | undefined

  function change({ organization: named, records }: PublicChanges): void {
    if (named !== undefined) Object.assign(facts, named)
    for (const { kind, recordId, record } of records) {
      if (kind === 'user') former.note(organization.listed('user', recordId), record as User | undefined)
      if (record !== undefined) put(kind, record)
      else removeWithOwned(kind, recordId)
    }
  }

  function removeWithOwned(kind: PublicChanges['records'][number]['kind'], recordId: string): void {
    remove(kind, recordId)
    const { owns } = recordKinds[kind]
    if (owns === undefined) return
    const { idOf, ownerOf } = rowOf(owns)
    for (const owned of organization.allListed(owns)) if (ownerOf(owned) === recordId) remove(owns, idOf(owned))
  }

  function keepWaiting({ activityId, version, status }: LoggedActivity, { checked, index }: PlacedEntry): void {
    if (isFinal(status as ActivityStatus)) waiting.delete(activityId)
    else if (version === 1) waiting.set(activityId, { message: checked?.content?.message, index })
  }

  return {
    organization,
    former,
    lacks: () => lacks,
    hasLink: ({ userId, publicKey }) => links.has(`${userId} ${publicKey}`),

    waiting: (activityId) => waiting.get(activityId)?.message,
    withheldAt: (activityId) => waiting.get(activityId)?.index,

    meet({ entry: { restsOn } }) {
      if (newest !== undefined && restsOn !== undefined && restsOn.version > newest) lacks ??= 'a head that is missing'
    },

    apply(placed) {
      const { entry, checked } = placed
      const { activity, document, makes, isTakenUp } = entry
      if (activity !== undefined) keepWaiting(activity, placed)
      const act: Act = document === undefined ? {} : JSON.parse(document)
      if (act.act === 'make_link') links.add(`${act.userId} ${act.publicKey}`)
      const changes = act.act === 'make_organization' ? (act.changes as typeof checkedChanges) : undefined
      const checkedChanges = checked?.document.changes
      const own = (changes ?? checkedChanges ?? []).filter((each) => each.organizationId === organizationId)
      for (const each of own) change(each)
      newest = makes?.version ?? newest
      if (makes?.version === 1 && own.length > 0) lacks = undefined
      else if (isTakenUp) lacks = 'what changed with a head that was taken up'
      else if (makes !== undefined && changes === undefined && checked === undefined)
        lacks = 'a document that is missing'
    },
  }
}
