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
const titleCharactersMax = 150
const advice = 'You can switch these mails off with set_notice_preferences.'

/** Joins the notices of one user to one mail. There is at least one notice. */
export function noticeMail(notices: readonly [Notice, ...Notice[]]): Mail {
  const [first] = notices
  const whole = notices.slice(0, wholeMax)
  const others = notices.slice(wholeMax)
  const subject =
    notices.length === 1 ? `${headings[first.kind]}: ${shortened(first.title)}` : `${notices.length} notices`
  const links = [...new Set(notices.map(({ link }) => link))]
  return {
    channel: 'mail',
    to: first.to,
    subject,
    text: [
      ...whole.map(({ kind, title, text }) => `${headings[kind]}\n\n${title}\n\n${text}`),
      ...others.map(({ kind, title }) => `${headings[kind]}: ${title}`),
      links.map((link) => `${actionOf(link)}:\n${link}`).join('\n'),
      advice,
    ].join('\n\n'),
    html: [
      ...whole.map(wholeHtml),
      ...others.map(({ kind, title }) => `<p>${headings[kind]}: ${escaped(title)}</p>`),
      ...links.map((link) => `<p><a class="action" href="${escaped(link)}">${actionOf(link)}</a></p>`),
      `<p>${advice}</p>\n`,
    ].join('\n'),
  }
}

function wholeHtml({ kind, title, text }: Notice, index: number): string {
  const line = index === 0 ? '' : '<hr>\n'
  return `${line}<h2>${headings[kind]}</h2>\n<p><strong>${escaped(title)}</strong></p>\n<pre>${escaped(text)}</pre>`
}

function actionOf(link: string): string {
  return link.endsWith('/inbox') ? 'Open the inbox' : 'Open the activities'
}

function shortened(title: string): string {
  const characters = [...title]
  return characters.length <= titleCharactersMax ? title : `${characters.slice(0, titleCharactersMax).join('')}…`
}
