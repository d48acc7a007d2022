import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Command } from 'commander'
import { AdminError } from '../link/admin_error.ts'
import { readText } from '../link/text_file.ts'
import { version } from '../link/version.ts'
import { codeIn } from '../protocol/tools/error_codes.ts'
import { commandName } from '../service/process/command_name.ts'
import type { RunningServer } from '../service/start.ts'
import { consoleLink, linkText, makeLink } from './console_link.ts'
import { generateKey } from './shared/api_key.ts'
import { replaceCredentials } from './shared/credentials.ts'
import { CommandError, exitCodes } from './shared/exit_codes.ts'
import { refuseFewOpenFiles } from './shared/open_files.ts'
import { announceReady, stopSignal, untilStopped } from './shared/run_server.ts'
import { addServerOptions, settingsOf } from './shared/server_options.ts'
import { announce } from './shared/standard_output.ts'

/** The server for a first look: on its first start it makes its key file, an organization, and credentials for it. */
export function registerDev(program: Command): void {
  addServerOptions(program.command('dev'))
    .description('run the server for development: the first start makes a key file and an organization')
    .action(async (options) => {
      const stopping = stopSignal()
      refuseFewOpenFiles()
      const settings = settingsOf(options)
      const { startServer } = await import('../service/start.ts')
      const server = await startServer(settings, { version, development: true, stopping })
      try {
        const credentialsPath = join(settings.data, 'credentials.json')
        const isFirst = !existsSync(credentialsPath)
        const made = isFirst ? await createFirstOrganization(server, credentialsPath) : undefined
        if (!isFirst) await keepReachable(server, credentialsPath)
        if (!options.json) {
          // The vault logs a link that it makes. That line stands before these, not among them.
          const wayIn = await wayInByPasskey(server, settings.data, made)
          introduce(server, credentialsPath, settings.publicUrl)
          announce(wayIn)
        }
        announceReady(server, options)
        await untilStopped(stopping)
      } finally {
        await server.close()
      }
    })
}

type Made = { readonly organizationId: string; readonly userId: string }

async function createFirstOrganization(server: RunningServer, credentialsPath: string): Promise<Made> {
  const key = await generateKey('p256')
  const { organizationId, userId } = await server.createOrganization({
    organizationName: 'My organization',
    userName: 'Root user',
    apiKeyName: 'First API key',
    apiPublicKey: key.publicKey,
  })
  await replaceCredentials(credentialsPath, {
    apiBaseUrl: server.url,
    organizationId,
    userId,
    apiPublicKey: key.publicKey,
    apiPrivateKey: key.privateKey,
  })
  return { organizationId, userId }
}

/**
 * Returns what to say of the way in by a passkey: a link on the first start, later how to get one. This process asks
 * the vault's own socket, as the operator who started it would. The service has no verb for it.
 */
async function wayInByPasskey({ url }: RunningServer, data: string, made: Made | undefined): Promise<string> {
  const command = `\`${commandHere()} console-link${data === join(process.cwd(), 'data') ? '' : ` --data ${inShell(data)}`}\``
  const hint = `To register a passkey for the root user, run ${command} and open the link that it prints.`
  if (made === undefined) return hint
  try {
    const link = await makeLink({ data, vaultData: data }, made)
    return linkText(consoleLink(link, Number(new URL(url).port)))
  } catch (error) {
    // The vault runs under another user, whose socket this one may not open.
    if (error instanceof AdminError) return hint
    throw error
  }
}

/** Another port than last time: the credentials go on working with `claviger request`. */
async function keepReachable({ url }: RunningServer, credentialsPath: string): Promise<void> {
  const credentials = readJson(credentialsPath)
  if (credentials.apiBaseUrl !== url) await replaceCredentials(credentialsPath, { ...credentials, apiBaseUrl: url })
}

function readJson(path: string): { readonly apiBaseUrl?: unknown } {
  try {
    return JSON.parse(readText(path))
  } catch (cause) {
    const message = `${path} cannot be read${codeIn(cause)}: mend it, or move it away to have another organization made`
    throw new CommandError(message, exitCodes.usage, { cause })
  }
}

/** A passkey cannot belong to an IP address, so people are sent to `localhost`. */
function introduce({ url }: RunningServer, credentialsPath: string, publicUrl: string | undefined): void {
  const below = relative(process.cwd(), credentialsPath)
  const credentials = below.startsWith('..') ? credentialsPath : below
  const flag = credentials === join('data', 'credentials.json') ? '' : ` --credentials ${inShell(credentials)}`
  // Names are unique, and the line is to work at each start.
  const walletName = `Made ${new Date().toISOString()}`
  const page = publicUrl ?? url.replace('//127.0.0.1:', '//localhost:')
  announce(`Console: ${page}/`)
  announce(`Interface documentation: ${page}/docs`)
  announce(`Credentials of your organization: ${credentials}`)
  announce('To try it:')
  announce(`  ${commandHere()} request whoami${flag}`)
  announce(
    `  ${commandHere()} request create_wallet${flag} --body '{"parameters":{"walletName":"${walletName}","accounts":[{"curve":"CURVE_SECP256K1","pathFormat":"PATH_FORMAT_BIP32","path":"m/44'\\''/60'\\''/0'\\''/0/0","addressFormat":"ADDRESS_FORMAT_ETHEREUM"}]}}'`,
  )
  announce(`  ${commandHere()} request list_wallet_accounts${flag}`)
}

/**
 * This program, as a person types it in this folder. `npx` alone would ask the public registry where the package is not
 * installed, and run whatever has its name there.
 */
function commandHere(): string {
  const name = commandName()
  const isHere = name === 'bin/claviger' || existsSync(join('node_modules', '.bin', 'claviger'))
  return isHere ? name : inShell(join(import.meta.dirname, '..', '..', 'bin', 'claviger'))
}

/** As one word of a command line. */
function inShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
