import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { activityRequest } from '../../../test/support/client.ts'
import { type ApiKeyPair, startInProcess } from '../../../test/support/in_process.ts'
import { newApiKey } from '../../../test/support/organization.ts'
import { generateApiKey, stampWith } from '../../../test/support/stamping.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { Store } from '../store/store.ts'
import type { Answer, Request } from './request.ts'
import { createWatches, type Watch, watchBodyBytesMax, watchesOfCredentialMax, watchesOfOneMax } from './watches.ts'

const server = await startInProcess()
afterAll(() => server.close())
const { organizationId, userId, apiKey } = await server.createOrganization()
const opened: ReturnType<typeof createWatches>[] = []
afterEach(async () => {
  for (const watches of opened.splice(0)) await watches.close()
})

type Times = { readonly lookMs?: number; readonly heartbeatMs?: number; readonly lifetimeMs?: number }

function watching(times: Times = {}, given: { readonly store?: Pick<Store, 'changeMarks'>; submit?: Submit } = {}) {
  const logged: string[] = []
  const error = (_fields: object, message: string) => void logged.push(message)
  const log = { debug() {}, info() {}, warn() {}, error }
  const parts = { submit: server.submit, store: server.store, ...given }
  const watches = createWatches({ ...parts, log, lookMs: 20, heartbeatMs: 60_000, ...times })
  opened.push(watches)
  return { ...watches, logged }
}
type Submit = (request: Request) => Promise<Answer>

function requestOf(key: ApiKeyPair = apiKey, space = ''): Request {
  const body = Buffer.from(`${JSON.stringify({ organizationId })}${space}`)
  const stamps = [{ header: 'x-stamp', value: stampWith(key, body) }] as const
  return { path: '/public/v1/query/watch_activities', body, stamps, dialect: 'spec' }
}

/** Keeps what is written. */
function sinkOf() {
  const lines: string[] = []
  const state = { isEnded: false, isFull: false }
  const sink = {
    isFull: () => state.isFull,
    write: (bytes: Uint8Array) => void lines.push(Buffer.from(bytes).toString()),
    end: () => {
      state.isEnded = true
    },
  }
  return { sink, lines, state }
}

function started(watch: Watch | Answer) {
  if (!('start' in watch)) throw new Error(`refused: ${Buffer.from(watch.body)}`)
  const kept = sinkOf()
  watch.start(kept.sink)
  return { ...kept, watch }
}

const versionOf = (line = '{}') => JSON.parse(line).organizationVersion
const until = (check: () => boolean) => expect.poll(check, { timeout: 20_000, interval: 10 }).toBe(true)

let count = 0
async function submit(name: string, parameters: object) {
  count += 1
  const timestampMs = Date.now() + count
  const { path, body } = activityRequest(name, { organizationId, parameters: { ...parameters }, timestampMs })
  const { status, body: answer } = await server.post(path, body, apiKey)
  expect(status, JSON.stringify(answer)).toBe(200)
  return answer.activity
}
const change = () => submit('create_user_tag', { userTagName: `Tag ${count}`, userIds: [] })

test('a watch begins with the answer of the vault, and has another one after each change', async () => {
  const { lines, state } = started(await watching().open(requestOf()))
  const direct = await server.submit(requestOf())
  expect(lines).toEqual([`${Buffer.from(direct.body)}\n`])
  const version = versionOf(lines[0])
  await change()
  await until(() => lines.length === 2)
  expect(versionOf(lines[1])).toBe(version + 1)
  await change()
  await until(() => lines.length === 3)
  expect(versionOf(lines[2])).toBe(version + 2)
  expect(state.isEnded).toBe(false)
})

test('a change that comes while the watch is opened is not missed', async () => {
  const marks: Pick<Store, 'changeMarks'> = {
    async changeMarks(ids) {
      const found = await server.store.changeMarks(ids)
      if (!hasChanged) await change()
      hasChanged = true
      return found
    },
  }
  let hasChanged = false
  const { lines } = started(await watching({}, { store: marks }).open(requestOf()))
  await until(() => lines.length === 2)
  expect(versionOf(lines[1])).toBe(versionOf(lines[0]))
})

test('an empty line comes where nothing has changed', async () => {
  const { lines } = started(await watching({ heartbeatMs: 50 }).open(requestOf()))
  await until(() => lines.length >= 3)
  expect(lines.slice(1, 3)).toEqual(['\n', '\n'])
})

test('a client that is behind with reading is written nothing, and later the newest answer', async () => {
  const { lines, state } = started(await watching({ heartbeatMs: 30 }).open(requestOf()))
  state.isFull = true
  await change()
  await change()
  await sleep(150)
  expect(lines).toHaveLength(1)
  state.isFull = false
  await until(() => lines.length > 1)
  expect(versionOf(lines[1])).toBe(versionOf(lines[0]) + 2)
})

describe('a watch ends', () => {
  test('after its time', async () => {
    const { state } = started(await watching({ lifetimeMs: 100 }).open(requestOf()))
    await until(() => state.isEnded)
  })

  test('when its credential is revoked, with nothing more shown', async () => {
    const key = generateApiKey()
    const apiKeys = [newApiKey({ publicKey: key.publicKey })]
    const { result } = await submit('create_api_keys', { userId, apiKeys })
    const { lines, state } = started(await watching().open(requestOf(key)))
    await submit('delete_api_keys', { userId, apiKeyIds: result.createApiKeysResult.apiKeyIds })
    await until(() => state.isEnded)
    expect(lines).toHaveLength(1)
  })

  test('when the server is closed, and no other begins', async () => {
    const watches = watching()
    const { state } = started(await watches.open(requestOf()))
    const late = await watches.open(requestOf())
    await watches.close()
    expect(state.isEnded).toBe(true)
    expect(started(late).state.isEnded).toBe(true)
    expect(await watches.open(requestOf())).toMatchObject({ status: 503 })
  })
})

describe('while something is away', () => {
  test('a vault that cannot be asked is asked again at the next look', async () => {
    let isAway = false
    const away: Answer = { status: 503, body: Buffer.from('{}') }
    const asked: Submit = async (request) => (isAway ? away : server.submit(request))
    const { lines, state } = started(await watching({}, { submit: asked }).open(requestOf()))
    isAway = true
    await change()
    await sleep(100)
    expect([lines.length, state.isEnded]).toEqual([1, false])
    isAway = false
    await until(() => lines.length === 2)
  })

  test('a database that cannot be read is told once to the log, and its changes are told later', async () => {
    let isAway = false
    const store: Pick<Store, 'changeMarks'> = {
      changeMarks: (ids) => (isAway ? Promise.reject(new Error('away')) : server.store.changeMarks(ids)),
    }
    const { open, logged } = watching({ heartbeatMs: 30 }, { store })
    const { lines, state } = started(await open(requestOf()))
    isAway = true
    await change()
    await until(() => lines.length >= 3)
    expect([logged.length, state.isEnded]).toEqual([1, false])
    isAway = false
    await until(() => lines.some((line, index) => index > 0 && line !== '\n'))
  })
})

describe('no watch begins', () => {
  test('for a stamp that the vault refuses', async () => {
    const refused = await watching().open(requestOf(generateApiKey()))
    expect(refused).toMatchObject({ status: 401 })
  })

  test('for a body larger than it needs', async () => {
    const { open } = watching()
    const bytes = requestOf().body.length
    const largest = await open(requestOf(apiKey, ' '.repeat(watchBodyBytesMax - bytes)))
    started(largest)
    await expect(open(requestOf(apiKey, ' '.repeat(watchBodyBytesMax - bytes + 1)))).rejects.toThrow(Failure)
  })

  test('where a credential has its places taken; another one has its own, and a place that is left is free', async () => {
    const { open } = watching()
    const taken: Watch[] = []
    for (let index = 0; index < watchesOfCredentialMax; index += 1) taken.push(started(await open(requestOf())).watch)
    expect(await open(requestOf())).toMatchObject({ status: 503, retryAfterSeconds: 30 })
    const key = generateApiKey()
    await submit('create_api_keys', { userId, apiKeys: [newApiKey({ publicKey: key.publicKey })] })
    started(await open(requestOf(key)))
    taken[0]?.stop()
    started(await open(requestOf()))
    expect(await open(requestOf())).toMatchObject({ status: 503 })
  })

  test('where a credential of the parent has its places taken in the sub-organizations', async () => {
    const answer: Answer = { status: 200, body: Buffer.from('{}') }
    const parentId = 'parent'
    const store: Pick<Store, 'changeMarks'> = {
      changeMarks: async (ids) => ids.map((id) => ({ organizationId: id, parentId, version: 1, sequence: null })),
    }
    const submitted: Submit = async ({ path: named }) => ({ ...answer, organizationId: named })
    const { open } = watching({}, { store, submit: submitted })
    const ofChild = (index: number) => open({ ...requestOf(), path: `child ${index}` })
    for (let index = 0; index < watchesOfCredentialMax; index += 1) started(await ofChild(index))
    expect(await ofChild(watchesOfCredentialMax)).toMatchObject({ status: 503 })
    const key = { publicKey: 'another key' }
    const stamps = [{ header: 'x-stamp', value: JSON.stringify(key) }] as const
    started(await open({ ...requestOf(), stamps, path: 'child 0' }))
  })

  test('where an organization has its places taken', async () => {
    // Stamps of keys that nobody has, which the stand-in for the vault takes.
    const answer: Answer = { status: 200, body: Buffer.from('{}'), organizationId }
    const { open } = watching({}, { submit: async () => answer })
    for (let index = 0; index < watchesOfOneMax; index += 1) {
      const publicKey = String(index)
      const stamps = [{ header: 'x-stamp', value: JSON.stringify({ publicKey }) }] as const
      started(await open({ ...requestOf(), stamps }))
    }
    expect(await open(requestOf())).toMatchObject({ status: 503 })
  })
})
