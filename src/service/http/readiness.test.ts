import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { faultyNetwork } from '../../../test/support/postgres/faulty_network.ts'
import { temporaryDatabase } from '../../../test/support/postgres/postgres.ts'
import { soon } from '../../../test/support/soon.ts'
import { readDatabaseUrl } from '../store/postgres/database_address.ts'
import { openPostgresStore } from '../store/postgres/postgres_store.ts'
import { createReadiness } from './readiness.ts'

test('a reason is logged once however often it is asked for, another one once more, and the end once', async () => {
  const network = await faultyNetwork(await temporaryDatabase())
  const store = await openPostgresStore(readDatabaseUrl(network.url))
  onTestFinished(() => store.close())
  const vault = {
    current: 'ready' as 'ready' | 'down',
    state: () => vault.current,
    condition: async () => ({ refusal: undefined, clock: undefined }),
  }
  const lines: unknown[] = []
  const line = (level: string) => (fields: object, message: string) => void lines.push({ level, message, ...fields })
  const log = { info: line('info'), warn: line('warn') }
  const readiness = createReadiness({ store, vault, mismatches: { count: 1, lastMs: 0 }, disk: () => undefined, log })
  const askOften = async () => {
    for (let time = 0; time < 4; time += 1) await readiness()
  }

  // The requests that were refused are mentioned, and the server is ready.
  await askOften()
  expect(lines).toEqual([])

  network.refuse(true)
  network.cutAll()
  await setTimeout(20)
  await askOften()
  const error = expect.objectContaining({ message: expect.stringContaining('no database takes connections') })
  const lost = { level: 'warn', message: 'not ready', reasons: ['the database cannot be read'], error }
  expect(lines.splice(0)).toEqual([lost])

  vault.current = 'down'
  await askOften()
  expect(lines.splice(0)).toEqual([{ ...lost, reasons: ['the vault is down', ...lost.reasons] }])

  network.refuse(false)
  await soon(async () => expect((await store.health()).readError).toBeUndefined())
  await askOften()
  expect(lines.splice(0)).toEqual([{ level: 'warn', message: 'not ready', reasons: ['the vault is down'] }])

  vault.current = 'ready'
  await askOften()
  expect(lines).toEqual([{ level: 'info', message: 'ready again' }])
})

test('the database and the vault are asked once for all who ask at once', async () => {
  let asked = 0
  const store = {
    health: async () => {
      asked += 1
      return { readError: undefined, writeError: undefined }
    },
  }
  const vault = { state: () => 'ready' as const, condition: async () => ({ refusal: undefined, clock: undefined }) }
  const log = { info() {}, warn() {} }
  const readiness = createReadiness({ store, vault, mismatches: { count: 0, lastMs: 0 }, disk: () => undefined, log })
  await Promise.all([readiness(), readiness(), readiness()])
  expect(asked).toBe(1)
  expect(await readiness()).toEqual({ ready: true, reasons: [] })
  expect(asked).toBe(2)
})
