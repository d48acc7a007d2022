import { escaped } from '../../../protocol/tools/escaped.ts'
import type { Mail } from '../../../protocol/wire/outgoing_messages.ts'

/** How mails look: settings of the operator. */
export type MailLook = {
  /** The name of the server, on one line. */
  readonly name: string
  /** `#rrggbb` */
  readonly color: string
  readonly logo: Logo | undefined
  /** The place where people get help: a mail address, or an http or https address. */
  readonly support: string | undefined
}

export type Logo = { readonly type: 'image/png' | 'image/jpeg'; readonly bytes: Uint8Array }

export const mailColorDefault = '#335a85'

/** A mail as it is sent. The page shows the logo by `cid:` and this id, so no reader asks a server for it. */
export type DressedMail = Mail & { readonly logo?: Logo }
export const logoId = 'logo@claviger'

/** Puts the content of a mail into the page of the server, and the server's name and support below both parts. */
export function dressed(mail: Mail, look: MailLook): DressedMail {
  const { subject, text, html, app } = mail
  // A mail that was sealed by an earlier version is a whole page.
  if (html === undefined || /^<!doctype/i.test(html)) return mail
  const ownLogo = app === undefined ? look.logo : undefined
  return {
    ...mail,
    text: `${text.trimEnd()}\n\n-- \n${footLines(look).join('\n')}`,
    html: page({ subject, head: headHtml(app, look), content: html, look }),
    ...(ownLogo === undefined ? {} : { logo: ownLogo }),
  }
}

function footLines({ name, support }: MailLook): readonly string[] {
  return [`Sent by ${name}.`, ...(support === undefined ? [] : [`Help: ${support}`])]
}

/** The name and logo of the app that a request names, or else those of the server. */
function headHtml(app: Mail['app'], { name, logo }: MailLook): string {
  const source = app === undefined ? logo && `cid:${logoId}` : app.logoUrl
  const shown = escaped(app?.name ?? name)
  return source === undefined ? shown : `<img src="${escaped(source)}" alt="${shown}">`
}

function footHtml({ name, support }: MailLook): string {
  const sent = `Sent by ${escaped(name)}.`
  if (support === undefined) return sent
  const href = support.includes('://') ? support : `mailto:${support}`
  return `${sent}<br>Help: <a href="${escaped(href)}">${escaped(support)}</a>`
}

type Page = { readonly subject: string; readonly head: string; readonly content: string; readonly look: MailLook }

function page({ subject, head, content, look }: Page): string {
  return `<!doctype html>
<html lang="en"><head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>${styles(look.color)}</style>
</head><body>
<div class="page">
<div class="head">${head}</div>
<div class="content">
${content}</div>
<div class="foot">${footHtml(look)}</div>
</div>
</body></html>
`
}

/** Readers that drop styles show the same content as plain paragraphs. */
function styles(color: string): string {
  return `
:root { color-scheme: light dark; }
body { margin: 0; padding: 16px; background: #f3f5f7; color: #1b2733; font: 16px/1.5 -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
.page { max-width: 560px; margin: 0 auto; overflow-wrap: anywhere; }
.head { padding: 16px 20px; border-radius: 8px 8px 0 0; background: ${color}; color: ${inkOn(color)}; font-weight: 600; }
.head img { display: block; max-width: 100%; max-height: 48px; }
.content { padding: 8px 20px; border-radius: 0 0 8px 8px; background: #ffffff; }
.foot { padding: 12px 20px; color: #55616d; font-size: 13px; }
.foot a { color: inherit; }
.action { display: inline-block; padding: 12px 20px; border-radius: 6px; background: ${color}; color: ${inkOn(color)}; font-weight: 600; text-decoration: none; }
.passcode { font-size: 26px; letter-spacing: 3px; }
code, pre { font: 14px/1.5 ui-monospace, Menlo, Consolas, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
h2 { margin: 16px 0 8px; font-size: 17px; line-height: 1.35; }
hr { border: 0; border-top: 1px solid #d5dbe1; }
@media (prefers-color-scheme: dark) {
  body { background: #10161d; color: #e6ebf0; }
  .content { background: #1a232d; }
  .foot { color: #a3b0bd; }
  hr { border-top-color: #33414f; }
}
`
}

/** Black or white, whichever can be read better on the color (WCAG 2.2, relative luminance). */
function inkOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  // At this luminance the contrast with black is that with white.
  return luminance > 0.179 ? '#000000' : '#ffffff'
}
