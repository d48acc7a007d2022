import { createHash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { vaultSettingsIn } from '../../../test/support/vault_settings.ts'
import { AdminUnreachable } from '../../link/admin_error.ts'
import type { VaultRequest } from '../../link/verbs.ts'
import { keptBytesMax, startVault, VaultError, type VaultStateStore, VaultUnavailable } from './client.ts'
import { heldMsMax, ofQuietMax, sentMax } from './sending_turns.ts'
import { spawnVault } from './vault_process.ts'

const directory = mkdtempSync(join(tmpdir(), 'claviger-client-'))
const settingsOfStub = vaultSettingsIn(directory)
const stub = join(import.meta.dirname, '..', '..', '..', 'test', 'support', 'stub_vault.ts')

const dial = () => new PassThrough().destroy(new Error('nobody connects here'))

const opened: ReturnType<typeof startVault>[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((vault) => vault.close()))
})

describe('a start', () => {
  test('unseals with the stored state', async () => {
    const { store, calls } = stateStore(Buffer.from('stored'))
    const { vault } = started({ vaultState: store })
    expect(vault.state()).toBe('starting')
    await expect(vault.answer(request('/pid'))).rejects.toBeInstanceOf(VaultUnavailable)
    await vault.started
    expect(vault.state()).toBe('ready')
    expect(calls).toEqual(['load'])
  })

  test('stores the state that the vault made when none is stored, and unseals with the stored one', async () => {
    const { store, calls, stored } = stateStore(undefined)
    await started({ vaultState: store }).vault.started
    expect(calls).toEqual(['load', 'initialize'])
    expect(stored()).toMatch(/^state-of-[0-9]+$/)
  })

  test('takes the state of a node that was faster', async () => {
    const { store } = stateStore(undefined)
    const faster: VaultStateStore = { ...store, initialize: async () => Buffer.from('refused') }
    await expect(started({ vaultState: faster }).vault.started).rejects.toMatchObject({ message: 'the wrong key' })
  })

  test('that does not open says why, and is tried again', async () => {
    const states = [Buffer.from('refused'), Buffer.from('refused'), Buffer.from('stored')]
    const ready = Promise.withResolvers<void>()
    const { vault, logged } = started({
      vaultState: { load: async () => states.shift(), initialize: async (state) => state },
      onUnsealed: ready.resolve,
    })
    await expect(vault.started).rejects.toBeInstanceOf(VaultError)
    await expect(vault.started).rejects.toMatchObject({ thrownName: 'UnsealError', message: 'the wrong key' })
    await ready.promise
    expect(vault.state()).toBe('ready')
    // The error of the first start is not logged: `started` rejects with it.
    const failures = logged.filter(([, , message]) => message === 'the vault could not be unsealed')
    expect(failures).toEqual([['error', { reason: 'the wrong key' }, 'the vault could not be unsealed']])
  })

  test('that reaches no vault says so to its caller, and afterwards in one line of the log', async () => {
    const error = new AdminUnreachable('no vault takes this server: start one')
    const { vault, logged } = started({ open: () => Promise.reject(error) })
    await expect(vault.started).rejects.toBe(error)
    expect(logged).toEqual([])
    await until(() => logged.length > 0)
    expect(logged).toEqual([['error', { reason: error.message }, 'the vault could not be started']])
  })

  test('fails when the entry does not run', async () => {
    const { vault } = started({ entryPath: join(directory, 'missing.ts') })
    await expect(vault.started).rejects.toBeInstanceOf(VaultUnavailable)
  })

  test('fails when the machine refuses the process, and is tried again', async () => {
    const { vault, logged } = started({
      settings: { ...settingsOfStub, journalDirectory: `/${'a'.repeat(4_000_000)}` },
    })
    await expect(vault.started).rejects.toMatchObject({ code: 'E2BIG' })
    await until(() => logged.length > 1)
    expect(logged.map(([level, , message]) => [level, message])).toContainEqual([
      'error',
      'the vault could not be started',
    ])
  })
})

describe('the vault', () => {
  test('answers every verb', async () => {
    const { vault } = started()
    await vault.started
    const body = new Uint8Array(3_000_000).fill(7)
    const { body: digest } = await answered(vault.answer(request('/digest', body)))
    expect(Buffer.from(digest)).toEqual(createHash('sha256').update(body).digest())
    expect(await vault.publishedKeys()).toEqual({ bundleSigning: { compressed: '02', uncompressed: '04' } })
    expect(await vault.unseal({ vaultState: Buffer.from('stored') })).toEqual({ kind: 'unsealed' })
    const names = { organizationName: 'a', userName: 'b', userEmail: undefined, apiKeyName: 'c', apiPublicKey: '02' }
    await expect(vault.createOrganization(names)).rejects.toMatchObject({ thrownName: 'Failure' })
  })

  test('refuses a message that is no request, and answers the next one', async () => {
    const { vault } = started()
    await vault.started
    const malformed: VaultRequest = { ...request('/pid'), ...JSON.parse('{"dialect":"latin"}') }
    await expect(vault.answer(malformed)).rejects.toMatchObject({ thrownName: 'MessageError' })
    expect(Number(text(await answered(vault.answer(request('/pid')))))).toBeGreaterThan(0)
  })

  test('has none of the environment of the service', async () => {
    vi.stubEnv('CLAVIGER_TEST_SECRET', 'of the service')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { vault } = started()
    await vault.started
    const environment = JSON.parse(text(await answered(vault.answer(request('/environment')))))
    // As in the package. `npm_start.test.ts` looks at that of a checkout.
    expect(environment).toEqual({})
  })

  test('writes to the log of the service', async () => {
    const { vault, logged } = started()
    await vault.started
    await vault.answer(request('/log'))
    await until(() => logged.length > 0)
    expect(logged).toContainEqual(['warn', { vault: true, path: '/log' }, 'asked for the log'])
  })
})

test('requests of one address wait for those that the vault has, others and the condition do not', async () => {
  const { vault } = started()
  await vault.started
  // The time that a request may wait stands still, however slow the machine is.
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const of = (sourceAddress: string, path: string) => vault.answer({ ...request(path), sourceAddress })
  const hanging = Promise.allSettled(Array.from({ length: sentMax }, () => of('203.0.113.7', '/hang')))
  const settled: string[] = []
  const ask = async (name: string, asked: Promise<unknown>) => {
    await asked
    settled.push(name)
  }
  const waiting = ask('waits', of('203.0.113.7', '/pid'))
  await Promise.all([ask('condition', vault.condition()), ask('other', of('203.0.113.8', '/pid'))])
  expect(settled).toEqual(['condition', 'other'])
  await vi.advanceTimersByTimeAsync(heldMsMax)
  vi.useRealTimers()
  await waiting
  await vault.close()
  await hanging
})

test('a request that waits drops what is presented, and loads it when its turn has come', async () => {
  const { vault } = started()
  await vault.started
  const presentedOf = (bytes: number): VaultRequest['presented'] => {
    const row = { recordId: 'r', version: 1, sealed: new Uint8Array(bytes) }
    const read = { read: 'record', organizationId: 'o', kind: 'user', recordId: 'r' } as const
    return [{ read, found: { read: 'record', row } }]
  }
  const evidenceOf = (bytes: number, laterBytes = bytes) => {
    let found = presentedOf(bytes)
    const calls: string[] = []
    const drop = () => {
      calls.push('drop')
      found = []
    }
    const load = async () => {
      calls.push('load')
      found = presentedOf(laterBytes)
    }
    return { calls, found: () => found, drop, load }
  }
  const ask = (path: string, evidence: ReturnType<typeof evidenceOf>) =>
    vault.answer({ ...request(path), sourceAddress: '203.0.113.7', presented: evidence.found() }, evidence)
  const large = 1024 * 1024
  const sent = Array.from({ length: ofQuietMax }, () => evidenceOf(large))
  const hanging = Promise.allSettled(sent.map((evidence) => ask('/hang', evidence)))
  const waiting = [evidenceOf(large), evidenceOf(keptBytesMax + 1), evidenceOf(keptBytesMax)]
  // The two smaller ones take another lane, which has room.
  const answers = waiting.map((evidence) => ask('/presented', evidence))
  expect(sent.flatMap(({ calls }) => calls)).toEqual([])
  expect(waiting.map(({ calls }) => calls)).toEqual([['drop'], [], []])
  const grown = ask('/presented', evidenceOf(large, 3 * large))
  await expect(grown).rejects.toThrow('has grown while it waited')
  const texts = await Promise.all(answers.map(async (answer) => text(await answered(answer))))
  expect(texts).toEqual([large, keptBytesMax + 1, keptBytesMax].map(String))
  expect(waiting[0]?.calls).toEqual(['drop', 'load'])

  // The small lane too, once it is full.
  const full = Promise.allSettled(Array.from({ length: sentMax }, () => ask('/hang', evidenceOf(1))))
  const [dropped, kept] = [evidenceOf(keptBytesMax + 1), evidenceOf(keptBytesMax)]
  const later = Promise.allSettled([ask('/presented', dropped), ask('/presented', kept)])
  expect([dropped.calls, kept.calls]).toEqual([['drop'], []])
  await vault.close()
  await Promise.all([hanging, full, later])
})

describe('a vault that dies', () => {
  test('rejects pending calls, is started again and unsealed with the stored state', async () => {
    const { store, calls } = stateStore(undefined)
    let starts = 0
    const again = Promise.withResolvers<void>()
    const { vault } = started({
      vaultState: store,
      onUnsealed: () => {
        starts += 1
        if (starts === 2) again.resolve()
      },
    })
    await vault.started
    const before = text(await answered(vault.answer(request('/pid'))))
    const pending = vault.answer(request('/hang'))
    const died = vault.answer(request('/die'))
    await expect(pending).rejects.toBeInstanceOf(VaultUnavailable)
    await expect(died).rejects.toBeInstanceOf(VaultUnavailable)
    expect(vault.state()).toBe('down')
    await expect(vault.answer(request('/pid'))).rejects.toBeInstanceOf(VaultUnavailable)
    await again.promise
    expect(text(await answered(vault.answer(request('/pid'))))).not.toBe(before)
    expect(calls).toEqual(['load', 'initialize', 'load'])
  })

  test('is not stopped by the signals that stop the service, nor by the one that opens a debugger', async () => {
    const { vault } = started()
    await vault.started
    const pid = Number(text(await answered(vault.answer(request('/pid')))))
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1'] as const) process.kill(pid, signal)
    await sleep(100)
    expect(Number(text(await answered(vault.answer(request('/pid')))))).toBe(pid)
  })
})

describe('close', () => {
  test('ends the process and stays closed', async () => {
    const { vault } = started()
    await vault.started
    const pid = Number(text(await answered(vault.answer(request('/pid')))))
    await vault.close()
    expect(vault.state()).toBe('down')
    expect(isRunning(pid)).toBe(false)
    await expect(vault.answer(request('/pid'))).rejects.toBeInstanceOf(VaultUnavailable)
  })

  test('kills a vault that hangs', async () => {
    const { vault } = started()
    await vault.started
    const pid = Number(text(await answered(vault.answer(request('/pid')))))
    const blocked = vault.answer(request('/block'))
    const rejected = expect(blocked).rejects.toBeInstanceOf(VaultUnavailable)
    await sleep(50)
    await vault.close()
    await rejected
    expect(isRunning(pid)).toBe(false)
  })

  test('also works before the vault is ready, and twice', async () => {
    const { vault } = started()
    await vault.close()
    await vault.close()
    await expect(vault.started).rejects.toBeInstanceOf(VaultUnavailable)
    expect(vault.state()).toBe('down')
  })
})

type Options = Partial<
  Parameters<typeof startVault>[0] & Pick<Parameters<typeof spawnVault>[0], 'entryPath' | 'settings'>
>

function started({ entryPath = stub, settings = settingsOfStub, ...options }: Options = {}) {
  const logged: [string, object, string][] = []
  const log = {
    info: (fields: object, message: string) => logged.push(['info', fields, message]),
    warn: (fields: object, message: string) => logged.push(['warn', fields, message]),
    error: (fields: object, message: string) => logged.push(['error', fields, message]),
  }
  const vaultState = stateStore(Buffer.from('stored')).store
  const vault = startVault({ open: () => spawnVault({ settings, dial, log, entryPath }), vaultState, log, ...options })
  opened.push(vault)
  return { vault, logged }
}

function stateStore(initial: Uint8Array | undefined) {
  const calls: string[] = []
  let stored = initial
  const store: VaultStateStore = {
    async load() {
      calls.push('load')
      return stored
    },
    async initialize(state) {
      calls.push('initialize')
      stored ??= state
      return stored
    },
  }
  return { store, calls, stored: () => Buffer.from(stored ?? []).toString() }
}

function request(path: string, body = new Uint8Array()): VaultRequest {
  return { path, body, stamps: [], dialect: 'spec', presented: [], outcomes: [] }
}

async function answered(answer: ReturnType<ReturnType<typeof startVault>['answer']>) {
  const settled = await answer
  if (settled.kind !== 'answer') throw new Error(`expected an answer, got ${settled.kind}`)
  return settled
}

function text({ body }: { readonly body: Uint8Array }): string {
  return Buffer.from(body).toString()
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}
