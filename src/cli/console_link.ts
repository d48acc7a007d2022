import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { LinkRequest, MadeLink } from '../link/heads.ts'
import { readCredentials } from './shared/credentials.ts'
import { CommandError, exitCodes } from './shared/exit_codes.ts'
import { uuid, wholeNumber } from './shared/option_values.ts'
import { printRemark, printResult } from './shared/standard_output.ts'
import { askVault, type DataFolders } from './shared/vault_socket.ts'

type LinkOptions = {
  readonly organization?: string
  readonly user?: string
  readonly port?: number
  readonly data: string
  readonly vaultData?: string
  readonly json: boolean
}

const portDefault = 8787

export function registerConsoleLink(program: Command): void {
  program
    .command('console-link')
    .description('print a link that adds one passkey to a user, once, within ten minutes, on this machine')
    .option('--organization <id>', 'the organization; the one in credentials.json when not given', uuid)
    .option('--user <id>', 'the user; the one in credentials.json when not given', uuid)
    .option(
      '--port <port>',
      `the port of the server; that in credentials.json, or ${portDefault}, when not given`,
      wholeNumber({ min: 1, max: 65_535 }),
    )
    .option('--data <folder>', 'the data folder of the server', process.env.CLAVIGER_DATA ?? './data')
    .option('--vault-data <folder>', 'the data folder of the vault, where the vault is a process of its own')
    .option('--json', 'print JSON', false)
    .action(async ({ data, vaultData = data, json, ...given }: LinkOptions) => {
      const folders = { data: resolve(data), vaultData: resolve(vaultData) }
      const { port, isAssumed, ...whom } = await about(given, folders)
      const made = await makeLink(folders, whom)
      const link = consoleLink(made, port)
      const { organizationId, userId, until } = made
      if (json) printResult(JSON.stringify({ organizationId, userId, until, link }))
      else printResult(linkText(link))
      if (isAssumed)
        printRemark(`The link takes it that the server listens on port ${port}: if not, name it with --port.`)
    })
}

/** Asks the vault by the operator's socket for a link to add a passkey to a user. */
export function makeLink(folders: DataFolders, whom: LinkRequest): Promise<MadeLink> {
  return askVault(folders, 'makeLink', whom)
}

/** A passkey cannot belong to an IP address, so the link has `localhost`. Browsers do not send what follows the #. */
export function consoleLink({ organizationId, userId, privateKey }: MadeLink, port: number): string {
  return `http://localhost:${port}/#/first-start/${organizationId}/${userId}/${privateKey}`
}

export function linkText(link: string): string {
  return `Open this link on this machine to register a passkey. It works once, within ten minutes:\n${link}`
}

type LinkTarget = Pick<LinkOptions, 'organization' | 'user' | 'port'>

type About = LinkRequest & {
  readonly port: number
  /** Whether neither the command nor the credentials name a port. */
  readonly isAssumed: boolean
}

async function about(given: LinkTarget, { data }: DataFolders): Promise<About> {
  const { organization: organizationId, user: userId, port } = given
  const isAssumed = port === undefined
  if (organizationId !== undefined && userId !== undefined) {
    return { organizationId, userId, port: port ?? portDefault, isAssumed }
  }
  if (organizationId !== undefined || userId !== undefined) {
    throw new CommandError('give both --organization and --user, or neither', exitCodes.usage)
  }
  const remedy = 'name its folder with --data, or a user with --organization and --user'
  const credentials = await readCredentials(join(data, 'credentials.json'), remedy)
  if (credentials.userId === undefined) {
    throw new CommandError('credentials.json names no user: give --organization and --user', exitCodes.usage)
  }
  const { organizationId: ownId, userId: ownUserId, apiBaseUrl } = credentials
  const named = port ?? portOf(apiBaseUrl)
  return { organizationId: ownId, userId: ownUserId, port: named ?? portDefault, isAssumed: named === undefined }
}

function portOf(apiBaseUrl: string): number | undefined {
  const port = Number(URL.parse(apiBaseUrl)?.port)
  return port > 0 ? port : undefined
}
