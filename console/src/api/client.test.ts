import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { newSessionKey } from '../stamping/session_keys.ts'
import { createClient } from './client.ts'
import { createConnection } from './connection.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('navigator', { onLine: true })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const user = { kind: 'login', organizationId: '', organizationName: '', userId: '', userName: '' } as const

test('a client without an answer tells its own connection, and no other, until it gets one', async () => {
  const own = createConnection()
  const other = createConnection()
  const session = { ...user, ...(await newSessionKey()) }
  const answer = vi
    .fn()
    .mockRejectedValueOnce(new TypeError('no network'))
    .mockResolvedValue(Response.json({ users: [] }))
  vi.stubGlobal('fetch', answer)

  const asked = createClient(own).ask(session, 'list_users', {})
  await vi.waitUntil(() => own.get() === 'unreachable')
  expect(other.get()).toBe('connected')

  await vi.runAllTimersAsync()
  expect(await asked).toEqual({ users: [] })
  expect(own.get()).toBe('connected')
})
