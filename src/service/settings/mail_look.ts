import { readRegular } from '../../link/regular_file.ts'
import { codeIn } from '../../protocol/tools/error_codes.ts'
import { isMailAddress } from '../../protocol/wire/mail_addresses.ts'
import { isHeaderText } from '../../protocol/wire/outgoing_messages.ts'
import type { MailSender } from '../delivery/carriers/addresses.ts'
import type { Logo, MailLook } from '../delivery/carriers/mail_html.ts'
import { SettingsError } from '../process/settings_error.ts'
import { type Flag, nameOf } from './setting_rows.ts'

/** Readers load mails over slow lines, and every mail has the logo in it. */
const logoBytesMax = 65_536
const nameCharactersMax = 100

/** Returns how mails look. Throws `SettingsError`. */
export function lookOf(value: (flag: Flag) => string | undefined, sender: MailSender): MailLook {
  const name = value('mail-name') ?? sender.name ?? 'Claviger'
  if (!isHeaderText(name) || name.length > nameCharactersMax) {
    throw new SettingsError(`${nameOf('mail-name')} must be one line of at most ${nameCharactersMax} characters`)
  }
  const color = value('mail-color') ?? ''
  if (!/^#[0-9a-f]{6}$/i.test(color)) {
    throw new SettingsError(`${nameOf('mail-color')} must be a color such as #335a85, not ${color}`)
  }
  return { name, color, support: supportOf(value('mail-support')), logo: logoOf(value('mail-logo-file')) }
}

function supportOf(support: string | undefined): string | undefined {
  if (support === undefined || isMailAddress(support)) return support
  const url = /^https?:\/\/[!-~]{1,500}$/.test(support) ? URL.parse(support) : null
  if (url !== null && url.username === '' && url.password === '') return support
  throw new SettingsError(`${nameOf('mail-support')} must be a mail address or an http or https address`)
}

function logoOf(path: string | undefined): Logo | undefined {
  if (path === undefined) return undefined
  const name = `${nameOf('mail-logo-file')}: ${path}`
  const bytes = readLogo(path, name)
  if (bytes.length > logoBytesMax) throw new SettingsError(`${name} is longer than ${logoBytesMax} bytes`)
  if (bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return { type: 'image/png', bytes }
  if (bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return { type: 'image/jpeg', bytes }
  throw new SettingsError(`${name} must be a picture in PNG or JPEG`)
}

function readLogo(path: string, name: string): Buffer {
  try {
    return readRegular(path)
  } catch (cause) {
    throw new SettingsError(`${name} cannot be read${codeIn(cause)}`, { cause })
  }
}
