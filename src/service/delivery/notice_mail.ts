import { warningStart } from '../../contract/explanation/texts/label_texts.ts'
import { escaped } from '../../protocol/tools/escaped.ts'
import type { Notice, NoticeKind } from '../../protocol/wire/notices.ts'
import type { Mail } from '../../protocol/wire/outgoing_messages.ts'

const headings: { readonly [K in NoticeKind]: string } = {
  approve: 'Your approval is asked for',
  lapses: 'An approval lapses in less than two hours',
  completed: 'Your request was approved and is done',
  rejected: 'Your request was rejected',
  failed: 'Your request was approved and failed',
}

/** So many notices of one mail have their whole text. The others have their title only. */
const wholeMax = 10
/** The texts of these together, as HTML. A longer mail could not be sent, and markup is escaped to five times its length. */
const wholeCharactersMax = 50_000
const more = 'More notices wait for the next mails. The inbox shows all activities now.'
const advice = 'You can switch these mails off in the console, under Account.'

/**
 * Joins the notices to a mailbox to one mail, those with a warning first. There is at least one notice. `isMore`: others
 * wait for the next mail.
 */
export function noticeMail(
  given: readonly [Notice, ...Notice[]],
  { isMore = false }: { readonly isMore?: boolean } = {},
): Mail {
  const isWarned = ({ title }: Notice) => title.startsWith(warningStart)
  const notices = given.toSorted((one, other) => Number(isWarned(other)) - Number(isWarned(one)))
  const [first = given[0]] = notices
  const isOne = notices.length === 1
  // Several stand together in the inbox.
  const last = isOne && !isMore ? first.link : `${first.link.split('#', 1)[0]}#/inbox`
  const wholeCount = countWhole(notices)
  const whole = notices.slice(0, wholeCount)
  const others = notices.slice(wholeCount)
  const subject = isOne
    ? `${headings[first.kind]}: ${first.title}`
    : severalText(notices.length, notices.filter(isWarned).length)
  return {
    channel: 'mail',
    to: first.to,
    subject,
    text: [
      ...whole.map((notice) => [wholeText(notice), ...(isOne ? [] : [notice.link])].join('\n\n')),
      ...others.map(({ kind, title, link }) => `${headings[kind]}: ${title}\n${link}`),
      ...(isMore ? [more] : []),
      `${actionOf(last)}:\n${last}`,
      advice,
    ].join('\n\n'),
    html: [
      ...whole.map((notice) => wholeHtml(notice, { isOne })),
      ...others.map(({ kind, title, link }) => `<p>${headings[kind]}: ${linkHtml(link, title)}</p>`),
      ...(isMore ? [`<p>${more}</p>`] : []),
      `<p><a class="action" href="${escaped(last)}">${actionOf(last)}</a></p>`,
      `<p>${advice}</p>\n`,
    ].join('\n'),
  }
}

function severalText(count: number, warnedCount: number): string {
  return `${count} notices${warnedCount === 0 ? '' : `, ${warnedCount} of them with a WARNING`}`
}

/** The first one is always whole. */
function countWhole(notices: readonly Notice[]): number {
  let characters = 0
  const end = notices.findIndex(({ text }, index) => {
    characters += escaped(text).length
    return index > 0 && (index === wholeMax || characters > wholeCharactersMax)
  })
  return end === -1 ? notices.length : end
}

function wholeText({ kind, title, text }: Notice): string {
  return `${headings[kind]}\n\n${title}\n\n${text}`
}

/** One of several has its own link, and a line below it. */
function wholeHtml({ kind, title, text, link }: Notice, { isOne }: { readonly isOne: boolean }): string {
  const ending = isOne ? '' : `\n<p>${linkHtml(link, actionOf(link))}</p>\n<hr>`
  return `<h2>${headings[kind]}</h2>\n<p><strong>${escaped(title)}</strong></p>\n<pre>${escaped(text)}</pre>${ending}`
}

function linkHtml(link: string, text: string): string {
  return `<a href="${escaped(link)}">${escaped(text)}</a>`
}

function actionOf(link: string): string {
  return link.endsWith('/inbox') ? 'Open the inbox' : 'Open the activity'
}
