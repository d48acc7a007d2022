import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type LiftedAllowlist, liftMinutesMax } from '../../link/heads.ts'
import { uuid, wholeNumber } from '../shared/option_values.ts'
import { printResult } from '../shared/standard_output.ts'
import { askVault } from '../shared/vault_socket.ts'

type LiftOptions = {
  readonly data: string
  readonly vaultData?: string
  readonly minutes: number
  readonly json: boolean
}

const minutesDefault = 15
const minutes = wholeNumber({ min: 1, max: liftMinutesMax })

export function registerLiftIpAllowlist(vault: Command): void {
  vault
    .command('lift-ip-allowlist')
    .argument('<organization-id>', 'the organization', uuid)
    .description('for an organization that has shut itself out: let requests from every address pass for a while')
    .option('--minutes <minutes>', `how long, at most ${liftMinutesMax}`, minutes, minutesDefault)
    .option('--data <folder>', 'the data folder of the server', process.env.CLAVIGER_DATA ?? './data')
    .option('--vault-data <folder>', 'the data folder of the vault, where the vault is a process of its own')
    .option('--json', 'print JSON', false)
    .action(async (organizationId: string, { data, vaultData = data, minutes, json }: LiftOptions) => {
      const folders = { data: resolve(data), vaultData: resolve(vaultData) }
      const lifted: LiftedAllowlist = await askVault(folders, 'liftIpAllowlist', { organizationId, minutes })
      if (json) printResult(JSON.stringify(lifted))
      else printResult(report(lifted).join('\n'))
    })
}

function report({ organizationId, until }: LiftedAllowlist): readonly string[] {
  return [
    `Requests for organization ${organizationId} pass from every address until ${until}.`,
    'Its list is as it was and holds again then, or when the vault is started again.',
    'A root user mends the list before that: set_ip_allowlist or remove_ip_allowlist.',
  ]
}
