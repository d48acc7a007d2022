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
 * The choices of the caller. All are free in mails of an organization that has no parent, and in mails that a
 * parent asks for in its sub-organization. Users of a sub-organization may be anybody, and their mails come from the server
 * of others: they may choose what the feature of the parent allows, unless the operator has decided for all.
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

/**
 * Refuses a sender, a text or a link that the caller may not choose. The item `SENDER` of the feature allows the sender,
 * `TEXTS` a picture and the text of a text message, and a link's beginning the link.
 */
export function requireMailChoices(chosen: Chosen, asking: Asking): void {
  const { sender, texts, links } = choicesOf(asking)
  const { emailCustomization: { logoUrl, magicLinkTemplate } = {}, smsCustomization } = chosen
  const refuse = (field: string, item: string) => {
    throw refusal(`choose parameters.${field}`, asking, item)
  }
  for (const name of ['sendFromEmailAddress', 'sendFromEmailSenderName', 'replyToEmailAddress'] as const) {
    if (!sender && chosen[name] !== undefined) refuse(name, 'SENDER')
  }
  if (!texts && logoUrl !== undefined) refuse('emailCustomization.logoUrl', 'TEXTS')
  if (!texts && smsCustomization?.template !== undefined) refuse('smsCustomization.template', 'TEXTS')
  if (magicLinkTemplate !== undefined && !mayLink(magicLinkTemplate, links)) {
    refuse('emailCustomization.magicLinkTemplate', 'a beginning of the link')
  }
}

function mayLink(template: string, links: MailChoices['links']): boolean {
  if (links === 'all') return true
  const link = linkOf(template, 'x')
  // The beginning has to end before the code, in whose place `x` stands here.
  const [beforeCode = ''] = template.split('%s')
  return links.some((beginning) => beforeCode.startsWith(beginning) && beginsWith(link, beginning))
}

/**
 * Refuses to mail a link that leads into a sub-organization, unless the parent has verified that the address is its
 * user's. Somebody who has signed up would lead others there in the name of the parent, which such a mail bears.
 */
export function requireMailedLinks(asking: Asking, { isVerified }: { readonly isVerified: boolean }): void {
  if (isVerified || mayMailLinks(asking)) return
  throw refusal('have links mailed to an address that no token of the parent has verified', asking, 'TEXTS')
}

/** The item `TEXTS` of the feature allows this too. Its beginnings are for links that the caller writes. */
function mayMailLinks(asking: Asking): boolean {
  return choicesOf(asking).texts
}

/** `item`: the item of the feature that would allow it. */
function refusal(deed: string, { mailDecider }: Asking, item: string): Failure {
  const because =
    mailDecider === 'plain'
      ? 'the operator has set CLAVIGER_SUB_ORGANIZATION_MAILS to plain'
      : `${subOrganizationMailsName} of the parent does not allow it, for which it needs ${item}`
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
