import { textOfError } from '../../protocol/tools/error_text.ts'
import { baseUrlOf } from '../../protocol/wire/base_url.ts'
import { type MailSender, parseMailSender, parseSmsUrl, parseSmtpUrl } from '../delivery/carriers/addresses.ts'
import type { DeliverySettings } from '../delivery/carriers/carriers.ts'
import { isIssuer, isKeyHost } from '../delivery/connections/issuers.ts'
import { SettingsError } from '../process/settings_error.ts'
import { type DatabaseAddress, readDatabaseUrl } from '../store/postgres/database_address.ts'

/**
 * undefined: the embedded database. Messages do not repeat the address, which may hold a password.
 */
export function databaseOf(url: string | undefined): DatabaseAddress | undefined {
  if (url === undefined || url === 'sqlite:') return undefined
  try {
    return readDatabaseUrl(url)
  } catch (cause) {
    const reason = textOfError(cause)
    throw new SettingsError(`CLAVIGER_DATABASE_URL (--database-url) cannot be used: ${reason}`, { cause })
  }
}

export function urlOf(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const url = baseUrlOf(value)
  if (url !== undefined) return url
  // Not repeated: it may hold a password.
  throw new SettingsError(
    'CLAVIGER_PUBLIC_URL (--public-url) must be an http or https address without user and password, query and fragment, and without two slashes in a row in its path',
  )
}

const logOriginMax = 200

/** The name of a log is a URL without its scheme and its last slash (C2SP tlog-checkpoint). */
export function logOriginOf(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const url = value.length > logOriginMax ? undefined : baseUrlOf(`https://${value}`)
  if (url === `https://${value}`) return value
  throw new SettingsError(
    `CLAVIGER_LOG_ORIGIN (--log-origin) must be a host, perhaps with a port and a path, such as keys.example: without https://, without a slash at its end, at most ${logOriginMax} characters`,
  )
}

type DeliveryValues = {
  readonly smtpUrl: string | undefined
  readonly smsUrl: string | undefined
  readonly mailFrom: string | undefined
}

/** Messages do not repeat addresses, which may hold a password. */
export function deliveryOf({ smtpUrl, smsUrl, mailFrom }: DeliveryValues): Omit<DeliverySettings, 'look'> {
  const smtp = parsed(parseSmtpUrl, smtpUrl, {
    setting: 'CLAVIGER_SMTP_URL (--smtp-url)',
    expected: 'smtps://user:password@host:port or smtp://…, the latter perhaps with ?requireTLS=false',
  })
  const smsGateway = parsed(parseSmsUrl, smsUrl, {
    setting: 'CLAVIGER_SMS_URL (--sms-url)',
    expected: 'an http or https address',
  })
  const sender = senderOf(mailFrom)
  // Other servers refuse that sender, so a passcode that seems to be sent would be lost.
  if (smtp !== undefined && !smtp.isLocal && sender.address.endsWith('@localhost')) {
    throw new SettingsError('CLAVIGER_SMTP_URL needs CLAVIGER_MAIL_FROM (--mail-from): an address of your domain')
  }
  return { smtp, sender, smsGateway }
}

function senderOf(value: string | undefined): MailSender {
  const sender = parseMailSender(value ?? '')
  if (sender === undefined) {
    throw new SettingsError(
      `CLAVIGER_MAIL_FROM (--mail-from) must be an e-mail address or Name <address>, not ${value}`,
    )
  }
  return sender
}

function parsed<T>(
  parse: (text: string) => T | undefined,
  value: string | undefined,
  { setting, expected }: { readonly setting: string; readonly expected: string },
): T | undefined {
  const found = value === undefined ? undefined : parse(value)
  if (value !== undefined && found === undefined) throw new SettingsError(`${setting} must be ${expected}`)
  return found
}

function itemsOf(value: string | undefined): readonly string[] {
  return value === undefined ? [] : value.split(',').map((item) => item.trim())
}

/** Kept as written: tokens name their issuer by the same text. */
export function issuersOf(value: string | undefined): readonly string[] {
  const issuers = itemsOf(value)
  if (issuers.every(isIssuer)) return issuers
  // Not repeated: one of them may hold a password.
  throw new SettingsError(
    'CLAVIGER_OIDC_ISSUERS (--oidc-issuers) must be https addresses, or http ones of this machine, without user, password, query and fragment',
  )
}

export function audiencesOf(value: string | undefined): readonly string[] {
  const audiences = itemsOf(value)
  if (audiences.every((audience) => /^[!-~]+$/.test(audience))) return audiences
  throw new SettingsError(
    `CLAVIGER_OIDC_AUDIENCES (--oidc-audiences) must be client ids as tokens have them in aud, not ${value}`,
  )
}

export function keyHostsOf(value: string | undefined): readonly string[] {
  const hosts = itemsOf(value).map((host) => host.toLowerCase())
  if (hosts.every(isKeyHost)) return hosts
  throw new SettingsError(
    `CLAVIGER_OIDC_KEY_HOSTS (--oidc-key-hosts) must be hosts, each with its port if that is not 443, not ${value}`,
  )
}
