import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { vaultSettingsIn } from '../../../test/support/vault_settings.ts'
import type { Vault } from '../../link/verbs.ts'
import type { Found, Read } from '../../protocol/reads.ts'
import type { Log } from '../process/log.ts'
import { startVault } from '../vault/client.ts'
import { bytesOfPeerMax } from '../vault/sending_turns.ts'
import { spawnVault } from '../vault/vault_process.ts'
import { lookUpsMax } from './attempts.ts'
import { createDatabaseUse } from './database_use.ts'
import { createEvidence } from './evidence.ts'
import { createSubmit } from './submit.ts'

const log: Log = { debug() {}, info() {}, warn() {}, error() {} }
const megabyte = 1024 * 1024
const record = (recordId: string) => ({ read: 'record', organizationId: 'o', kind: 'user', recordId }) as const

test('what was dropped is looked up again, with what it led to', async () => {
  const asked: (readonly Read[])[] = []
  const rows = [{ organizationId: 'o', kind: 'wallet_account', recordId: 'led to' }]
  const find = async (reads: readonly Read[]) => {
    asked.push(reads)
    return reads.map(({ read }): Found => (read === 'lookup' ? { read, rows } : { read: 'record', row: undefined }))
  }
  const evidence = createEvidence({ find, activityBytes: async () => 0 }, createDatabaseUse(log))
  const lookup = { read: 'lookup', organizationId: 'o', lookup: 'address', key: 'a' } as const
  await evidence.add([lookup], { isGuess: true })
  await evidence.add([record('more')], { isGuess: false })
  const found = evidence.found()
  expect(found.map(({ read }) => read)).toMatchObject([lookup, { recordId: 'led to' }, record('more')])
  evidence.drop()
  expect(evidence.found()).toEqual([])
  asked.length = 0
  await evidence.load()
  expect(evidence.found()).toEqual(found)
  expect(asked).toHaveLength(1)
})

test('requests that wait for the vault keep none of the records that they need', async () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  const settings = vaultSettingsIn(mkdtempSync(join(tmpdir(), 'claviger-evidence-')))
  const dial = () => new PassThrough().destroy(new Error('nobody connects here'))
  const entryPath = join(import.meta.dirname, '..', '..', '..', 'test', 'support', 'stub_vault.ts')
  const state = Buffer.from('stored')
  const vault = startVault({
    open: () => spawnVault({ settings, dial, log, entryPath }),
    vaultState: { load: async () => state, initialize: async () => state },
    log,
  })
  onTestFinished(() => vault.close())
  await vault.started

  const requests = 300
  let looks = 0
  const store = {
    async find(reads: readonly Read[]) {
      if (reads.length === 0) return []
      looks += 1
      return reads.map(
        (): Found => ({ read: 'record', row: { recordId: 'r', version: 1, sealed: new Uint8Array(megabyte) } }),
      )
    },
    activityBytes: async () => 0,
    commit: async () => 'committed' as const,
  }
  const submit = createSubmit({ store, vault, log })
  gc()
  const before = process.memoryUsage().arrayBuffers
  const answers = Array.from({ length: requests }, (_, index) => {
    const body = Buffer.from(JSON.stringify({ index }))
    return submit({ path: '/records', body, stamps: [], dialect: 'spec', sourceAddress: '203.0.113.7' })
  })
  await expect.poll(() => looks, { timeout: 5_000, interval: 5 }).toBeGreaterThanOrEqual(requests)
  // The collector gives buffers back beside the program. Long before the requests are given up, it has.
  const keptBytes = () => {
    gc()
    return process.memoryUsage().arrayBuffers - before
  }
  await expect.poll(keptBytes, { timeout: 4_000 }).toBeLessThan(bytesOfPeerMax + 40 * megabyte)
  await vault.close()
  await Promise.all(answers)
})

test('so many lookups run at a time, however many requests there are', async () => {
  let looks = 0
  const release = Promise.withResolvers<void>()
  const store = {
    async find(reads: readonly Read[]) {
      if (reads.length === 0) return []
      looks += 1
      await release.promise
      return reads.map((): Found => ({ read: 'record', row: undefined }))
    },
    activityBytes: async () => 0,
    commit: async () => 'committed' as const,
  }
  const answer: Vault['answer'] = async ({ presented }) =>
    presented.length === 0
      ? { kind: 'moreReads', reads: [record('r')] }
      : { kind: 'answer', status: 200, body: new Uint8Array() }
  const vault = { answer, confirm: async () => ({ kind: 'unknown' }) as const }
  const submit = createSubmit({ store, vault, log })
  const answers = Array.from({ length: 3 * lookUpsMax }, (_, index) =>
    submit({ path: '/records', body: Buffer.from(String(index)), stamps: [], dialect: 'spec' }),
  )
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  expect(looks).toBe(lookUpsMax)
  release.resolve()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses).toEqual(answers.map(() => 200))
  expect(looks).toBe(answers.length)
})
