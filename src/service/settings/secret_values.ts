import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { textIn } from '../../link/text_file.ts'
import { codeIn } from '../../protocol/tools/error_codes.ts'
import { isOpenToOthers } from '../../protocol/tools/file_mode.ts'
import { SettingsError } from '../process/settings_error.ts'
import { fileFlagOf, nameOf, type SecretFlag, variableOf } from './setting_rows.ts'
import { databaseOf } from './setting_values.ts'

const secretBytesMax = 4_096

/** Throws for a flag that holds a secret, which it does not repeat. */
export function refuseSecretFlag(flag: SecretFlag, value: string | undefined): void {
  if (flag === 'database-url') {
    if (databaseOf(value)?.password === undefined) return
    throw secretFlag(flag)
  }
  const url = URL.parse(value ?? '')
  if (url === null) return // refused where it is parsed
  // The query of a gateway's address may hold a token. That of a mail server is only `requireTLS`.
  const mayQueryBeSecret = url.search !== '' && url.protocol.startsWith('http')
  if (url.username === '' && url.password === '' && !mayQueryBeSecret) return
  throw secretFlag(flag)
}

function secretFlag(flag: SecretFlag): SettingsError {
  return new SettingsError(
    `--${flag} holds a secret, and everybody on the machine can read a command line: set ${variableOf(flag)} in the environment, or ${nameOf(fileFlagOf(flag))} to a file that holds it`,
  )
}

/** Returns the value, or what the file holds that is named in its place. */
export function secretOf(
  flag: SecretFlag,
  { value, path }: { readonly value: string | undefined; readonly path: string | undefined },
): string | undefined {
  if (path === undefined) return value
  const fileFlag = fileFlagOf(flag)
  if (value !== undefined)
    throw new SettingsError(`${nameOf(flag)} and ${nameOf(fileFlag)} are both given: leave one out`)
  const name = `${nameOf(fileFlag)}: ${path}`
  const text = readOwnFile(name, path).replace(/\r?\n$/, '')
  if (text === '') throw new SettingsError(`${name} is empty: write the value into it`)
  return text
}

/** Returns the text of a small file that only its owner may read. Throws `SettingsError`, which begins with the name. */
export function readOwnFile(name: string, path: string): string {
  try {
    return readText(name, path)
  } catch (cause) {
    if (cause instanceof SettingsError) throw cause
    throw new SettingsError(`${name} cannot be read${codeIn(cause)}`, { cause })
  }
}

function readText(name: string, path: string): string {
  // The opening of a named pipe would wait for its writer, and the process would take no signal meanwhile.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    // The mode is that of the opened file, even if the path names another file by now.
    const status = fstatSync(file)
    if (!status.isFile()) throw new SettingsError(`${name} is not a regular file: write the value into one`)
    if (isOpenToOthers(status, process.getuid?.())) {
      throw new SettingsError(`${name} can be read by others: run chmod 600 ${path}`)
    }
    const bytes = Buffer.alloc(secretBytesMax + 1)
    const readBytes = readSync(file, bytes)
    if (readBytes > secretBytesMax) throw new SettingsError(`${name} is longer than ${secretBytesMax} bytes`)
    return textIn(bytes.subarray(0, readBytes))
  } finally {
    closeSync(file)
  }
}
