import { normalized } from '../tools/normalized.ts'
import { withoutEnd } from '../tools/without_end.ts'

/**
 * Mail addresses: which are taken, to which spelling mail goes, and which are one mailbox. Pure. The page for people
 * runs it too, so domains are read by `URL`, which browsers and Node have: UTS 46 without transitional processing.
 */

const invisible = '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff'
const controls = '\\u0000-\\u001f\\u007f-\\u009f'
const halves = '\\ud800-\\udfff'

/**
 * A character of a mail address. Characters that would end the address in a header or a command are excluded: RFC 5322
 * specials, blanks and controls. This also excludes quoted local parts and domain literals, which nobody uses.
 */
const addressCharacter = `[^\\s${controls}${invisible}${halves}@"(),:;<>\\[\\]\\\\]`
const localCharactersMax = 64
const domainCharactersMax = 190
/** An address has at most 255 characters, which are twice as many units of UTF-16. */
const routedUnitsMax = 512
export const mailAddressPattern = `^${addressCharacter}{1,${localCharactersMax}}@${addressCharacter}{1,${domainCharactersMax}}$`

const mailAddress = new RegExp(mailAddressPattern, 'u')
const anyLength = new RegExp(`^${addressCharacter}+@${addressCharacter}+$`, 'u')
/** RFC 1035, 2.3.4: octets of a label, and of a name without the dot at its end. */
const labelOctetsMax = 63
const nameOctetsMax = 253

/** Whether the text can stand in a header or a command as one address. No mail server need know its domain. */
export function isMailAddress(text: string): boolean {
  return mailAddress.test(text)
}

/** Every other character that takes no place. They are not in the pattern: a stored address may have one. */
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/** Whether the address is another one than it looks. In a domain these characters are no difference (UTS 46). */
export function hasUnseenCharacters(address: string): boolean {
  return unseen.test(partsOf(address).local)
}

/** The rule that keeps mail from being sent to this text, as what is expected of it; undefined if there is none. */
export function mailAddressFault(text: string): string | undefined {
  if (!isMailAddress(text)) {
    return anyLength.test(text)
      ? `an e-mail address with at most ${localCharactersMax} characters before the @ and ${domainCharactersMax} behind it`
      : 'an e-mail address'
  }
  if (hasUnseenCharacters(text)) return 'an e-mail address without invisible characters before the @'
  const { domain: written = '' } = partsOf(text)
  const domain = asciiDomain(written)
  if (domain === undefined) return 'an e-mail address whose domain has an ASCII form by UTS 46'
  const name = domain.replace(/\.$/, '')
  const labels = name.split('.')
  if (labels.includes('')) {
    return 'an e-mail address whose domain has no empty label: no two dots in a row, and none at its beginning'
  }
  if (labels.some((label) => label.length > labelOctetsMax)) {
    return `an e-mail address whose domain has at most ${labelOctetsMax} characters between two dots, in ASCII`
  }
  if (name.length > nameOctetsMax)
    return `an e-mail address whose domain has at most ${nameOctetsMax} characters in ASCII`
  return undefined
}

/**
 * The address to which mail goes that is meant for `address`: in NFC (RFC 6532, 3.1), the domain in ASCII and without
 * dots at its end. Mail to two spellings of one mailbox must reach one person, whatever a mail server makes of them. A
 * domain without an ASCII form stays, and so does a text that is longer than an address can be: a stranger may name one.
 */
export function routedAddress(address: string): string {
  if (address.length > routedUnitsMax) return address
  const { local, domain } = partsOf(normalized(address, 'NFC'))
  if (domain === undefined) return local
  return `${local}@${withoutEnd(asciiDomain(domain) ?? domain, '.')}`
}

/**
 * Returns the same text for all addresses of one mailbox: its routed address with ASCII letters in lower case. For other
 * letters before the @ no rule says which mailboxes are the same (RFC 6530, 10.1). Total and idempotent.
 */
export function mailboxOf(address: string): string {
  if (address.length > routedUnitsMax) return address
  // A letter in lower case may have a composed form with a mark that the capital has not.
  return normalized(lowerCased(routedAddress(address)), 'NFC')
}

/**
 * The same for a piece of such a text, as far as it is known to be one. Undefined if a part of a domain is not in ASCII:
 * no mailbox has it.
 */
export function mailboxPieceOf(piece: string): string | undefined {
  const { domain = '' } = partsOf(piece)
  return isAscii(domain) ? normalized(lowerCased(piece), 'NFC') : undefined
}

type AddressParts = { readonly local: string; readonly domain: string | undefined }

function partsOf(address: string): AddressParts {
  const at = address.lastIndexOf('@')
  return at === -1
    ? { local: address, domain: undefined }
    : { local: address.slice(0, at), domain: address.slice(at + 1) }
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

function lowerCased(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** In a URL these would end the host, stand for another character or be left out. */
const urlCharacters = /[\t\n\r/?#%:@\\]/

/**
 * The domain by UTS 46 in ASCII; undefined if it has none. Labels that are ASCII already stay but for capitals, whatever
 * their Punycode says: DNS asks for them as they are.
 */
function asciiDomain(domain: string): string | undefined {
  if (isAscii(domain)) return lowerCased(domain)
  // With a last label of our own, no digits before it are read as an IPv4 address.
  const host = urlCharacters.test(domain) ? undefined : URL.parse(`http://${domain}.x`)?.hostname
  return host?.slice(0, -'.x'.length)
}
