import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { callAdmin } from '../service/admin/socket.ts'
import { adminSocketFile } from '../service/start.ts'

export function registerOrg(program: Command): void {
  program
    .command('org')
    .description('root organizations')
    .command('create')
    .description("make a root organization, over the running server's local socket")
    .requiredOption('--name <name>', 'the name of the organization')
    .requiredOption('--api-public-key <hex>', 'the public key of its root user, as `key generate` prints it')
    .option('--user-name <name>', 'the name of its root user', 'Root user')
    .option('--data <folder>', 'the data folder of the server', process.env.CLAVIGER_DATA ?? './data')
    .option('--json', 'print JSON', false)
    .action(async (options) => {
      const result = await callAdmin({
        path: join(resolve(options.data), adminSocketFile),
        verb: 'createOrganization',
        argument: {
          organizationName: options.name,
          userName: options.userName,
          apiKeyName: 'First API key',
          apiPublicKey: options.apiPublicKey,
        },
      })
      if (options.json) return console.log(JSON.stringify(result))
      const { organizationId, userId } = result as { readonly organizationId: string; readonly userId: string }
      console.log(`organization: ${organizationId}`)
      console.log(`root user:    ${userId}`)
    })
}
