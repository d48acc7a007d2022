import { isMailAddress } from '../../../protocol/wire/mail_addresses.ts'
import { isHeaderText } from '../../../protocol/wire/outgoing_messages.ts'

/** The server that takes outgoing mail. */
export type SmtpServer = {
  readonly host: string
  readonly port: number
  /** `tls`: from the first byte. `starttls`: required. `opportunistic`: encrypted when the server offers it. */
  readonly encryption: 'tls' | 'starttls' | 'opportunistic'
  /** The server is on this machine, so any certificate is accepted. */
  readonly isLocal: boolean
  readonly login: { readonly user: string; readonly password: string } | undefined
}

export type MailSender = { readonly address: string; readonly name: string | undefined }

/** `authorization`: the header for the user and password that stood in the address. */
export type SmsGateway = { readonly url: string; readonly authorization: string | undefined }

/**
 * Parses `smtp[s]://[user:password@]host[:port]`; undefined when it is anything else. `smtp://` requires STARTTLS,
 * except on this machine or with `?requireTLS=false`.
 */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')) return undefined
  const isTls = url.protocol === 'smtps:'
  const login = loginOf(url)
  if (login === 'malformed' || url.hostname === '' || !['', '/'].includes(url.pathname) || url.hash !== '')
    return undefined
  if (!['', ...(isTls ? [] : ['?requireTLS=false', '?requireTLS=true'])].includes(url.search)) return undefined
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  const isLocal = isLoopback(host)
  const isOptional = url.search === '?requireTLS=false' || (isLocal && url.search === '')
  return {
    host,
    port: url.port === '' ? (isTls ? 465 : 587) : Number(url.port),
    encryption: isTls ? 'tls' : isOptional ? 'opportunistic' : 'starttls',
    isLocal,
    login,
  }
}

/** `address` or `Name <address>`; undefined when it is neither. */
export function parseMailSender(text: string): MailSender | undefined {
  const [, named, inBrackets] = /^(.*?)\s*<([^<>]*)>$/.exec(text.trim()) ?? [undefined, '', text.trim()]
  const name = (named ?? '').replace(/^"(.*)"$/, '$1')
  const address = inBrackets ?? ''
  if (!isMailAddress(address) || (name !== '' && !isHeaderText(name))) return undefined
  return { address, name: name === '' ? undefined : name }
}

/** `http[s]://[user:password@]host…`; undefined when it is anything else. */
export function parseSmsUrl(text: string): SmsGateway | undefined {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.hash !== '') return undefined
  const login = loginOf(url)
  if (login === 'malformed') return undefined
  url.username = ''
  url.password = ''
  const credentials = login && Buffer.from(`${login.user}:${login.password}`).toString('base64')
  return { url: url.href, authorization: credentials && `Basic ${credentials}` }
}

function loginOf({ username, password }: URL): SmtpServer['login'] | 'malformed' {
  if (username === '' && password === '') return undefined
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return 'malformed'
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(host)
}
