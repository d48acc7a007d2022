import type { ActivityContext } from '../../../contract/define.ts'
import { linkOf, type MailSender } from '../../../contract/mails.ts'
import { all, type Need, ofParent } from '../../../contract/needs.ts'
import type { OrganizationReader, OrganizationWriter } from '../../../contract/readers.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import {
  allChoices,
  beginsWith,
  type MailChoices,
  mailChoicesIn,
  noChoices,
  subOrganizationMailsName,
} from '../../../protocol/wire/sub_organization_mails.ts'

type Asking = Pick<ActivityContext<unknown>, 'mailDecider'> & {
  readonly organization: Pick<
    OrganizationReader | OrganizationWriter,
    'organizationId' | 'organizationName' | 'parentId' | 'parent'
  >
  /** The organization of whoever asks for the mail. */
  readonly caller: Pick<ActivityContext<unknown>['caller'], 'organizationId'>
}

/** The records that say which choices of a mail are free. */
export const mailChoiceNeeds: readonly Need[] = [ofParent(all('feature'))]

/**
 * The choices of the caller. An organization answers for its own mails, and a parent for those that it asks for. The
 * users of a sub-organization may be anybody, and their mails come from the server of others.
 */
function choicesOf({ organization, caller, mailDecider }: Asking): MailChoices {
  const { parentId, organizationId, parent } = organization
  if (parentId === undefined || caller.organizationId !== organizationId || mailDecider === 'free') return allChoices
  const feature = parent?.features.all().find(({ name }) => name === subOrganizationMailsName)
  return mailDecider === 'plain' || feature?.value === undefined ? noChoices : mailChoicesIn(feature.value)
}

type Chosen = MailSender & {
  readonly emailCustomization?: { readonly logoUrl?: string; readonly magicLinkTemplate?: string }
  readonly smsCustomization?: { readonly template?: string }
}

/** Refuses a sender, a text or a link that the caller may not choose. */
export function requireMailChoices(chosen: Chosen, asking: Asking): void {
  const { sender, texts, links } = choicesOf(asking)
  const { emailCustomization: { logoUrl, magicLinkTemplate = '' } = {}, smsCustomization } = chosen
  const link = linkOf(magicLinkTemplate, 'x')
  // The beginning has to end before the code, in whose place `x` stands here.
  const [beforeCode = ''] = magicLinkTemplate.split('%s')
  const isAllowed = (beginning: string) => beforeCode.startsWith(beginning) && beginsWith(link, beginning)
  const isLinkAllowed = links === 'all' || links.some(isAllowed)
  const refused = [
    ...(sender ? [] : (['sendFromEmailAddress', 'sendFromEmailSenderName', 'replyToEmailAddress'] as const)).filter(
      (name) => chosen[name] !== undefined,
    ),
    ...(texts || logoUrl === undefined ? [] : ['emailCustomization.logoUrl']),
    ...(texts || smsCustomization?.template === undefined ? [] : ['smsCustomization.template']),
    ...(magicLinkTemplate === '' || isLinkAllowed ? [] : ['emailCustomization.magicLinkTemplate']),
  ]
  if (refused.length === 0) return
  throw refusal(`choose parameters.${refused[0]}`, asking)
}

/**
 * Refuses to mail a link that leads into a sub-organization, unless the parent has verified that the address is its
 * user's. Somebody who has signed up would lead others there in the name of the parent, which such a mail bears.
 */
export function requireMailedLinks(asking: Asking, { isVerified }: { readonly isVerified: boolean }): void {
  if (isVerified || mayNameInMails(asking)) return
  throw refusal('have links mailed to an address that no token of the parent has verified', asking)
}

function refusal(deed: string, { mailDecider }: Asking): Failure {
  const because =
    mailDecider === 'plain'
      ? 'the operator has set CLAVIGER_SUB_ORGANIZATION_MAILS to plain'
      : `${subOrganizationMailsName} of the parent does not allow it`
  return new Failure('FORBIDDEN', `users of a sub-organization may not ${deed}: ${because}`)
}

/** Whether names that users of the organization have set may stand in a mail. */
export function mayNameInMails(asking: Asking): boolean {
  return choicesOf(asking).texts
}

/** The name in whose name a mail speaks: the chosen one, or that of the parent, which nobody below it can set. */
export function nameInMails(chosen: string, asking: Asking): string {
  return mayNameInMails(asking) ? chosen : (asking.organization.parent?.organizationName ?? chosen)
}
