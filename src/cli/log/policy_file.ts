import { readFile } from 'node:fs/promises'
import { type Policy, readPolicy } from '../../protocol/log/policy.ts'
import { codeIn } from '../../protocol/tools/error_codes.ts'
import { CommandError, exitCodes } from '../exit_codes.ts'

/** Reads the file of `--policy`. */
export async function policyIn(path: string): Promise<Policy> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new CommandError(`${path} cannot be read${codeIn(cause)}`, exitCodes.usage, { cause })
  })
  const policy = readPolicy(bytes)
  if (policy.kind === 'read') return policy.value
  throw new CommandError(`${path} is no policy: ${policy.reason}`, exitCodes.usage)
}
