/** The choices that users of sub-organizations have in mails and text messages. Pure. */

/** The parent's feature that sets these choices. It is Claviger's own. */
export const subOrganizationMailsName = 'FEATURE_NAME_SUB_ORGANIZATION_MAILS'

/** The parent decides, or the operator for all: nothing may be chosen (`plain`), or everything (`free`). */
export const mailDeciders = ['parent', 'plain', 'free'] as const
export type MailDecider = (typeof mailDeciders)[number]

export type MailChoices = {
  /** The name and address of the sender, and the address for answers. */
  readonly sender: boolean
  /** Names, pictures, and the text of a text message. */
  readonly texts: boolean
  /** The beginnings of links that are allowed, or all. */
  readonly links: readonly string[] | 'all'
}

export const noChoices: MailChoices = { sender: false, texts: false, links: [] }
export const allChoices: MailChoices = { sender: true, texts: true, links: 'all' }

const itemsMax = 20
export const mailChoicesExpected = `1 to ${itemsMax} of SENDER, TEXTS, schemes such as myapp: and beginnings of links such as https://app.example.com/, with commas between them`

/** Whether the text is a value of the feature. */
export function isMailChoices(value: string): boolean {
  const items = value.split(',')
  return items.length <= itemsMax && items.every((item) => item === 'SENDER' || item === 'TEXTS' || isBeginning(item))
}

/** Returns the choices in a value that `isMailChoices` takes. */
export function mailChoicesIn(value: string): MailChoices {
  const items = value.split(',')
  return { sender: items.includes('SENDER'), texts: items.includes('TEXTS'), links: items.filter(isBeginning) }
}

/** A scheme alone, or a beginning that ends with a slash: otherwise a longer name of a host would begin with it. */
function isBeginning(text: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:$/.test(text)) return isLink(`${text}//a.example/`)
  return /^[!-~]{1,1024}\/$/.test(text) && text === URL.parse(text)?.href && isLink(text)
}

/**
 * Links with these protocols run or show their own content in a mail reader, open a file or a program of another
 * machine, wrap such a link, or are read by everybody on their way. The list is of known ones: an app may have any name.
 */
const refusedProtocols: readonly string[] = [
  'about:',
  'dav:',
  'davs:',
  'feed:',
  'filesystem:',
  'ftps:',
  'jar:',
  'ldap:',
  'mhtml:',
  'mk:',
  'nfs:',
  'search:',
  'search-ms:',
  'shell:',
  'smb:',
  'telnet:',
  'view-source:',
  'webcal:',
  'wss:',
  'javascript:',
  'vbscript:',
  'data:',
  'file:',
  'blob:',
  'ftp:',
  'ws:',
  'http:',
]
/** `ms-msdt:`, `ms-word:` and the like start a program with what the link says. */
const programsOfWindows = /^ms-/
const ownHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Printable ASCII without blanks, quotes and angle brackets. A mail shows a link as it is written, but the parser of
 * URLs drops line feeds and escapes blanks: words would pass as a part of an allowed link.
 */
const linkPattern = /^[!#-&(-;=?-~]+$/

/** Whether a mail may have this link: of the web by https, of an app, or to this machine, where one develops. */
export function isLink(text: string): boolean {
  if (!linkPattern.test(text)) return false
  const url = URL.parse(text)
  if (url === null || programsOfWindows.test(url.protocol)) return false
  return !refusedProtocols.includes(url.protocol) || (url.protocol === 'http:' && ownHosts.includes(url.hostname))
}

/**
 * Whether the link begins so: as it is written, as a browser opens it, which takes out `..`, and as a server may read
 * it, which takes escaped dots and slashes for those. Below a path, servers disagree about more: some take `..;`,
 * `%u002e` or `..%00` for `..`. So the path of the link goes on without semicolons and escapes.
 */
export function beginsWith(link: string, beginning: string): boolean {
  const isOpened = hrefOf(link).startsWith(beginning)
  const isRead = hrefOf(unescaped(link)).startsWith(hrefOf(unescaped(beginning)))
  return link.startsWith(beginning) && isOpened && isRead && (!hasPath(beginning) || goesOnPlainly(link, beginning))
}

function hasPath(beginning: string): boolean {
  return !['', '/'].includes(URL.parse(beginning)?.pathname ?? '')
}

function goesOnPlainly(link: string, beginning: string): boolean {
  const [path = ''] = link.slice(beginning.length).split(/[?#]/, 1)
  return !/[;%]/.test(path)
}

/** Empty for a scheme alone, with which everything begins here. */
function hrefOf(text: string): string {
  return URL.parse(text)?.href ?? ''
}

/** Dots and slashes may be escaped several times: `%252e`. */
function unescaped(text: string): string {
  return text.replace(/%(?:25)*2e/gi, '.').replace(/%(?:25)*(?:2f|5c)/gi, '/')
}
