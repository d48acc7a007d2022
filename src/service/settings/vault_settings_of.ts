import { X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Oauth2EndpointTable, oauth2EndpointsKnown, readOauth2Endpoints } from '../../contract/oauth2.ts'
import { vaultSocketFile } from '../../link/socket_files.ts'
import { readText } from '../../link/text_file.ts'
import type { VaultSettings } from '../../link/vault_settings.ts'
import { codeIn } from '../../protocol/tools/error_codes.ts'
import { isLoopbackHttp } from '../../protocol/wire/loopback.ts'
import { SettingsError } from '../process/settings_error.ts'
import type { Settings } from './settings.ts'

const keyFile = join('vault', 'root.key')

type Surroundings = { readonly development: boolean }

/**
 * Returns the part of the settings that is the vault's. Throws `SettingsError` for what the vault would only find out
 * later: a key file that is missing, except under `dev`, which makes one, and what `readEndpoints` finds.
 */
export async function vaultSettingsOf(settings: Settings, { development }: Surroundings): Promise<VaultSettings> {
  refuseSandbox(settings, { development })
  return {
    unsealer: unsealerOf(settings, { development }),
    journalDirectory: settings.journalDirectory,
    operatorSocket: join(settings.data, vaultSocketFile),
    limits: settings.limits,
    oidcIssuers: settings.oidcIssuers,
    oidcAudiences: settings.oidcAudiences,
    oauth2Endpoints: await readEndpoints(settings, { development }),
    ownIssuer: settings.publicUrl,
    consoleUrl: consoleUrlOf(settings, { development }),
    sendsNotices: sendsNotices(settings, { development }),
    caFile: settings.caFile,
    loopbackHttp: development,
    sandboxPasscodes: settings.sandboxPasscodes,
    mailDecider: settings.mailDecider,
    vaults: settings.vaults,
    logHost: settings.logOrigin ?? settings.publicUrl?.replace(/^https?:\/\//, ''),
    logWaitingMbMax: settings.logWaitingMbMax,
  }
}

/** Under `dev` a person reads the mails on this machine, under the name to which passkeys can belong. */
export function consoleUrlOf({ publicUrl, port }: Settings, { development }: Surroundings): string | undefined {
  if (publicUrl !== undefined) return publicUrl
  return development && port !== 0 ? `http://localhost:${port}` : undefined
}

/** Throws `SettingsError` if notices cannot have links. */
function sendsNotices(settings: Settings, surroundings: Surroundings): boolean {
  const { notices, delivery } = settings
  const hasUrl = consoleUrlOf(settings, surroundings) !== undefined
  if (notices === 'on' && !hasUrl) {
    throw new SettingsError('CLAVIGER_NOTICES (--notices) needs CLAVIGER_PUBLIC_URL, to which their links lead')
  }
  return hasUrl && (notices ?? (delivery.smtp === undefined ? 'off' : 'on')) === 'on'
}

/**
 * Throws `SettingsError` for known passcodes, except under `dev`. A passcode that everybody knows is no factor: it would
 * open the accounts of its contacts.
 */
export function refuseSandbox({ sandboxPasscodes }: Settings, { development }: Surroundings): void {
  if (!sandboxPasscodes || development) return
  throw new SettingsError('CLAVIGER_SANDBOX_PASSCODES (--sandbox-passcodes) must be off, except under `dev`')
}

/** Returns where providers are asked. Throws `SettingsError` if evidence from outside could not be fetched. */
export async function readEndpoints(settings: Settings, { development }: Surroundings): Promise<Oauth2EndpointTable> {
  await checkEvidence(settings, { development })
  return readProviders(settings.providersFile)
}

function unsealerOf(settings: Settings, { development }: Surroundings): VaultSettings['unsealer'] {
  const { rootPassphraseFile, data } = settings
  if (rootPassphraseFile !== undefined) return { kind: 'passphrase', path: rootPassphraseFile }
  const path = join(data, keyFile)
  if (!development && isMissing(path)) {
    throw new SettingsError(`there is no key file ${path}: ${keyFileRemedy(settings)}`)
  }
  return { kind: 'keyFile', path, create: development }
}

/** One that this user may not see may be there. The vault says why it cannot be read. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** A vault of its own does not know the database. A server on the embedded database is the only node. */
function keyFileRemedy({ data, database, vaultSocket }: Settings): string {
  const passphrase = 'set CLAVIGER_ROOT_PASSPHRASE_FILE'
  const make = `run \`claviger dev --data ${data}\` once to make one`
  if (vaultSocket !== undefined) return `copy ${keyFile} of the server or of the first node there, or ${passphrase}`
  if (database === undefined) return `${passphrase}, or ${make}`
  return `copy ${keyFile} of the first node there, or ${passphrase} as on that node; for a first node ${make}`
}

/** Checks what the vault would only find out at the first token. */
async function checkEvidence({ oidcIssuers, caFile }: Settings, { development }: Surroundings): Promise<void> {
  const plain = development ? undefined : oidcIssuers.find((issuer) => isLoopbackHttp(new URL(issuer)))
  if (plain !== undefined) {
    throw new SettingsError(`CLAVIGER_OIDC_ISSUERS (--oidc-issuers): ${plain} must be https, except under \`dev\``)
  }
  try {
    if (caFile !== undefined) checkCertificates(readText(caFile))
  } catch (cause) {
    const message = `CLAVIGER_CA_FILE (--ca-file): ${caFile} cannot be read as certificates in PEM${codeIn(cause)}`
    throw new SettingsError(message, { cause })
  }
}

/** Throws unless there is one, and all of them can be read: TLS would pass over a broken one and all that follow it. */
function checkCertificates(pem: string): void {
  const certificates = pem
    .split(/(?=-----BEGIN )/)
    .filter((part) => /^-----BEGIN [A-Z0-9 ]*CERTIFICATE-----/.test(part))
  if (certificates.length === 0) throw new Error('it holds no certificate')
  for (const certificate of certificates) new X509Certificate(certificate)
}

async function readProviders(path: string | undefined): Promise<Oauth2EndpointTable> {
  if (path === undefined) return oauth2EndpointsKnown
  try {
    return readOauth2Endpoints(JSON.parse(readText(path)))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : ''
    throw new SettingsError(`CLAVIGER_PROVIDERS_FILE (--providers-file): ${path}: ${reason}`, { cause })
  }
}
