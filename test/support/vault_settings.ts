import { join } from 'node:path'
import { limitsDefault } from '../../src/contract/limits.ts'
import { oauth2EndpointsKnown } from '../../src/contract/oauth2.ts'
import type { VaultSettings } from '../../src/link/vault_settings.ts'

/** Settings of a vault that has its key file, its journal and its operator's socket in one folder. */
export function vaultSettingsIn(folder: string): VaultSettings {
  return {
    unsealer: { kind: 'keyFile', path: join(folder, 'vault', 'root.key'), create: true },
    journalDirectory: join(folder, 'mark'),
    operatorSocket: join(folder, 'vault.sock'),
    limits: limitsDefault,
    oidcIssuers: [],
    oidcAudiences: [],
    oauth2Endpoints: oauth2EndpointsKnown,
    ownIssuer: undefined,
    consoleUrl: undefined,
    sendsNotices: false,
    caFile: undefined,
    loopbackHttp: false,
    sandboxPasscodes: false,
    mailDecider: 'parent',
    vaults: 1,
    logHost: undefined,
    logWaitingMbMax: 128,
  }
}
