import { createHash } from 'node:crypto'
import { mailboxOf } from '../../protocol/wire/mail_addresses.ts'
import type { Notice } from '../../protocol/wire/notices.ts'
import type { Log } from '../process/log.ts'
import type { NoticePortion, NoticeUser, QueueOutcome } from '../store/queue_changes.ts'
import type { DueNotice, Store } from '../store/store.ts'
import { type VaultClient, VaultUnavailable } from '../vault/client.ts'
import { openOnce } from './attempt.ts'
import { type Carriers, faultOf, type Outcome } from './carrier.ts'
import { noticeMail } from './notice_mail.ts'
import { type Delivery, type Hands, startWorker } from './worker.ts'

/** Mails with notices that are sent at once. Other mails do not wait for them. */
const mailsAtOnceMax = 4
const attemptMsMax = 30_000
/**
 * How long a turn takes. One mail is sent in a turn, by the node that took it, and an attempt ends before
 * `attemptMsMax`. So at least a minute lies between two mails to one user.
 */
export const turnMs = 60_000 + attemptMsMax
/** The notices in one mail. The others wait for the next turn. */
export const noticesPerMailMax = 50
/** The newest notices of a user are kept. */
const noticesOfUserMax = 200
const sweepMsMax = 60 * 60 * 1000

type NoticeDeliveryParts = {
  readonly store: Pick<Store, 'dueNoticeUsers' | 'dueNotices' | 'changeQueue' | 'find'>
  readonly vault: Pick<VaultClient, 'openMessage'>
  readonly carry: Carriers['mail']
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** For tests. */
  readonly nowMs?: () => number
  readonly lookMs?: number
}

/** `untilMs`: the end of the turn, to which everything that is due was postponed. */
type Turn = { readonly familyId: string; readonly untilMs: number; readonly hands: Hands }

type Opened = { readonly row: DueNotice; readonly notice: Notice }

/**
 * Sends the notices of a user that are due as one mail: at most one a minute to a user, and to a mailbox of the users of
 * an organization and its sub-organizations. A service that dies before it has removed
 * what it sent sends it again, with the same message id.
 */
export function startNoticeDelivery({
  store,
  vault,
  carry,
  log,
  nowMs = Date.now,
  lookMs,
}: NoticeDeliveryParts): Delivery {
  let sweptAtMs = Number.NEGATIVE_INFINITY
  return startWorker({
    look,
    onError: (error) => log.error({ channel: 'notice', error }, 'the notices cannot be read or written'),
    lookMs,
  })

  async function look(hands: Hands): Promise<void> {
    await sweep()
    const limit = mailsAtOnceMax - hands.count()
    if (limit === 0) return
    const due = await store.dueNoticeUsers({ nowMs: nowMs(), limit: limit * noticesPerMailMax })
    const users = [...new Map(due.map((user) => [`${user.organizationId} ${user.userId}`, user])).values()]
    for (const { organizationId, userId, familyId } of users.slice(0, limit)) {
      await trim({ organizationId, userId })
      const untilMs = nowMs() + turnMs
      const turn = { organizationId, userId, nowMs: nowMs(), untilMs }
      if ((await store.changeQueue({ queue: 'notices', change: 'take', ...turn })) === 'conflict') continue
      hands.take(deliver({ organizationId, userId }, { familyId, untilMs, hands }))
    }
  }

  async function sweep(): Promise<void> {
    if (nowMs() - sweptAtMs < sweepMsMax) return
    sweptAtMs = nowMs()
    await inPortions({ change: 'sweep', nowMs: sweptAtMs })
  }

  /** Keeps the newest notices of a user, however many came in since the last turn. */
  function trim(user: NoticeUser): Promise<void> {
    return inPortions({ change: 'trim', ...user, kept: noticesOfUserMax })
  }

  async function inPortions(change: NoticePortion): Promise<void> {
    let outcome: QueueOutcome = 'more'
    while (outcome === 'more') outcome = await store.changeQueue({ queue: 'notices', ...change })
  }

  async function deliver(user: NoticeUser, turn: Turn): Promise<void> {
    const { familyId, untilMs, hands } = turn
    const about = { organizationId: user.organizationId, userId: user.userId, channel: 'notice' }
    try {
      const opened = await nextOpened(user, turn)
      const [first] = opened
      if (first === undefined) {
        // A notice that comes in meanwhile needs no turn of its own: this one sent nothing.
        await store.changeQueue({ queue: 'notices', change: 'giveBack', ...user, untilMs })
        return
      }
      // The user may have another address by now. Notices to it have a turn of their own.
      const [head, ...tail] = opened.filter(({ notice }) => notice.to === first.notice.to)
      if (head === undefined) return
      // Other users may have the mailbox too. These notices are due again at the end of the turn.
      const mailbox = createHash('sha256').update(mailboxOf(head.notice.to)).digest('hex')
      const taken = { queue: 'notices', change: 'takeMailbox', familyId, mailbox, nowMs: nowMs(), untilMs } as const
      if ((await store.changeQueue(taken)) === 'conflict') return
      const mail = noticeMail([head.notice, ...tail.map(({ notice }) => notice)])
      const { messageId } = head.row
      const outcome = await carryOnce(mail, { messageId, signal: hands.attemptSignal(attemptMsMax) })
      const notices = tail.length + 1
      if (outcome.kind === 'failed') {
        log.warn({ ...about, messageId, notices, reason: outcome.reason, code: outcome.code }, 'notices wait')
        return
      }
      await Promise.all([head, ...tail].map(({ row }) => remove(row)))
      if (outcome.kind === 'delivered') log.info({ ...about, messageId, notices }, 'notices were delivered')
      else log.warn({ ...about, messageId, notices, reason: outcome.reason }, 'notices were refused for good')
    } catch (error) {
      if (error instanceof VaultUnavailable) log.warn({ ...about, reason: 'the vault is away' }, 'notices wait')
      else log.error({ ...about, error }, 'the notices cannot be read or written')
    }
  }

  /** Opens the next notices of which some are to be sent. There are none if all that wait were dropped. */
  async function nextOpened(user: NoticeUser, { untilMs, hands }: Turn): Promise<readonly Opened[]> {
    for (;;) {
      const rows = await store.dueNotices({ ...user, nowMs: untilMs, limit: noticesPerMailMax })
      const opened = await openAll(rows, hands)
      if (opened.length > 0 || rows.length === 0) return opened
    }
  }

  async function carryOnce(mail: ReturnType<typeof noticeMail>, about: Parameters<typeof carry>[1]): Promise<Outcome> {
    try {
      return await carry(mail, about)
    } catch (error) {
      return faultOf(error)
    }
  }

  /** Removes what has expired, and what the vault says that nobody wants any more. */
  async function openAll(rows: readonly DueNotice[], hands: Hands): Promise<readonly Opened[]> {
    const opened: Opened[] = []
    for (const row of rows) {
      const { organizationId, messageId } = row
      const answer = await openOnce({ store, vault, hands }, row)
      if (answer.kind === 'message' && answer.message.channel === 'notice') {
        opened.push({ row, notice: answer.message })
        continue
      }
      if (answer.kind === 'integrity') {
        const { incident } = answer
        log.error({ organizationId, messageId, incident }, 'a notice is not what the vault sealed: it is dropped')
      }
      await remove(row)
    }
    return opened
  }

  async function remove({ organizationId, messageId }: DueNotice): Promise<void> {
    await store.changeQueue({ queue: 'notices', change: 'remove', organizationId, messageId })
  }
}
