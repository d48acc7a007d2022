import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import type { Command } from 'commander'
import { operations } from '../operations/catalogue.ts'
import type { Operation } from '../operations/define.ts'
import { stampWith } from './api_key.ts'
import { CommandError, type ExitCode, exitCodes } from './exit_codes.ts'

type Credentials = {
  readonly apiBaseUrl: string
  readonly organizationId: string
  readonly apiPublicKey: string
  readonly apiPrivateKey: string
}

export function registerRequest(program: Command): void {
  program
    .command('request')
    .argument('<operation>', 'its name (`whoami`) or its path')
    .description('stamp a JSON body and send it; what the body leaves out of organization, type and time is filled in')
    .option('--body <json>', 'the body; `-` reads it from standard input', '{}')
    .option('--body-file <file>', 'read the body from a file')
    .option('--credentials <file>', 'who sends it', './data/credentials.json')
    .option('--json', 'print the answer on one line', false)
    .action(async (name, options) => {
      const operation = findByName(name)
      const credentials = await readCredentials(options.credentials)
      const given = parse(await bodyText(options), 'the body')
      const body = Buffer.from(JSON.stringify(complete(given, operation, credentials)))
      const answer = await post(credentials, operation.path, body)
      const shown = parse(answer.text, 'the answer')
      console.log(options.json ? JSON.stringify(shown) : JSON.stringify(shown, null, 2))
      process.exitCode = exitCodeOf(answer.status)
    })
}

function findByName(name: string): Operation {
  const found = operations.find((operation) => operation.name === name || operation.path === name)
  if (found !== undefined) return found
  throw new CommandError(`there is no operation ${name}; those that exist are ${names()}`, exitCodes.usage)
}

function names(): string {
  return operations.map((operation) => operation.name).join(', ')
}

async function readCredentials(path: string): Promise<Credentials> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    throw new CommandError(`${path} cannot be read: name your credentials with --credentials`, exitCodes.usage, {
      cause,
    })
  }
  const { apiBaseUrl, organizationId, apiPublicKey, apiPrivateKey } = parse(text, path)
  if (
    typeof apiBaseUrl !== 'string' ||
    typeof organizationId !== 'string' ||
    typeof apiPublicKey !== 'string' ||
    typeof apiPrivateKey !== 'string'
  ) {
    throw new CommandError(
      `${path} must hold apiBaseUrl, organizationId, apiPublicKey and apiPrivateKey`,
      exitCodes.usage,
    )
  }
  return { apiBaseUrl, organizationId, apiPublicKey, apiPrivateKey }
}

async function bodyText({ body, bodyFile }: { body: string; bodyFile?: string }): Promise<string> {
  if (bodyFile !== undefined) return readFile(bodyFile, 'utf8')
  return body === '-' ? readAll(process.stdin) : body
}

function parse(text: string, name: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // told below
  }
  throw new CommandError(`${name} must be a JSON object`, exitCodes.usage)
}

function complete(
  given: Readonly<Record<string, unknown>>,
  operation: Operation,
  { organizationId }: Credentials,
): Readonly<Record<string, unknown>> {
  if (operation.kind === 'query') return { organizationId, ...given }
  const [newest] = operation.types
  return { type: newest?.type, timestampMs: String(Date.now()), organizationId, ...given }
}

async function post(
  credentials: Credentials,
  path: string,
  body: Uint8Array,
): Promise<{ status: number; text: string }> {
  const { apiBaseUrl, apiPublicKey: publicKey, apiPrivateKey: privateKey } = credentials
  const headers = { 'content-type': 'application/json', 'x-stamp': stampWith({ publicKey, privateKey }, body) }
  try {
    const response = await fetch(apiBaseUrl.replace(/\/$/, '') + path, { method: 'POST', headers, body })
    return { status: response.status, text: await response.text() }
  } catch (cause) {
    throw new CommandError(`no server answers on ${apiBaseUrl}`, exitCodes.unreachable, { cause })
  }
}

function exitCodeOf(status: number): ExitCode {
  if (status < 400) return exitCodes.done
  return status < 500 ? exitCodes.refused : exitCodes.serverFailed
}
