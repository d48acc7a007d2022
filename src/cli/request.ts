import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { Operation } from '../contract/define.ts'
import { textIn } from '../link/text_file.ts'
import { codeIn } from '../protocol/tools/error_codes.ts'
import { nearestWord } from '../protocol/tools/nearest_word.ts'
import { Failure } from '../protocol/wire/failures.ts'
import { type JsonObject, parseBody } from '../protocol/wire/json.ts'
import { type Credentials, readCredentials } from './shared/credentials.ts'
import { CommandError, exitCodes } from './shared/exit_codes.ts'
import { answerOf, exitCodeOf, post } from './shared/stamped_request.ts'
import { printResult } from './shared/standard_output.ts'

export function registerRequest(program: Command): void {
  program
    .command('request')
    .argument('<operation>', 'its name (`whoami`) or its path')
    .description(
      'stamp a JSON body and send it; what the body leaves out of organization, type, time and `parameters` is filled in',
    )
    .option('--body <json>', 'the body; `-` reads it from standard input', '{}')
    .option('--body-file <file>', 'read the body from a file')
    .option('--credentials <file>', 'who sends it', './data/credentials.json')
    .option('--full', 'print the whole answer; else of an activity its id, status and result', false)
    .option('--json', 'print the whole answer on one line', false)
    .action(async (name, options) => {
      const operation = await findByName(name)
      const credentials = await readCredentials(options.credentials)
      const text = await bodyText(options)
      const body = Buffer.from(complete(text, operation, credentials))
      const answer = await post(credentials, operation.path, body)
      const whole = answerOf(answer)
      const isShort = operation.kind === 'activity' && !options.full && !options.json
      const shown = isShort ? shortened(whole) : whole
      printResult(JSON.stringify(shown, null, options.json ? undefined : 2))
      process.exitCode = exitCodeOf(answer.status)
    })
}

async function findByName(name: string): Promise<Operation> {
  const { operations } = await import('../operations/catalogue.ts')
  const found = operations.find((operation) => operation.name === name || operation.path === name)
  if (found !== undefined) return found
  const { unsupportedPaths } = await import('../operations/unsupported.ts')
  if (unsupportedPaths.some((path) => path === name || path.endsWith(`/${name}`))) {
    throw new CommandError(`${name} is not supported yet: see docs/compatibility.md`, exitCodes.usage)
  }
  const names = operations.map((operation) => operation.name)
  const meant = nearestWord(name, names)
  const hint = meant === undefined ? ':' : `; did you mean ${meant}?`
  throw new CommandError(`there is no operation ${name}${hint} docs/operations.md lists all`, exitCodes.usage)
}

async function bodyText({ body, bodyFile }: { body: string; bodyFile?: string }): Promise<string> {
  if (bodyFile === undefined && body !== '-') return body
  try {
    return textIn(bodyFile === undefined ? await buffer(process.stdin) : await readFile(bodyFile))
  } catch (cause) {
    throw new CommandError(`${bodyFile ?? 'the body'} cannot be read${codeIn(cause)}`, exitCodes.usage, { cause })
  }
}

const shortMembers = ['id', 'status', 'result', 'failure', 'appProofs'] as const

/** Shortens an activity to how it ended, and to what a vote needs while it waits. Other answers stay whole. */
function shortened(answer: unknown): unknown {
  const activity = memberOf(answer, 'activity')
  const names =
    memberOf(activity, 'status') === 'ACTIVITY_STATUS_COMPLETED' ? shortMembers : [...shortMembers, 'fingerprint']
  const members = names.map((name) => [name, memberOf(activity, name)] as const)
  if (memberOf(activity, 'id') === undefined) return answer
  return { activity: Object.fromEntries(members.filter(([, member]) => member !== undefined)) }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

const envelopeNames = ['type', 'timestampMs', 'organizationId', 'parameters', 'generateAppProofs']

/**
 * Puts the members that the text lacks in front of its first member. The rest of the text stays, because the same bytes
 * are one activity, and a number that is printed again may be another one. A body of an activity without any member of
 * the envelope is its parameters.
 */
function complete(text: string, operation: Operation, { organizationId }: Credentials): string {
  const given = parseGiven(text)
  const envelope =
    operation.kind === 'query'
      ? { organizationId }
      : { type: operation.types[0]?.type, timestampMs: String(Date.now()), organizationId }
  const missing = Object.entries(envelope).filter(([name]) => !Object.hasOwn(given, name))
  if (missing.length === 0) return text
  const added = JSON.stringify(Object.fromEntries(missing)).slice(1, -1)
  const isParameters = operation.kind === 'activity' && !envelopeNames.some((name) => Object.hasOwn(given, name))
  if (isParameters) return `{${added},"parameters":${text}}`
  return text.replace('{', () => `{${added}${Object.keys(given).length === 0 ? '' : ','}`)
}

function parseGiven(text: string): JsonObject {
  try {
    return parseBody(Buffer.from(text))
  } catch (error) {
    if (error instanceof Failure) throw new CommandError(error.message, exitCodes.usage, { cause: error })
    throw error
  }
}
