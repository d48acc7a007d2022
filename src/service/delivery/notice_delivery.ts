import { createByteCache } from '../../protocol/tools/byte_cache.ts'
import { mailboxOf } from '../../protocol/wire/mail_addresses.ts'
import type { Notice } from '../../protocol/wire/notices.ts'
import type { Log } from '../process/log.ts'
import type { DueNotice, NoticeLine, Store } from '../store/store.ts'
import { type VaultClient, VaultError, VaultUnavailable } from '../vault/client.ts'
import { openOnce } from './attempt.ts'
import { type Carriers, faultOf, type Outcome } from './carrier.ts'
import { createDeliveryTurns, type Turn } from './delivery_turns.ts'
import { noticeMail } from './notice_mail.ts'
import { createWaitingMailboxes, type DueMailbox } from './waiting_mailboxes.ts'
import { type Delivery, type Hands, startWorker } from './worker.ts'

/** Mails with notices that are sent at once. Other mails do not wait for them. */
const mailsAtOnceMax = 4
/** An organization and its sub-organizations have so many of them. */
const mailsOfFamilyMax = 3
/** All sub-organizations of one parent have so many of them, and leave one to the parent. */
const mailsOfSubOrganizationsMax = 2
/** One look reads so many pages of what is due, while there are places. The next look goes on behind them. */
const pagesPerLookMax = 4
const attemptMsMax = 30_000
/**
 * How long a turn takes. One mail is sent in a turn, by the node that took it, and an attempt ends before
 * `attemptMsMax`. So at least a minute lies between two mails to one mailbox.
 */
export const turnMs = 60_000 + attemptMsMax
/** The notices in one mail. The others wait for the next turn. */
export const noticesPerMailMax = 50
/** So many mailboxes are remembered that took no mail. Each counts as a byte. */
const mailboxesMax = 10_000
const sweepMsMax = 60 * 60 * 1000

type NoticeDeliveryParts = {
  readonly store: Pick<Store, 'dueNoticeLines' | 'dueLinesOfMailbox' | 'dueNotices' | 'changeQueue' | 'find'>
  readonly vault: Pick<VaultClient, 'openMessage'>
  readonly carry: Carriers['mail']
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** For tests. */
  readonly nowMs?: () => number
  readonly lookMs?: number
}

/** `untilMs`: the end of the turn of a mailbox. */
type MailboxTurn = { readonly untilMs: number; readonly hands: Hands }

type Opened = { readonly row: DueNotice; readonly notice: Notice }

/**
 * Sends the notices to a mailbox that are due as one mail: at most one a minute to a mailbox of the users of an
 * organization and its sub-organizations. Organizations take turns, and in a mail the lines of the mailbox. A service
 * that dies before it has removed what it sent sends it again, with the same message id.
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
  /** Mailboxes that took no mail, and how many turns ago. Each turn then sends the notices of one line. */
  const troubled = createByteCache<number>({ bytesMax: mailboxesMax })
  const mailboxes = createWaitingMailboxes({ store, nowMs })
  const takeTurns = createDeliveryTurns({
    atOnceMax: mailsAtOnceMax,
    ofOrganizationMax: mailsOfFamilyMax,
    ofFamilyMax: mailsOfFamilyMax,
    ofSubOrganizationsMax: mailsOfSubOrganizationsMax,
    next: mailboxes.nextOrganization,
    takeDue,
  })
  return startWorker({
    look,
    onError: (error) => log.error({ channel: 'notice', error }, 'the notices cannot be read or written'),
    lookMs,
  })

  async function look(hands: Hands): Promise<void> {
    await sweep()
    for (let pages = 0; pages < pagesPerLookMax && hands.count() < mailsAtOnceMax; pages += 1) {
      const { isLast } = await mailboxes.find()
      await takeTurns(hands)
      if (isLast) return
    }
  }

  async function takeDue({ organizationId, limit, owners }: Turn, hands: Hands): Promise<void> {
    for (let room = limit; room > 0; ) {
      const mailbox = mailboxes.take(organizationId)
      if (mailbox === undefined) return
      const { familyId, mailbox: digest } = mailbox
      const turn = { familyId, mailbox: digest, nowMs: nowMs(), untilMs: nowMs() + turnMs }
      if ((await store.changeQueue({ queue: 'notices', change: 'take', ...turn })) === 'conflict') continue
      hands.take(deliver(mailbox, { untilMs: turn.untilMs, hands }), owners)
      room -= 1
    }
  }

  async function sweep(): Promise<void> {
    if (nowMs() - sweptAtMs < sweepMsMax) return
    sweptAtMs = nowMs()
    const change = { queue: 'notices', change: 'sweep', nowMs: sweptAtMs } as const
    while ((await store.changeQueue(change)) === 'more');
  }

  async function deliver(due: DueMailbox, turn: MailboxTurn): Promise<void> {
    const { familyId, mailbox, lines } = due
    const { untilMs, hands } = turn
    const about = { organizationId: lines[0].organizationId, channel: 'notice' }
    const key = `${familyId} ${mailbox}`
    const failures = troubled.get(key) ?? 0
    try {
      const { opened, isMore, isWhole, linesCount, kept } = await nextOpened(due, { ...turn, failures })
      // The digest of the mailbox is the word of the database: a notice goes to its own address only.
      const to = mailboxOf(opened[0]?.notice.to ?? '')
      const [head, ...tail] = opened.filter(({ notice }) => mailboxOf(notice.to) === to)
      // The whole mail is tried again once the line that is not taken is gone, or each line had its turn.
      const failuresAfter = failures === 0 || failures >= linesCount ? 0 : failures + 1
      if (head === undefined) {
        troubled.set(key, kept > 0 ? failuresAfter : 0, 1)
        // A notice that the vault cannot open is tried again in the next turn, and not at once.
        if (kept > 0) return
        // A notice that comes in meanwhile needs no turn of its own: this one sent nothing.
        await store.changeQueue({ queue: 'notices', change: 'giveBack', familyId, mailbox, untilMs })
        return
      }
      const mail = noticeMail([head.notice, ...tail.map(({ notice }) => notice)], { isMore })
      const { messageId } = head.row
      const outcome = await carryOnce(mail, { messageId, signal: hands.attemptSignal(attemptMsMax) })
      const notices = tail.length + 1
      // One text that the receiver does not take must not take away what others have asked for.
      if (outcome.kind === 'failed' || (outcome.kind === 'refused' && isWhole)) {
        troubled.set(key, failures + 1, 1)
        log.warn({ ...about, messageId, notices, reason: outcome.reason, code: outcome.code }, 'notices wait')
        return
      }
      troubled.set(key, outcome.kind === 'refused' ? 0 : failuresAfter, 1)
      await Promise.all([head, ...tail].map(({ row }) => remove(row)))
      if (outcome.kind === 'delivered') log.info({ ...about, messageId, notices }, 'notices were delivered')
      else log.warn({ ...about, messageId, notices, reason: outcome.reason }, 'notices were refused for good')
    } catch (error) {
      if (error instanceof VaultUnavailable) log.warn({ ...about, reason: 'the vault is away' }, 'notices wait')
      else log.error({ ...about, error }, 'the notices cannot be read or written')
    }
  }

  /** Opens the next notices of which some are to be sent. There are none if all that wait were dropped or kept. */
  async function nextOpened(mailbox: DueMailbox, turn: MailboxTurn & { readonly failures: number }) {
    const { untilMs, hands, failures } = turn
    const all = await linesOf(mailbox)
    const lines = failures === 0 ? all.slice(0, noticesPerMailMax) : all.slice((failures - 1) % all.length).slice(0, 1)
    const kept = new Set<string>()
    for (;;) {
      const { rows, isMore } = await nextRows(lines, kept)
      const opened = await openAll(rows, { hands, kept })
      const isLate = nowMs() + attemptMsMax > untilMs
      if (opened.length > 0 || rows.length === 0 || isLate) {
        const isWhole = lines.length > 1
        const isRest = isMore || lines.length < all.length || kept.size > 0
        return { opened, isMore: isRest, isWhole, linesCount: all.length, kept: kept.size }
      }
    }
  }

  /**
   * The lines of a mailbox, as many as have a place in one mail, and one more if there are more. Those of the parent come
   * first: anybody may give the mailbox to users of new sub-organizations.
   */
  async function linesOf({ familyId, mailbox, lines }: DueMailbox): Promise<readonly NoticeLine[]> {
    const all = new Map<string, NoticeLine>()
    for (const organizationId of new Set([familyId, ...lines.map((line) => line.organizationId)])) {
      if (all.size > noticesPerMailMax) break
      const others = await store.dueLinesOfMailbox({
        organizationId,
        mailbox,
        nowMs: nowMs(),
        limit: noticesPerMailMax + 1,
      })
      const due = lines.filter((line) => line.organizationId === organizationId)
      for (const { userId } of [...due, ...others]) all.set(`${organizationId} ${userId}`, { organizationId, userId })
    }
    return [...all.values()].slice(0, noticesPerMailMax + 1)
  }

  /**
   * The oldest notices of each line but those that are kept, in equal shares. Lines with few leave the rest of their share
   * to the others.
   */
  async function nextRows(lines: readonly NoticeLine[], kept: ReadonlySet<string>) {
    const share = Math.ceil(noticesPerMailMax / lines.length)
    const dueOf = async (line: NoticeLine, limit: number) => {
      const due = await store.dueNotices({ ...line, nowMs: nowMs(), limit: limit + kept.size })
      return due.filter(({ messageId }) => !kept.has(messageId))
    }
    const begun = await Promise.all(lines.map(async (line) => ({ line, due: await dueOf(line, share + 1) })))
    const rows: DueNotice[] = []
    let isMore = false
    for (const [index, { line, due }] of begun.toSorted((a, b) => a.due.length - b.due.length).entries()) {
      const room = Math.ceil((noticesPerMailMax - rows.length) / (begun.length - index))
      const found = due.length > share && room > share ? await dueOf(line, room + 1) : due
      rows.push(...found.slice(0, room))
      isMore ||= found.length > room
    }
    return { rows, isMore }
  }

  async function carryOnce(mail: ReturnType<typeof noticeMail>, about: Parameters<typeof carry>[1]): Promise<Outcome> {
    try {
      return await carry(mail, about)
    } catch (error) {
      return faultOf(error)
    }
  }

  /**
   * Removes what has expired, and what the vault says that nobody wants any more. A notice that the vault cannot open now
   * is `kept` for a later turn, and the others of its mailbox go out.
   */
  async function openAll(
    rows: readonly DueNotice[],
    { hands, kept }: { readonly hands: Hands; readonly kept: Set<string> },
  ): Promise<readonly Opened[]> {
    const opened: Opened[] = []
    for (const row of rows) {
      const { organizationId, messageId } = row
      const answer = await openOnce({ store, vault, hands }, row).catch(thrownByVault)
      if (answer instanceof VaultError || answer.kind === 'moreReads') {
        kept.add(messageId)
        log.warn({ organizationId, messageId, channel: 'notice' }, 'the vault cannot open a notice now: it waits')
        continue
      }
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

/** Returns what the vault threw about one notice. Its log has the rest. */
function thrownByVault(error: unknown): VaultError {
  if (error instanceof VaultError) return error
  throw error
}
