import { unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { callAdmin } from '../link/socket.ts'
import { adminSocketFile } from '../link/socket_files.ts'
import type { CreatedOrganization } from '../service/start.ts'
import { type GeneratedKey, generateKey } from './shared/api_key.ts'
import { replaceCredentials, writeNewFile } from './shared/credentials.ts'
import { CommandError, exitCodes } from './shared/exit_codes.ts'
import { printResult } from './shared/standard_output.ts'

type OrganizationOptions = {
  readonly name: string
  readonly userName: string
  readonly data: string
  readonly json: boolean
  readonly apiPublicKey?: string
  readonly credentialsOut?: string
}

export function registerOrg(program: Command): void {
  program
    .command('org')
    .description('root organizations')
    .command('create')
    .description("make a root organization, over the running server's local socket")
    .requiredOption('--name <name>', 'the name of the organization')
    .option('--api-public-key <hex>', 'the public key of its root user, as `key generate` prints it')
    .option(
      '--credentials-out <file>',
      'write what `request --credentials` takes to a new file that only you can read; without --api-public-key a key is made',
    )
    .option('--user-name <name>', 'the name of its root user', 'Root user')
    .option('--data <folder>', 'the data folder of the server', process.env.CLAVIGER_DATA ?? './data')
    .option('--json', 'print JSON', false)
    .action(async (options: OrganizationOptions) => {
      const { organizationId, userId } = await createOrganization(options)
      if (options.json) return printResult(JSON.stringify({ organizationId, userId }))
      printResult(`organization: ${organizationId}`)
      printResult(`root user:    ${userId}`)
      if (options.credentialsOut === undefined) return
      const missing = options.apiPublicKey === undefined ? '' : '   (add the other half of the key as apiPrivateKey)'
      printResult(`credentials:  ${options.credentialsOut}${missing}`)
    })
}

async function createOrganization({
  apiPublicKey,
  credentialsOut,
  ...options
}: OrganizationOptions): Promise<CreatedOrganization> {
  if (credentialsOut === undefined) {
    if (apiPublicKey !== undefined) return askServer(options, apiPublicKey)
    throw new CommandError('give --credentials-out to have a key made, or --api-public-key', exitCodes.usage)
  }
  const key =
    apiPublicKey === undefined ? keyMembers(await generateKey('p256')) : { apiPublicKey, apiPrivateKey: undefined }
  // Writes the key to disk before an organization depends on it.
  await writeNewFile(credentialsOut, key)
  const created = await askServer(options, key.apiPublicKey).catch(async (error: unknown) => {
    await unlink(credentialsOut)
    throw error
  })
  const { apiBaseUrl, organizationId, userId } = created
  await replaceCredentials(credentialsOut, { apiBaseUrl, organizationId, userId, ...key })
  return created
}

function keyMembers({ publicKey, privateKey }: GeneratedKey) {
  return { apiPublicKey: publicKey, apiPrivateKey: privateKey }
}

async function askServer(
  { name, userName, data }: Pick<OrganizationOptions, 'name' | 'userName' | 'data'>,
  apiPublicKey: string,
): Promise<CreatedOrganization> {
  const argument = { organizationName: name, userName, apiKeyName: 'First API key', apiPublicKey }
  const path = join(resolve(data), adminSocketFile)
  return (await callAdmin({ path, verb: 'createOrganization', argument })) as CreatedOrganization
}
