import type { Command } from 'commander'
import type { PolicyCheck } from '../contract/policy_check.ts'
import { type Credentials, readCredentials } from './shared/credentials.ts'
import { CommandError, exitCodes } from './shared/exit_codes.ts'
import { answerOf, exitCodeOf, post } from './shared/stamped_request.ts'
import { printResult } from './shared/standard_output.ts'

export function registerPolicies(program: Command): void {
  program
    .command('policies')
    .description('the policies of an organization')
    .command('check')
    .description(
      'list the signing requests that policies which deny and MFA policies cannot see, policies that allow by velocity controls alone, and texts that can never match',
    )
    .option('--credentials <file>', 'who asks', './data/credentials.json')
    .option('--json', 'print JSON', false)
    .action(async (options) => {
      const check = await ask(await readCredentials(options.credentials))
      printResult(options.json ? JSON.stringify(check) : textOf(check))
    })
}

async function ask(credentials: Credentials): Promise<PolicyCheck> {
  const { default: checkPolicies } = await import('../operations/policies/check_policies.ts')
  const body = Buffer.from(JSON.stringify({ organizationId: credentials.organizationId }))
  const answer = await post(credentials, checkPolicies.path, body)
  const shown = answerOf(answer) as PolicyCheck & { readonly message?: string }
  const code = exitCodeOf(answer.status)
  if (code === exitCodes.done) return shown
  throw new CommandError(`the server refused to check the policies: ${shown.message}`, code)
}

/** A server of an earlier version names no texts that never match and no MFA policies. */
function textOf({ denials, mfaPolicies = [], allowances, neverEqual = [] }: PolicyCheck): string {
  const found = [
    ...neverEqual.map(neverEqualText),
    ...denials.map(denialText),
    ...mfaPolicies.map(mfaPolicyText),
    ...allowances.map(allowanceText),
  ]
  return found.length === 0
    ? 'No policy that denies and no MFA policy is known to miss a signing request.'
    : found.join('\n\n')
}

const owners = { policy: 'policy', mfa_policy: 'MFA policy', session_profile: 'session profile' } as const

function neverEqualText({ of, id, name, expression, column, reason }: PolicyCheck['neverEqual'][number]): string {
  return [
    `The ${expression} of the ${owners[of]} ${id} (${name}) has a part that never matches:`,
    `  column ${column}: ${reason}`,
  ].join('\n')
}

function denialText({ policyId, policyName, unseen }: PolicyCheck['denials'][number]): string {
  return [
    `The denial ${policyId} (${policyName}) cannot see these. A second denial with the same consensus and time can:`,
    ...unseen.map((one) => unseenText(one)),
  ].join('\n')
}

function mfaPolicyText(found: PolicyCheck['mfaPolicies'][number]): string {
  const { userId, mfaPolicyId, mfaPolicyName, unseen, behind = [] } = found
  const policy = `The MFA policy ${mfaPolicyId} (${mfaPolicyName}) of the user ${userId}`
  return [
    ...(behind.length === 0
      ? []
      : [
          `${policy} is hardly ever enforced: whenever it certainly applies, one with other steps comes first: ${behind.join(', ')}`,
        ]),
    ...(unseen.length === 0
      ? []
      : [`${policy} cannot see these, and asks for no step. A second one of the same user and steps can:`]),
    ...unseen.map((one) => unseenText(one, { does: 'is about' })),
  ].join('\n')
}

function unseenText(
  { requests, part, missingFields, clause, alsoDenies }: Unseen,
  { does }: { readonly does: string } = { does: 'denies' },
): string {
  return [
    `- ${requests}; they lack ${missingFields.join(', ')}`,
    ...(part === undefined ? [] : [`  this part of it cannot see them, and other parts may: ${part}`]),
    `  this condition ${does} them: ${clause}`,
    ...(alsoDenies === undefined ? [] : [`  it ${does} these too: ${alsoDenies}`]),
  ].join('\n')
}

function allowanceText({ policyId, policyName, controls }: PolicyCheck['allowances'][number]): string {
  const named = controls.map((identifier) => `controls.${identifier}`).join(', ')
  const counts = controls.length === 1 ? `${named} counts while it holds` : `${named} count while they hold`
  return [
    `The policy ${policyId} (${policyName}) allows everything that ${counts}: its condition names nothing else.`,
    '  Name the activity, the chain, the recipient or the contract too.',
  ].join('\n')
}

type Unseen = PolicyCheck['denials'][number]['unseen'][number]
