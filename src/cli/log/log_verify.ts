import { type FileHandle, open, stat } from 'node:fs/promises'
import type { Policy } from '../../protocol/log/policy.ts'
import { codeIn } from '../../protocol/tools/error_codes.ts'
import { CommandError, exitCodes } from '../shared/exit_codes.ts'
import { printResult } from '../shared/standard_output.ts'
import { checkpointsIn, type Held, policyIn, proofsIn } from './held_files.ts'
import { counted, verdictOf } from './verdict.ts'
import type { ChainResult } from './verify/chain/verify_chain.ts'
import type { StepResult } from './verify/findings.ts'
import { type Verified, verifyExport } from './verify/verify_export.ts'
import { placesOf, type Reported, reportOf, uncheckedLines } from './verify_report.ts'

/** The checks of a vault that no document has enough for. */
const neverChecked = [
  'what the vault alone chooses and sees: ids, whether a key is that of its wallet and path, and what was imported, exported or sent',
  'source addresses, passcodes, tokens, limits of the server, and whether what was approved had changed before it ran',
]

type VerifyOptions = {
  readonly policy?: string
  readonly organization?: string
  readonly checkpoint: readonly string[]
  readonly proof: readonly string[]
  readonly strict: boolean
  readonly json: boolean
}

export async function verifyLog(path: string, options: VerifyOptions): Promise<void> {
  const { policy: policyPath, organization: organizationId, checkpoint, proof, strict, json } = options
  const policy = policyPath === undefined ? undefined : await policyIn(policyPath)
  const held = { checkpoints: await checkpointsIn(checkpoint), proofs: await proofsIn(proof) }
  const verified = await withFile(path, (file) =>
    verifyExport(file, {
      ...{ policy, organizationId, held },
      onProgress: (entries) => {
        if (process.stderr.isTTY) process.stderr.write(`\r${entries} entries`)
      },
    }),
  )
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  const reported = reportedOf(verified, { policy, held, strict })
  printResult(json ? JSON.stringify(jsonOf(verified, reported)) : reportOf(verified, reported))
  if (!reported.verdict.isRight) process.exitCode = exitCodes.failed
}

type Reading = { readonly policy: Policy | undefined; readonly held: Held; readonly strict: boolean }

/** The verdict about an export, and what it leaves open. */
export function reportedOf(verified: Verified, { policy, held, strict }: Reading): Reported {
  const hasPolicy = policy !== undefined
  return {
    notChecked: notCheckedIn(verified, { policy, held }),
    ...{ verdict: verdictOf(verified, { hasPolicy, strict }), hasPolicy },
  }
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const unread = (cause: unknown) => {
    throw new CommandError(`${path} cannot be read${codeIn(cause)}`, exitCodes.usage, { cause })
  }
  // A pipe and a device have no end and no places. To open a pipe would wait for its writer.
  if (!(await stat(path).catch(unread)).isFile()) throw new CommandError(`${path} is no file`, exitCodes.usage)
  const file = await open(path).catch(unread)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

/** All that the result does not say, so that nobody takes silence for a yes. */
function notCheckedIn(
  { chain, stamps, rules, changes, results }: Verified,
  { policy, held }: Omit<Reading, 'strict'>,
): readonly string[] {
  const { begins, loose, looseEntries, unconfirmed } = chain
  return [
    ...(policy === undefined
      ? ['who signed the checkpoints: no --policy was given, so the keys are those that the file names itself']
      : policy.quorum === 'none'
        ? ['whether others saw the same log: the policy asks for no witness']
        : []),
    ...endsNotChecked(chain, held),
    ...(begins === undefined ? [] : [`what was before head ${begins.version}: the logs begin with it`]),
    ...(loose === 0 ? [] : [`${notPublished}: ${placesOf(looseEntries, loose)}`]),
    ...(unconfirmed.count === 0 ? [] : [`${withoutDocument}: ${placesOf(unconfirmed.named, unconfirmed.count)}`]),
    ...[stamps, rules, changes, results].flatMap(uncheckedLines),
    ...neverChecked,
  ]
}

const notPublished = 'the heads on which the newest entries rest, and which another log has not published yet'
const withoutDocument =
  'entries without a document: decisions that left the vault and were not kept, as one that was made again'

/** A tree says nothing of whose its hidden entries are. */
function endsNotChecked({ logs, held: found }: ChainResult, { checkpoints }: Held): readonly string[] {
  const { passed, ahead, provenEntries } = found
  const compared = new Set(checkpoints.map(({ origin }) => origin))
  const unknown = logs.filter(({ origin }) => !compared.has(origin))
  return [
    provenEntries === 0
      ? 'whether the newest entries of the organization were left out: no --proof of a newer activity was given'
      : 'whether entries of the organization behind those of the proofs were left out',
    ...unknown.map(({ origin, size }) => {
      return `whether ${origin} had more than ${counted(size, 'entry', 'entries')}: no --checkpoint of it was given`
    }),
    ...ahead.map(({ origin, size, path }) => {
      const left = size - (logs.find((log) => log.origin === origin)?.size ?? 0)
      return `the last ${counted(left, 'entry', 'entries')} of the tree of ${path}, which stand after the end of this file`
    }),
    ...passed.map(({ origin, size, path }) => {
      return `whether ${origin} continues the tree of ${size} entries in ${path}: not compared. Make an export that ends there: claviger log export --checkpoint ${path}`
    }),
  ]
}

function jsonOf({ chain, stamps, rules, changes, results }: Verified, { notChecked, verdict }: Reported) {
  return {
    ...{ chain: withResult(chain), stamps: withResult(stamps), rules: withResult(rules) },
    ...{ changes: withResult(changes), results: withResult(results), notChecked, verdict },
  }
}

function withResult<T extends Pick<StepResult, 'findings' | 'findingsCount'>>(step: T) {
  const { findings, findingsCount, ...rest } = step
  return { result: findingsCount === 0 ? 'right' : 'wrong', ...rest, findings, findingsCount }
}
