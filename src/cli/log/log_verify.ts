import { type FileHandle, open, stat } from 'node:fs/promises'
import type { Policy } from '../../protocol/log/policy.ts'
import { codeIn } from '../../protocol/tools/error_codes.ts'
import { CommandError, exitCodes } from '../exit_codes.ts'
import { printResult } from '../standard_output.ts'
import { checkpointsIn, proofsIn } from './held_files.ts'
import { policyIn } from './policy_file.ts'
import type { Finding, StepResult } from './verify/findings.ts'
import type { ChainResult } from './verify/verify_chain.ts'
import { type Verified, verifyExport } from './verify/verify_export.ts'

/** The checks of a vault that no document has enough for. */
const neverChecked = [
  'whether each activity changed what it asked for, and nothing else',
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
  const { chain, stamps, rules, results } = verified
  const notChecked = notCheckedIn(verified, policy)
  printResult(json ? JSON.stringify(jsonOf(verified, notChecked)) : textOf(verified, notChecked))
  const isUnconfirmed = strict && chain.unconfirmed.count > 0
  const faults = [chain, stamps, rules, results].reduce((sum, { findingsCount }) => sum + findingsCount, 0)
  if (faults > 0 || isUnconfirmed || policy === undefined) process.exitCode = exitCodes.failed
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
function notCheckedIn({ chain, stamps, rules, results }: Verified, policy: Policy | undefined): readonly string[] {
  const { begins, loose, unconfirmed } = chain
  return [
    ...(policy === undefined
      ? ['who signed the checkpoints: no --policy was given, so the keys are those that the file names itself']
      : policy.quorum === 'none'
        ? ['whether others saw the same log: the policy asks for no witness']
        : []),
    ...endsNotChecked(chain),
    ...(begins === undefined ? [] : [`what was before head ${begins.version}: the logs begin with it`]),
    ...(loose === 0 ? [] : [`${loose} of the newest entries: the heads that they rest on were published later`]),
    ...(unconfirmed.count === 0
      ? []
      : [
          `${unconfirmed.count} entries without a document: decisions that left the vault and were not kept, as one that was made again`,
        ]),
    ...[stamps, rules, results]
      .flatMap(({ notChecked }) => Object.entries(notChecked))
      .map(([what, count]) => `${count} ${what}`),
    ...neverChecked,
  ]
}

/** A tree says nothing of whose its hidden entries are. */
function endsNotChecked({ logs, held: { reached, passed, provenEntries } }: ChainResult): readonly string[] {
  const compared = new Set([...reached, ...passed].map(({ origin }) => origin))
  const unknown = logs.filter(({ origin }) => !compared.has(origin))
  return [
    provenEntries === 0
      ? 'whether the newest entries of the organization were left out: no --proof of a newer activity was given'
      : 'whether entries of the organization behind those of the proofs were left out',
    ...unknown.map(({ origin, size }) => `whether ${origin} had more than ${size} entries: no --checkpoint was given`),
    ...passed.map(({ origin, size, path }) => {
      return `whether ${origin} continues its tree of ${size} entries in ${path}: log export --checkpoint ends there`
    }),
  ]
}

function jsonOf({ chain, stamps, rules, results }: Verified, notChecked: readonly string[]) {
  const steps = { stamps: withResult(stamps), rules: withResult(rules), results: withResult(results) }
  return { chain: withResult(chain), ...steps, notChecked }
}

function withResult<T extends Pick<StepResult, 'findings' | 'findingsCount'>>(step: T) {
  const { findings, findingsCount, ...rest } = step
  return { result: findingsCount === 0 ? 'right' : 'wrong', ...rest, findings, findingsCount }
}

function textOf({ chain, stamps, rules, results }: Verified, notChecked: readonly string[]): string {
  return [
    ...headingOf('chain', chain),
    ...linesOfChain(chain),
    ...headingOf('stamps', stamps),
    `  ${stamps.checked} votes were stamped by a key that their user had then`,
    ...headingOf('rules', rules),
    `  ${rules.checked} decisions are those of the rules of their time`,
    ...headingOf('results', results),
    `  ${results.checked} signatures and addresses are those of their public keys`,
    'Not checked:',
    ...notChecked.map((line) => `- ${line}`),
  ].join('\n')
}

function headingOf(step: string, { findings, findingsCount }: Pick<StepResult, 'findings' | 'findingsCount'>) {
  const more = findingsCount - findings.length
  return [
    `${step}: ${findingsCount === 0 ? 'right' : `WRONG, ${findingsCount} ${findingsCount === 1 ? 'fault' : 'faults'}`}`,
    ...findings.map(lineOf),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ]
}

function lineOf({ origin, index, what }: Finding): string {
  const place = [origin, index === undefined ? undefined : `entry ${index}`].filter((part) => part !== undefined)
  // A line end in a text of the file would make a line of the report.
  return `  ${[...place, what].join(': ').replaceAll('\n', '\\n')}`
}

function linesOfChain(chain: ChainResult): readonly string[] {
  const { logs, entries, flagged, unconfirmed, newest, organizationId, held } = chain
  return [
    ...(organizationId === undefined ? [] : [`  organization ${organizationId}, up to head ${newest?.version ?? 0}`]),
    ...logs.map(({ origin, size, witnesses }) => {
      const seen = witnesses.length === 0 ? '' : `, cosigned by ${witnesses.join(', ')}`
      return `  ${origin}: a tree of ${size} entries${seen}`
    }),
    ...held.reached.map(({ origin, path }) => `  ${origin}: the file ends with the checkpoint of ${path}`),
    ...(held.provenEntries === 0 ? [] : [`  ${held.provenEntries} entries of the proofs given are in the file`]),
    `  ${entries} entries: ${flagged.late} late, ${flagged.takenUp} taken up, ${flagged.ofOperator} acts of the operator`,
    ...unconfirmed.named.map(({ origin, index, activityId, version }) =>
      lineOf({ origin, index, what: `unconfirmed: version ${version} of activity ${activityId}` }),
    ),
  ]
}
