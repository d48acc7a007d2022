import { readFile, writeFile } from 'node:fs/promises'
import { textIn } from '../../link/text_file.ts'
import { codeIn, codeOf } from '../../protocol/tools/error_codes.ts'
import { baseUrlOf } from '../../protocol/wire/base_url.ts'
import { CommandError, exitCodes } from './exit_codes.ts'
import { replaceFile } from './replace_file.ts'

/** The content of a credentials file: who sends requests, and to which server. */
export type Credentials = {
  /** Without a slash at its end. */
  readonly apiBaseUrl: string
  readonly organizationId: string
  /** Absent in files for a key that a user added later. */
  readonly userId?: string
  /** Lower-case hex, a compressed P-256 point. */
  readonly apiPublicKey: string
  /** 64 hex digits. */
  readonly apiPrivateKey: string
}

/** Throws `CommandError` with the `remedy` when the file is not there, and when it lacks something. */
export async function readCredentials(
  path: string,
  remedy = 'name your credentials with --credentials',
): Promise<Credentials> {
  const members = parse(await readText(path, remedy), path)
  const text = (name: Exclude<keyof Credentials, 'userId'>): string => {
    const value = members[name]
    if (typeof value === 'string') return value
    const all = 'apiBaseUrl, organizationId, apiPublicKey and apiPrivateKey'
    throw new CommandError(`${path} must hold ${all}: ${name} is missing`, exitCodes.usage)
  }
  const { curve = 'p256' } = members
  if (curve !== 'p256') {
    throw new CommandError(`${path} has a key of the curve ${curve}: \`request\` stamps by p256 only`, exitCodes.usage)
  }
  const apiPrivateKey = text('apiPrivateKey')
  if (!/^[0-9a-f]{64}$/i.test(apiPrivateKey)) {
    throw new CommandError(`apiPrivateKey in ${path} must be 64 hex digits`, exitCodes.usage)
  }
  return {
    apiBaseUrl: baseUrlIn(text('apiBaseUrl'), path),
    organizationId: text('organizationId'),
    ...(typeof members.userId === 'string' ? { userId: members.userId } : {}),
    apiPublicKey: text('apiPublicKey'),
    apiPrivateKey,
  }
}

function baseUrlIn(text: string, path: string): string {
  const url = baseUrlOf(text)
  if (url !== undefined) return url
  const rest = 'without user, password, query, fragment and two slashes in a row'
  throw new CommandError(`apiBaseUrl in ${path} must be an http or https address ${rest}`, exitCodes.usage)
}

/** Writes a new file for its owner only. Throws `CommandError` when the file exists or cannot be made. */
export async function writeNewFile(path: string, value: object): Promise<void> {
  try {
    await writeFile(path, textOf(value), { mode: 0o600, flag: 'wx', flush: true })
  } catch (cause) {
    const fault =
      codeOf(cause) === 'EEXIST'
        ? 'exists already: name another file, or move this one away'
        : `cannot be written${codeIn(cause)}`
    throw new CommandError(`${path} ${fault}`, exitCodes.usage, { cause })
  }
}

/** Replaces the file as a whole or not at all, because it holds the only copy of a key. */
export async function replaceCredentials(path: string, value: object): Promise<void> {
  await replaceFile(path, textOf(value), { mode: 0o600 })
}

function textOf(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

async function readText(path: string, remedy: string): Promise<string> {
  try {
    return textIn(await readFile(path))
  } catch (cause) {
    throw new CommandError(`${path} cannot be read${codeIn(cause)}: ${remedy}`, exitCodes.usage, {
      cause,
    })
  }
}

function parse(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // the error below says so
  }
  throw new CommandError(`${path} must be a JSON object`, exitCodes.usage)
}
