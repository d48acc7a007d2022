import { createDial } from './delivery/connections/dial.ts'
import { issuerDestinations, oauth2Destinations } from './delivery/connections/issuers.ts'
import type { Log } from './process/log.ts'
import type { Settings } from './settings/settings.ts'
import { readEndpoints, refuseSandbox, vaultSettingsOf } from './settings/vault_settings_of.ts'
import { emptyNetwork } from './vault/empty_network.ts'
import { type OpenVault, spawnVault } from './vault/vault_process.ts'
import { connectVault } from './vault/vault_socket.ts'

/** Returns how this server gets its vault: it starts one, or connects to one. Throws `SettingsError`. */
export async function vaultOpener(
  settings: Settings,
  { development, log }: { readonly development: boolean; readonly log: Log },
): Promise<(signal: AbortSignal) => OpenVault | Promise<OpenVault>> {
  refuseSandbox(settings, { development }) // here too, because a vault of its own reads settings of its own
  const endpoints = await readEndpoints(settings, { development })
  const dial = createDial({
    destinations: new Set([...issuerDestinations(settings), ...oauth2Destinations(endpoints)]),
    privateAddresses: (settings.privateDestinations ?? (development ? 'allow' : 'refuse')) === 'allow',
  })
  const { vaultSocket: path } = settings
  if (path !== undefined) return (signal) => connectVault({ path, dial, signal })
  const vaultSettings = await vaultSettingsOf(settings, { development })
  const network = emptyNetwork(log) // while the database is opened
  return async () => spawnVault({ settings: vaultSettings, dial, log, inside: await network })
}
