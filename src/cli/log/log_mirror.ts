import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../link/make_folder.ts'
import { readVerifierKey } from '../../protocol/log/notes/verifier_keys.ts'
import type { Policy } from '../../protocol/log/policy.ts'
import { codeIn } from '../../protocol/tools/error_codes.ts'
import { printable } from '../../protocol/tools/printable.ts'
import { lockFile } from '../../service/store/sqlite/file_lock.ts'
import { CommandError, type ExitCode, exitCodes } from '../shared/exit_codes.ts'
import { printResult } from '../shared/standard_output.ts'
import { policyIn } from './held_files.ts'
import { copiedFilesIn, publicFolder } from './mirror/copied_files.ts'
import { type Copied, copyLog, type ListedLog } from './mirror/copy_log.ts'
import { LogFault } from './mirror/log_fault.ts'
import { type PublicFiles, publicFilesAt } from './mirror/public_files.ts'

type MirrorOptions = {
  readonly server: string
  readonly policy?: string
  readonly anew: boolean
  readonly json: boolean
}

/** The result of one log. The exit code is that of the first fault, those of logs that do not verify before others. */
type Outcome =
  | ({ readonly origin: string; readonly result: 'copied' } & Copied)
  | {
      readonly origin: string
      readonly result: 'forked' | 'wrong' | 'not copied'
      readonly reason: string
      readonly code: ExitCode
    }

const listBytesMax = 16 * 1024 * 1024

/** Copies all logs of a server, each by itself: what is wrong with one of them holds up no other. */
export async function mirrorLogs(folder: string, options: MirrorOptions): Promise<void> {
  const { server: url, policy: policyPath, anew: isAnew, json } = options
  const policy = policyPath === undefined ? undefined : await policyIn(policyPath)
  await makeFolder(folder, { mode: publicFolder }).catch((cause: unknown) => {
    throw new CommandError(`${folder} cannot be made${codeIn(cause)}`, exitCodes.usage, { cause })
  })
  const lock = lockFile(join(folder, 'mirror.lock'))
  if (lock === undefined) throw new CommandError(`another mirror is running on ${folder}`, exitCodes.usage)
  const server = publicFilesAt(url)
  const outcomes: Outcome[] = []
  try {
    const logs = await logsOf(server)
    for (const listed of logs) outcomes.push(await outcomeOf(listed, { folder, server, policy, isAnew }))
    outcomes.push(...(await missing(folder, logs, policy)))
  } finally {
    lock.release()
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  const logs = outcomes.map((outcome) => ({ ...outcome, code: undefined }))
  printResult(json ? JSON.stringify({ logs }) : outcomes.map(lineOf).join('\n'))
  const codes = outcomes.flatMap((outcome) => (outcome.result === 'copied' ? [] : outcome.code))
  process.exitCode = codes.includes(exitCodes.logWrong) ? exitCodes.logWrong : (codes[0] ?? exitCodes.done)
}

async function logsOf(server: PublicFiles): Promise<readonly ListedLog[]> {
  const bytes = await server.get('/log/', { bytesMax: listBytesMax })
  if (bytes === undefined) throw new CommandError('the server has no /log/', exitCodes.refused)
  const listed = listedIn(bytes)
  if (listed === undefined) throw new CommandError('the server’s /log/ is no list of logs', exitCodes.failed)
  return listed
}

function listedIn(bytes: Uint8Array): readonly ListedLog[] | undefined {
  try {
    const { logs } = JSON.parse(Buffer.from(bytes).toString('utf8')) as { logs: ListedTexts[] }
    return logs.map(({ keys: texts, path }) => {
      const keys = texts.map((text) => {
        const key = readVerifierKey(text)
        if (key.kind === 'malformed') throw new SyntaxError(key.reason)
        return key.value
      })
      const origin = keys[0]?.name
      if (origin === undefined || !/^\/log\/[0-9a-f]{32}$/.test(path)) throw new SyntaxError('a log has no key')
      return { origin, keys, path }
    })
  } catch {
    return undefined
  }
}

type ListedTexts = { readonly keys: readonly string[]; readonly path: string }

type Mirror = {
  readonly folder: string
  readonly server: PublicFiles
  readonly policy: Policy | undefined
  readonly isAnew: boolean
}

async function outcomeOf(listed: ListedLog, { folder, ...mirror }: Mirror): Promise<Outcome> {
  const { origin, path } = listed
  const onProgress = ({ done, all }: { readonly done: number; readonly all: number }) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${printable(origin)}: ${done} of ${all} entries`)
  }
  try {
    const files = copiedFilesIn(join(folder, nameOf(path)))
    return { origin, result: 'copied', ...(await copyLog({ listed, files, ...mirror, onProgress })) }
  } catch (error) {
    if (error instanceof LogFault) {
      const result = error.isFork ? 'forked' : 'wrong'
      return { origin, result, reason: error.message, code: exitCodes.logWrong }
    }
    if (!(error instanceof CommandError)) throw error
    return { origin, result: 'not copied', reason: error.message, code: error.exitCode }
  }
}

/** A log of the copy or of the policy that the server does not list is hidden. */
async function missing(
  folder: string,
  logs: readonly ListedLog[],
  policy: Policy | undefined,
): Promise<readonly Outcome[]> {
  const [names, origins] = [logs.map(({ path }) => nameOf(path)), logs.map(({ origin }) => origin)]
  const copied = (await readdir(folder)).filter((name) => /^[0-9a-f]{32}$/.test(name) && !names.includes(name))
  const named = new Set(policy?.logs.map(({ key }) => key.name).filter((origin) => !origins.includes(origin)))
  return [
    ...copied.map((name) => ({ origin: name, reason: 'the copy has this log, and the server lists it no more' })),
    ...[...named].map((origin) => ({ origin, reason: 'the policy names this log, and the server does not list it' })),
  ].map((fault) => ({ ...fault, result: 'wrong', code: exitCodes.logWrong }))
}

/** The name of the folder of a log. */
function nameOf(path: string): string {
  return path.slice('/log/'.length)
}

function lineOf(outcome: Outcome): string {
  const { origin, result } = outcome
  if (outcome.result !== 'copied') return `${origin}: ${result.toUpperCase()}: ${outcome.reason}`
  const { size, before, cosigned } = outcome
  const seen = cosigned === undefined ? '' : `; cosigned up to ${cosigned}`
  return `${origin}: ${size} entries, ${size - before} of them new${seen}`
}
