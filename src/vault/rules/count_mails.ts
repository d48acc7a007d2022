import type { Addition } from '../../deciding/rules/counts.ts'
import { type Amount, sumOf } from '../../policy/spending.ts'
import type { Commit } from '../../protocol/reads.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { networkAround } from '../../protocol/wire/ip_ranges.ts'
import type { Caller } from '../caller/caller.ts'
import type { Reading } from '../caller/request_context.ts'
import type { Organization } from '../state/organization.ts'

const dayMs = 24 * 60 * 60 * 1_000

type Sending = {
  readonly messages: Commit['outbox']
  readonly target: Organization
  /** The client's address. Undefined: not known. */
  readonly sourceAddress: string | undefined
  readonly submitter: Pick<Caller, 'organization' | 'isUnstamped'>
}

/** A count on the books, and its bound. */
type Budget = Pick<Addition, 'organizationId' | 'what'> & {
  readonly limit: 'mailsADayMax' | 'subOrganizationMailsADayMax'
  readonly whose: string
  /** Whether it has only a tenth of the limit. */
  readonly isTenth?: true
}

/** A budget of a tenth has so many all the same, if the limit has. */
const tenthMin = 10
/** One customer may have a whole /48 of IPv6. */
const ipv6BitsOfCustomer = 48

/**
 * Returns what a decision counts that sends mails or text messages. Throws LIMIT_REACHED_FOR_NOW if it sends more than
 * is left of a day, and LIMIT_REACHED if it sends more than a day has. The parent is counted for its sub-organizations,
 * because anybody there may be the whole root quorum, and there may be any number of them. Each kind of asker has a
 * budget: none can use up that of another.
 */
export function countMails(context: Reading, sending: Sending): readonly Addition[] {
  const { messages } = sending
  const sent = messages.filter(({ channel }) => channel === 'mail' || channel === 'sms').length
  if (sent === 0) return []
  const { decisionCounts, nowMs, services } = context
  return budgetsOf(sending).map(({ organizationId, what, limit, whose, isTenth }) => {
    const all = services.limits[limit]
    const max = isTenth === true ? Math.min(all, Math.max(tenthMin, Math.floor(all / 10))) : all
    if (sent > max) throw new Failure('LIMIT_REACHED', reasonOf({ limit, whose, max }))
    const before = decisionCounts.amounts(organizationId, what, 'activity')
    const left = BigInt(max - sent)
    if (sumOf(before, { nowMs, durationMs: dayMs }) > left) {
      const when = new Date(roomAtMs(before, left)).toISOString()
      throw new Failure('LIMIT_REACHED_FOR_NOW', `${reasonOf({ limit, whose, max })}; try again after ${when}`)
    }
    return { organizationId, what, amount: BigInt(sent), keptMs: dayMs, by: 'activity' }
  })
}

type Noticed<T> = { readonly notices: readonly T[]; readonly target: Organization }

/**
 * Returns the first of these notices, as many as are left of a day, and what they count. A notice is only a help, so its
 * budget refuses nothing. Those in a sub-organization are mails that its users make the server send, as its codes are.
 * In an organization without a parent they have a budget of their own: no notice keeps a user from logging in.
 */
export function countNotices<T>(context: Reading, { notices, target }: Noticed<T>) {
  if (notices.length === 0) return { notices, additions: [] }
  const { decisionCounts, nowMs, services } = context
  const budgets = noticeBudgetsOf(target).map((budget) => {
    const before = decisionCounts.amounts(budget.organizationId, budget.what)
    const sent = sumOf(before, { nowMs, durationMs: dayMs })
    return { ...budget, left: Math.max(0, services.limits[budget.limit] - Number(sent)) }
  })
  const kept = notices.slice(0, Math.min(...budgets.map(({ left }) => left)))
  if (kept.length < notices.length) {
    const about = { organizationId: target.head.organizationId, leftOut: notices.length - kept.length }
    services.log.warn(about, 'notices are left out: the mails of a day are used up')
  }
  if (kept.length === 0) return { notices: kept, additions: [] }
  // The bytes of the submission may be a vote as well, which has notices of its own.
  const counted = { amount: BigInt(kept.length), keptMs: dayMs, countsEachTime: true } as const
  return { notices: kept, additions: budgets.map(({ organizationId, what }) => ({ organizationId, what, ...counted })) }
}

function noticeBudgetsOf({ head }: Organization): readonly Omit<Budget, 'whose'>[] {
  const { organizationId, parentId } = head
  return parentId === undefined
    ? [{ organizationId, what: ['mails', 'notices'], limit: 'mailsADayMax' }]
    : subOrganizationBudgets({ organizationId, parentId })
}

function budgetsOf({ target, submitter, sourceAddress }: Sending): readonly Budget[] {
  const { organizationId, parentId } = target.head
  const { organization, isUnstamped } = submitter
  const family = { organizationId: parentId ?? organizationId, limit: 'mailsADayMax' } as const
  if (isUnstamped === true) {
    const ofAddress = ['mails', 'proxy', networkAround(sourceAddress, ipv6BitsOfCustomer)]
    return [
      { ...family, what: ['mails', 'proxy'], whose: 'by the auth proxy' },
      // Else one stranger at one address keeps everybody from logging in by code for a day.
      { ...family, what: ofAddress, whose: 'by the auth proxy for one address', isTenth: true },
    ]
  }
  if (parentId === undefined || organization.head.organizationId !== organizationId) {
    return [{ ...family, what: ['mails', 'own'], whose: 'by users of the organization' }]
  }
  return subOrganizationBudgets({ organizationId, parentId })
}

function subOrganizationBudgets(named: { readonly organizationId: string; readonly parentId: string }): Budget[] {
  const { organizationId, parentId } = named
  const whose = 'by users of a sub-organization'
  const ofAll = 'by users of all sub-organizations together'
  return [
    { organizationId, what: ['mails', 'own'], limit: 'subOrganizationMailsADayMax', whose },
    { organizationId: parentId, what: ['mails', 'below'], limit: 'mailsADayMax', whose: ofAll },
  ]
}

const settingOf: Readonly<Record<Budget['limit'], string>> = {
  mailsADayMax: 'CLAVIGER_LIMIT_MAILS_A_DAY',
  subOrganizationMailsADayMax: 'CLAVIGER_LIMIT_SUB_ORGANIZATION_MAILS_A_DAY',
}

function reasonOf({ limit, whose, max }: Pick<Budget, 'limit' | 'whose'> & { readonly max: number }): string {
  return `${whose} at most ${max} mails and text messages are sent within 24 hours (${settingOf[limit]})`
}

/** The time from which on at most `left` of these amounts count. Now more do. */
function roomAtMs(amounts: readonly Amount[], left: bigint): number {
  const ends = amounts.map(({ atMs }) => atMs + dayMs).toSorted((one, other) => one - other)
  const isRoom = (nowMs: number) => sumOf(amounts, { nowMs, durationMs: dayMs }) <= left
  return ends.find(isRoom) ?? Math.max(...ends)
}
