import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { hasByteOrderMark } from '../../link/text_file.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { codeIn } from '../../protocol/tools/error_codes.ts'
import { isOpenToOthers } from '../../protocol/tools/file_mode.ts'
import { UnsealError } from './wrapped_seed.ts'

const passphraseBytesMax = 1_024
/** Unicode code points. */
const passphraseCharactersMin = 12

/**
 * Returns the passphrase in the file, which is UTF-8 with or without a line ending after it. Throws `UnsealError` if the
 * file is missing or empty, or if others may read it.
 */
export async function openPassphraseFile(path: string): Promise<SecretBytes> {
  using whole = new SecretBytes(await readOwnFile(path))
  const passphrase = withoutNewline(whole.reveal())
  if (passphrase.length === 0)
    throw new UnsealError(`the passphrase file ${path} is empty: write the passphrase into it`)
  if (passphrase.length > passphraseBytesMax) {
    throw new UnsealError(`the passphrase in ${path} is longer than ${passphraseBytesMax} bytes: is it the right file?`)
  }
  return new SecretBytes(Uint8Array.from(passphrase))
}

/**
 * Throws `UnsealError` for a passphrase that is short, or that the file cannot mean. No command changes a passphrase
 * later, so the first use of it is the time to refuse it.
 */
export function refuseNewPassphrase(passphrase: SecretBytes, path: string): void {
  if (hasByteOrderMark(passphrase.reveal())) throw new UnsealError(`the file ${path} ${markFault}`)
  const characters = countCharacters(passphrase.reveal())
  if (characters >= passphraseCharactersMin) return
  throw new UnsealError(
    `the passphrase in ${path} has ${characters} characters, and at least ${passphraseCharactersMin} are needed: write a longer one into it, such as five words drawn at random`,
  )
}

const markFault = 'begins with a byte order mark, which would be a part of the passphrase: save it as UTF-8 without one'

/** Why a passphrase does not open what another one has sealed. */
export function wrongPassphrase(passphrase: SecretBytes, path: string): string {
  const wrong = `the passphrase in ${path} is not the one that it was wrapped with; put that one there`
  return hasByteOrderMark(passphrase.reveal()) ? `${wrong}. The file ${markFault}` : wrong
}

/** Counts code points without making text of the secret: in UTF-8, each of their bytes but the first begins with 10. */
function countCharacters(bytes: Uint8Array): number {
  let count = 0
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) count += 1
  return count
}

async function readOwnFile(path: string): Promise<Uint8Array> {
  try {
    // The opening of a named pipe would wait for its writer.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    // The mode belongs to the opened file, even if the path names another file by now.
    const status = await file.stat()
    if (!status.isFile()) {
      throw new UnsealError(`the passphrase file ${path} is not a regular file: write the passphrase into one`)
    }
    if (isOpenToOthers(status, process.getuid?.())) {
      throw new UnsealError(
        `others may read the passphrase file ${path}: run chmod 600 ${path} as its owner, the user of the vault`,
      )
    }
    return await file.readFile()
  } catch (cause) {
    if (cause instanceof UnsealError) throw cause
    const reason = `the passphrase file ${path} cannot be read${codeIn(cause)}`
    throw new UnsealError(`${reason}: make it, readable for the user of the server`, { cause })
  }
}

/** Returns the bytes without the one line ending that editors and `echo` write. */
function withoutNewline(bytes: Uint8Array): Uint8Array {
  if (bytes.at(-1) !== 0x0a) return bytes
  return bytes.subarray(0, bytes.at(-2) === 0x0d ? -2 : -1)
}
