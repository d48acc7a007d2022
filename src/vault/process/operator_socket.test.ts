import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { processesBelow } from '../../../test/support/running_server.ts'
import { vaultSettingsIn } from '../../../test/support/vault_settings.ts'
import { callAdmin } from '../../link/socket.ts'
import type { Log } from '../../link/vault_log.ts'
import { startVault } from '../../service/vault/client.ts'
import { spawnVault } from '../../service/vault/vault_process.ts'

// The vault runs in a process of its own.

const absentId = '01234567-89ab-7cde-8f01-23456789abcd'

type Logged = readonly [fields: Readonly<Record<string, unknown>>, message: string]

/** An unsealed vault, with the log lines that it has written so far. */
async function startedVault(operatorSocket = join(newFolder(), 'vault.sock')) {
  const folder = newFolder()
  const warnings: Logged[] = []
  const unsealed = { count: 0 }
  let stored: Uint8Array | undefined
  const settings = { ...vaultSettingsIn(folder), operatorSocket }
  const dial = () => new PassThrough().destroy(new Error('nobody connects here'))
  const log: Log = { info() {}, warn: (fields, message) => warnings.push([{ ...fields }, message]), error() {} }
  const vault = startVault({
    open: () => spawnVault({ settings, dial, log }),
    vaultState: {
      load: async () => stored,
      async initialize(state) {
        stored ??= state
        return stored
      },
    },
    log,
    onUnsealed() {
      unsealed.count += 1
    },
  })
  onTestFinished(() => vault.close())
  await vault.started
  return { vault, operatorSocket, warnings, unsealed }
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'claviger-operator-'))
}

describe("the vault's socket for its operator", () => {
  test('is there once the vault is unsealed, for its owner only, and answers the verbs of the operator', async () => {
    const { operatorSocket: path } = await startedVault()
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(await callAdmin({ path, verb: 'bookedHeads', argument: {} })).toEqual({ heads: [] })
    const organizationIds = [absentId]
    expect(await callAdmin({ path, verb: 'bookedHeadsOf', argument: { organizationIds } })).toEqual([])
    const hexId = expect.stringMatching(/^[0-9a-f]{32}$/)
    expect(await callAdmin({ path, verb: 'acceptRestore', argument: {} })).toEqual({
      oldJournalId: hexId,
      newJournalId: hexId,
      organizations: 0,
    })
  })

  test.each([
    [{}, 'organizationId must be a UUID'],
    [{ organizationId: 'mine', minutes: 15 }, 'organizationId must be a UUID'],
    [{ organizationId: absentId }, 'minutes must be a whole number from 1 to 60'],
    [{ organizationId: absentId, minutes: 0 }, 'minutes must be a whole number from 1 to 60'],
    [{ organizationId: absentId, minutes: 61 }, 'minutes must be a whole number from 1 to 60'],
    [{ organizationId: absentId, minutes: 1.5 }, 'minutes must be a whole number from 1 to 60'],
    [{ organizationId: absentId, minutes: 60 }, `the vault knows no organization ${absentId}`],
  ])('lifts no IP allowlist for %j', async (argument, text) => {
    const { operatorSocket: path } = await startedVault()
    await expect(callAdmin({ path, verb: 'liftIpAllowlist', argument })).rejects.toThrow(text)
  })

  test.runIf(process.getuid?.() === 0)('cannot be opened by another user', async () => {
    const folder = mkdtempSync('/tmp/claviger-operator-')
    onTestFinished(() => void spawnSync('rm', ['-r', folder]))
    const { operatorSocket } = await startedVault(join(folder, 'vault.sock'))
    spawnSync('chmod', ['0755', folder]) // so that only the mode of the socket itself is in the way
    const program = `require('node:net').connect(${JSON.stringify(operatorSocket)}).on('error', ({ code }) => console.log(code))`
    const options = { uid: 65_534, gid: 65_534, encoding: 'utf8', cwd: '/' } as const
    const { stdout, error } = spawnSync(process.execPath, ['-e', program], options)
    expect([error, stdout]).toEqual([undefined, 'EACCES\n'])
  })

  test("has no verb of the service's channel", async () => {
    const { operatorSocket: path } = await startedVault()
    for (const verb of ['unseal', 'answer', 'confirm', 'createOrganization', 'openMessage', 'publishedKeys', 'close']) {
      await expect(callAdmin({ path, verb, argument: {} })).rejects.toThrow(`there is no verb ${verb}`)
    }
  })

  test('refuses an invalid cursor and an invalid list of ids', async () => {
    const { operatorSocket: path } = await startedVault()
    const ask = (verb: string, argument: unknown) => callAdmin({ path, verb, argument })
    for (const cursor of ['1', 1.5, null, {}]) {
      await expect(ask('bookedHeads', { cursor }), JSON.stringify(cursor)).rejects.toThrow('cursor must be')
    }
    await expect(ask('bookedHeads', { cursor: 7 })).rejects.toThrow('begun anew')
    for (const organizationIds of [undefined, absentId, [7], ['no id'], Array(1_001).fill(absentId)]) {
      await expect(ask('bookedHeadsOf', { organizationIds })).rejects.toThrow('organizationIds must be')
    }
  })

  test('is gone when the vault has ended', async () => {
    const { vault, operatorSocket } = await startedVault()
    await vault.close()
    expect(existsSync(operatorSocket)).toBe(false)
  })

  test('is there again after a vault was killed', async () => {
    const { operatorSocket: path, unsealed, vault } = await startedVault()
    const [running] = processesBelow(process.pid).filter(({ command }) => command.includes(path))
    if (running === undefined) throw new Error('the vault is a process')
    process.kill(running.pid, 'SIGKILL')
    while (unsealed.count < 2) await sleep(20)
    expect(vault.state()).toBe('ready')
    expect(await callAdmin({ path, verb: 'bookedHeads', argument: {} })).toEqual({ heads: [] })
  })

  test('causes a warning if it cannot be opened, and the vault works', async () => {
    const long = join(newFolder(), 'a'.repeat(110))
    const taken = join(newFolder(), 'vault.sock')
    mkdirSync(long)
    writeFileSync(taken, 'precious')
    for (const [path, reason] of [
      [join(long, 'vault.sock'), /longer than a socket's path may be/],
      [taken, /is not a socket/],
    ] as const) {
      const { vault, warnings } = await startedVault(path)
      expect(await vault.condition()).toEqual({})
      await vault.close()
      const fields = expect.objectContaining({ vault: true, path, reason: expect.stringMatching(reason) })
      expect(warnings).toContainEqual([fields, expect.stringContaining('cannot be opened')])
    }
    expect(readFileSync(taken, 'utf8')).toBe('precious')
  })
})
