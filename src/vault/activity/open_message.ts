import { isFinal } from '../../contract/records/activity.ts'
import type { User } from '../../contract/records/records.ts'
import { ReadsNeeded } from '../../deciding/organization/reads_needed.ts'
import { isStillAsked, policiesThatWaited } from '../../deciding/rules/asked_users.ts'
import type { OpenMessageAnswer, OpenMessageRequest } from '../../link/verbs.ts'
import { mailboxOf } from '../../protocol/wire/mail_addresses.ts'
import type { Notice } from '../../protocol/wire/notices.ts'
import { type WebhookEvent, webhookFeatureName } from '../../protocol/wire/webhooks.ts'
import { againAfterLooks } from '../books/decision_books.ts'
import { createDecisionCounts } from '../state/decision_counts.ts'
import { openMessage } from '../state/draft/outbox.ts'
import { createEvidence, IntegrityError } from '../state/evidence.ts'
import { type Organization, openOrganization, type Sources } from '../state/organization.ts'
import { openActivity } from '../state/sealed_activity.ts'
import type { VaultServices } from '../state/vault_services.ts'

/**
 * Opens a message for one delivery. Notices and events wait for up to a day, and what they rest on may have changed: the
 * organization as it is presented now says whether they are still wanted. A missing record is asked for.
 */
export async function openWanted(services: VaultServices, request: OpenMessageRequest): Promise<OpenMessageAnswer> {
  const { organizationId, presented } = request
  try {
    return await againAfterLooks(services.books, (books) => {
      const evidence = createEvidence(presented)
      const nowMs = services.nowMs()
      const decisionCounts = createDecisionCounts(books, { nowMs, newId: services.newId })
      const sources = { services: { ...services, books }, evidence, decisionCounts }
      return openMessage(services, request, async (message) => {
        if (message.channel === 'mail' || message.channel === 'sms') return true
        const organization = openOrganization(sources, organizationId)
        if (organization === undefined) return false
        return message.channel === 'webhook'
          ? isSubscribed(organization, message)
          : isConcerned(sources, organization, message)
      })
    })
  } catch (error) {
    if (error instanceof ReadsNeeded) return { kind: 'moreReads', reads: error.reads }
    // The database may show an older state than the books for a moment.
    if (error instanceof IntegrityError) return { kind: 'moreReads', reads: presented.map(({ read }) => read) }
    throw error
  }
}

/** Whether the endpoint is on, or the feature still names the address. */
function isSubscribed(organization: Organization, { endpointId, url }: WebhookEvent): boolean {
  if (endpointId === webhookFeatureName) {
    return (
      organization.isListed('feature', webhookFeatureName) &&
      organization.listed('feature', webhookFeatureName)?.value === url
    )
  }
  return (
    organization.isListed('webhook_endpoint', endpointId) &&
    organization.listed('webhook_endpoint', endpointId)?.isActive === true
  )
}

/** Whether one of the users still has the mailbox, wants notices and may still vote if that is asked for. */
function isConcerned({ services, evidence }: Sources, organization: Organization, notice: Notice): boolean {
  const { userIds, activityId, kind, to } = notice
  if (userIds === undefined || activityId === undefined) return true
  const listed = userIds.filter((userId) => organization.isListed('user', userId))
  organization.askFor('user', listed)
  const users = listed
    .flatMap((userId) => organization.listed('user', userId) ?? [])
    .filter(({ userEmail, withoutNotices }) => withoutNotices !== true && userEmail !== undefined)
    .filter(({ userEmail = '' }) => mailboxOf(userEmail) === mailboxOf(to))
  if (kind !== 'approve' && kind !== 'lapses') return users.length > 0
  if (users.length === 0) return false
  const { organizationId, rootQuorum } = organization.head
  const { row } = evidence.find({ read: 'activity', organizationId, activityId })
  if (row === undefined) return false
  const activity = openActivity(services.seals, organizationId, row)
  const { status, votes } = activity
  if (isFinal(status)) return false
  const voted = new Set<string>(votes.map(({ userId }) => userId))
  organization.askFor('policy', policiesThatWaited(activity))
  const meter = { steps: 0 }
  const mayVote = (user: User) =>
    rootQuorum.userIds.includes(user.userId) || isStillAsked(activity, user, organization, meter)
  return users.some((user) => !voted.has(user.userId) && mayVote(user))
}
