import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { isRunning, vaultsOf } from '../../test/support/running_server.ts'
import { vaultSettingsIn } from '../../test/support/vault_settings.ts'
import { startVault, VaultUnavailable } from '../service/vault/client.ts'
import { spawnVault } from '../service/vault/vault_process.ts'

// The vault itself in its own process, under the permissions that the client gives it.

const dial = () => new PassThrough().destroy(new Error('nobody connects here'))
const log = { info() {}, warn() {}, error() {} }

test('the first start makes the key file and a state, and a second start opens that', async () => {
  const { settings, vaultState } = fresh()
  const published = []
  for (let start = 1; start <= 2; start++) {
    const vault = startVault({ open: () => spawnVault({ settings, dial, log }), vaultState, log })
    await vault.started
    published.push(await vault.publishedKeys())
    await vault.close()
  }
  expect(statSync(settings.unsealer.path).mode & 0o777).toBe(0o600)
  expect(published[0]).toEqual(published[1])
})

test('a state without its key file is not opened', async () => {
  const { settings, vaultState } = fresh()
  const first = startVault({ open: () => spawnVault({ settings, dial, log }), vaultState, log })
  await first.started
  await first.close()
  const moved = { ...settings, unsealer: { ...settings.unsealer, path: fresh().settings.unsealer.path } }
  const second = startVault({ open: () => spawnVault({ settings: moved, dial, log }), vaultState, log })
  await expect(second.started).rejects.toMatchObject({ thrownName: 'UnsealError', message: /is missing/ })
  await second.close()
})

test('a new organization comes with what is to be stored', async () => {
  const { settings, vaultState } = fresh()
  const vault = startVault({ open: () => spawnVault({ settings, dial, log }), vaultState, log })
  await vault.started
  const { organizationId, commit } = await vault.createOrganization({
    organizationName: 'Acme',
    userName: 'Ada',
    userEmail: undefined,
    apiKeyName: 'first',
    apiPublicKey: '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296',
  })
  expect(commit.heads.map((head) => head.organizationId)).toEqual([organizationId])
  expect(commit.heads[0]?.sealed).toBeInstanceOf(Uint8Array)
  await vault.close()
})

test.each([1, 2])('one of a node of %i that stands still is ended, and the next one answers', async (vaults) => {
  const { directory, settings, vaultState } = fresh()
  const errors: string[] = []
  const vault = startVault({
    open: () => spawnVault({ settings: { ...settings, vaults }, dial, log }),
    vaultState,
    log: { ...log, error: (_fields, message) => void errors.push(message) },
    silentTicksMax: 3,
  })
  onTestFinished(() => vault.close())
  await vault.started
  const published = await vault.publishedKeys()
  const before = vaultsOf(directory)
  const first = before.find(({ command }) => !command.endsWith('decider'))
  if (first === undefined) throw new Error('a vault that was started runs')
  process.kill(first.pid, 'SIGSTOP')
  await expect(vault.publishedKeys()).rejects.toBeInstanceOf(VaultUnavailable)
  while (errors.length === 0 || vault.state() !== 'ready') await sleep(20)
  expect(await vault.publishedKeys()).toEqual(published)
  expect(errors).toEqual(['the vault answered nothing for 3 s, so it was ended and will be started again'])
  while (before.some(({ pid }) => isRunning(pid))) await sleep(20)
})

function fresh() {
  const directory = mkdtempSync(join(tmpdir(), 'claviger-main-'))
  let stored: Uint8Array | undefined
  return {
    directory,
    settings: vaultSettingsIn(directory),
    vaultState: {
      load: async () => stored,
      async initialize(state: Uint8Array) {
        stored ??= state
        return stored
      },
    },
  } as const
}
