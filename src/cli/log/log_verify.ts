import { type FileHandle, open } from 'node:fs/promises'
import type { Policy } from '../../protocol/log/policy.ts'
import { codeIn } from '../../protocol/tools/error_codes.ts'
import { CommandError, exitCodes } from '../exit_codes.ts'
import { printResult } from '../standard_output.ts'
import { policyIn } from './policy_file.ts'
import { type ChainResult, verifyChain } from './verify_chain.ts'

/** These steps are not built yet. */
const laterSteps = [
  ['stamps', 'each vote by a key that its user had then'],
  ['rules', 'each decision by the rules of its time'],
  ['results', 'signatures and addresses'],
] as const

export async function verifyLog(
  path: string,
  { policy: policyPath, json }: { readonly policy?: string; readonly json: boolean },
): Promise<void> {
  const policy = policyPath === undefined ? undefined : await policyIn(policyPath)
  const chain = await withFile(path, (file) =>
    verifyChain(file, {
      policy,
      onProgress: (entries) => {
        if (process.stderr.isTTY) process.stderr.write(`\r${entries} entries`)
      },
    }),
  )
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  const notChecked = notCheckedIn(chain, policy)
  printResult(json ? JSON.stringify(jsonOf(chain, notChecked)) : textOf(chain, notChecked))
  if (chain.findingsCount > 0 || policy === undefined) process.exitCode = exitCodes.failed
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path).catch((cause: unknown) => {
    throw new CommandError(`${path} cannot be read${codeIn(cause)}`, exitCodes.usage, { cause })
  })
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

/** All that the result does not say, so that nobody takes silence for a yes. */
function notCheckedIn({ begins, loose }: ChainResult, policy: Policy | undefined): readonly string[] {
  return [
    ...(policy === undefined
      ? ['who signed the checkpoints: no --policy was given, so the keys are those that the file names itself']
      : policy.quorum === 'none'
        ? ['whether others saw the same log: the policy asks for no witness']
        : []),
    'whether the newest entries of the organization were left out: no statement counts them',
    ...(begins === undefined ? [] : [`what was before head ${begins.version}: the logs begin with it`]),
    ...(loose === 0 ? [] : [`${loose} of the newest entries: the heads that they rest on were published later`]),
    ...laterSteps.map(([step, what]) => `${step} (${what}): this version cannot`),
  ]
}

function jsonOf({ findings, findingsCount, ...chain }: ChainResult, notChecked: readonly string[]) {
  const result = findingsCount === 0 ? 'right' : 'wrong'
  const steps = Object.fromEntries(laterSteps.map(([step]) => [step, { result: 'not checked' }]))
  return { chain: { result, ...chain, findings, findingsCount }, ...steps, notChecked }
}

function textOf(chain: ChainResult, notChecked: readonly string[]): string {
  const { findings, findingsCount, logs, entries, flagged, newest, organizationId } = chain
  const places = findings.map(({ origin, index, what }) => {
    const place = [origin, index === undefined ? undefined : `entry ${index}`].filter((part) => part !== undefined)
    return `  ${[...place, what].join(': ')}`
  })
  const more = findingsCount - findings.length
  return [
    `chain: ${findingsCount === 0 ? 'right' : `WRONG, ${findingsCount} ${findingsCount === 1 ? 'fault' : 'faults'}`}`,
    ...places,
    ...(more > 0 ? [`  … and ${more} more`] : []),
    ...(organizationId === undefined ? [] : [`  organization ${organizationId}, up to head ${newest?.version ?? 0}`]),
    ...logs.map(({ origin, size, witnesses }) => {
      const seen = witnesses.length === 0 ? '' : `, cosigned by ${witnesses.join(', ')}`
      return `  ${origin}: a tree of ${size} entries${seen}`
    }),
    `  ${entries} entries: ${flagged.late} late, ${flagged.takenUp} taken up, ${flagged.ofOperator} acts of the operator`,
    ...laterSteps.map(([step]) => `${step}: not checked`),
    'Not checked:',
    ...notChecked.map((line) => `- ${line}`),
  ].join('\n')
}
