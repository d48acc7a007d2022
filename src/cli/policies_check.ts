import type { Command } from 'commander'
import type { DenialCheck } from '../operations/denial_check.ts'
import { type Credentials, readCredentials } from './credentials.ts'
import { CommandError, exitCodes } from './exit_codes.ts'
import { answerOf, exitCodeOf, post } from './stamped_request.ts'

export function registerPolicies(program: Command): void {
  program
    .command('policies')
    .description('the policies of an organization')
    .command('check')
    .description('list the signing requests that policies which deny cannot see, with the condition that denies them')
    .option('--credentials <file>', 'who asks', './data/credentials.json')
    .option('--json', 'print JSON', false)
    .action(async (options) => {
      const check = await ask(await readCredentials(options.credentials))
      console.log(options.json ? JSON.stringify(check) : textOf(check))
    })
}

async function ask(credentials: Credentials): Promise<DenialCheck> {
  const { default: checkPolicies } = await import('../operations/policies/check_policies.ts')
  const body = Buffer.from(JSON.stringify({ organizationId: credentials.organizationId }))
  const answer = await post(credentials, checkPolicies.path, body)
  const shown = answerOf(answer) as DenialCheck & { readonly message?: string }
  const code = exitCodeOf(answer.status)
  if (code === exitCodes.done) return shown
  throw new CommandError(`the server refused to check the policies: ${shown.message}`, code)
}

function textOf({ denials }: DenialCheck): string {
  if (denials.length === 0) return 'No policy that denies is known to miss a signing request.'
  return denials.map(denialText).join('\n\n')
}

function denialText({ policyId, policyName, unseen }: DenialCheck['denials'][number]): string {
  return [`The denial ${policyId} (${policyName}) cannot see:`, ...unseen.map(unseenText)].join('\n')
}

function unseenText({ requests, missingFields, clause, alsoDenies }: Unseen): string {
  return [
    `- ${requests}; they lack ${missingFields.join(', ')}`,
    `  a second denial with this condition, and the same consensus and time, denies them: ${clause}`,
    ...(alsoDenies === undefined ? [] : [`  it denies these too: ${alsoDenies}`]),
  ].join('\n')
}

type Unseen = DenialCheck['denials'][number]['unseen'][number]
