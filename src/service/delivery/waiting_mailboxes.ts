import { mailboxOfLine } from '../../protocol/wire/notices.ts'
import type { NoticeMailbox } from '../store/queue_changes.ts'
import type { DueNoticeLine, NoticeLine, Store, WaitingOrganization } from '../store/store.ts'

/** So many notices are found at once. Several can be of one line. */
const noticesPerPageMax = 500

const beginning = { dueAtMs: -1, organizationId: '', userId: '' }

/** A mailbox for which notices are due, and lines in which they wait. There is at least one; it can stand there twice. */
export type DueMailbox = NoticeMailbox & { readonly lines: readonly [NoticeLine, ...NoticeLine[]] }

type WaitingMailboxesParts = {
  readonly store: Pick<Store, 'dueNoticeLines'>
  readonly nowMs: () => number
}

/** The mailboxes for which notices are due and whose turn is nobody's, a page of them at a time. */
export type WaitingMailboxes = {
  /** Finds those of the next page. Returns whether it was the last one: the next page is then the first. */
  readonly find: () => Promise<{ readonly isLast: boolean }>
  /** The next organization after this id with such a mailbox, and whose parent is another one. */
  readonly nextOrganization: (from: {
    readonly after: string
    readonly exceptParent: string
  }) => Promise<WaitingOrganization | undefined>
  /** Removes a mailbox of an organization: that whose notice has waited longest. */
  readonly take: (organizationId: string) => DueMailbox | undefined
}

/** Goes round the notices that are due. So one page is read for a look, however many an organization has. */
export function createWaitingMailboxes({ store, nowMs }: WaitingMailboxesParts): WaitingMailboxes {
  let from: typeof beginning = beginning
  let found: readonly DueMailbox[] = []

  return {
    async find() {
      const { dueAtMs, organizationId, userId } = from
      const page = { dueAtMs, organizationId, userId, nowMs: nowMs(), limit: noticesPerPageMax }
      const lines = await store.dueNoticeLines(page)
      const last = lines.length === noticesPerPageMax ? lines.at(-1) : undefined
      from = last ?? beginning
      found = mailboxesOf(lines.filter(({ untilMs }) => untilMs === null || untilMs <= page.nowMs))
      return { isLast: last === undefined }
    },
    async nextOrganization({ after, exceptParent }) {
      const [next] = found
        .filter((one) => organizationOf(one) > after && parentOf(one) !== exceptParent)
        .toSorted((one, other) => (organizationOf(one) < organizationOf(other) ? -1 : 1))
      if (next === undefined) return undefined
      const organizationId = organizationOf(next)
      return { organizationId, parentId: parentOf(next) }
    },
    take(organizationId) {
      const taken = found.find((one) => organizationOf(one) === organizationId)
      found = found.filter((one) => one !== taken)
      return taken
    },
  }
}

/** A mailbox of several organizations is in the turn of the first one. */
function organizationOf({ lines: [first] }: DueMailbox): string {
  return first.organizationId
}

function parentOf(mailbox: DueMailbox): string | null {
  return mailbox.familyId === organizationOf(mailbox) ? null : mailbox.familyId
}

/** The mailboxes of these lines, in their order. */
function mailboxesOf(lines: readonly DueNoticeLine[]): readonly DueMailbox[] {
  const groups = Map.groupBy(lines, ({ familyId, userId }) => `${familyId} ${mailboxOfLine(userId)}`)
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    return [{ familyId: first.familyId, mailbox: mailboxOfLine(first.userId), lines: [first, ...others] }]
  })
}
