import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'

const digits = '0123456789'
/** Crockford's base 32. It has no letter that looks like a digit or another letter. */
const base32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

export type PasscodeForm = { readonly length: number; readonly alphanumeric: boolean; readonly contact: string }

type NewPasscode = Omit<PasscodeForm, 'contact'> & { readonly randomBytes: (size: number) => Uint8Array }

/** Makes a random passcode in UTF-8. All characters are equally likely. */
export function newPasscode({ length, alphanumeric, randomBytes }: NewPasscode): SecretBytes {
  const alphabet = alphanumeric ? base32 : digits
  // Bytes from the largest multiple of the alphabet's length on would make the first characters likelier.
  const limit = 256 - (256 % alphabet.length)
  const passcode = new SecretBytes(new Uint8Array(length))
  for (let filled = 0; filled < length; ) {
    using random = new SecretBytes(randomBytes(length))
    for (const byte of random.reveal()) {
      if (byte < limit && filled < length) passcode.reveal()[filled++] = alphabet.charCodeAt(byte % alphabet.length)
    }
  }
  return passcode
}

/** The contacts of the sandbox, whose passcode clients know in tests: the addresses of the interface. */
export const sandboxContacts: ReadonlySet<string> = new Set(['user@example.com', '+19999999999'])
export const sandboxPasscode = '000000'

/** Whether the sandbox has a passcode for a request: its contact asks for six digits. */
export function isOfSandbox({ length, alphanumeric, contact }: PasscodeForm): boolean {
  return sandboxContacts.has(contact) && length === sandboxPasscode.length && !alphanumeric
}
