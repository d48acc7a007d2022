import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { activityRequest } from '../../../test/support/client.ts'
import { type ApiKeyPair, startInProcess } from '../../../test/support/in_process.ts'
import { newApiKey, newUser } from '../../../test/support/organization.ts'
import { generateApiKey, stampWith } from '../../../test/support/stamping.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { Store } from '../store/store.ts'
import { watchesOfOneMax, watchesOfUserMax } from '../turns/watch_places.ts'
import type { Answer, Request } from './request.ts'
import { createWatches, type Watch, watchBodyBytesMax } from './watches.ts'

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

  test('where a user has the places taken, by whatever keys; a place that is left is free', async () => {
    const { open } = watching()
    const key = generateApiKey()
    await submit('create_api_keys', { userId, apiKeys: [newApiKey({ publicKey: key.publicKey })] })
    const taken: Watch[] = []
    for (let index = 0; index < watchesOfUserMax; index += 1) {
      taken.push(started(await open(requestOf(index % 2 === 0 ? apiKey : key))).watch)
    }
    expect(await open(requestOf())).toMatchObject({ status: 503, retryAfterSeconds: 30 })
    expect(await open(requestOf(key))).toMatchObject({ status: 503, retryAfterSeconds: 30 })
    const other = generateApiKey()
    await submit('create_users', { users: [newUser({ apiKeys: [newApiKey({ publicKey: other.publicKey })] })] })
    started(await open(requestOf(other)))
    taken[0]?.stop()
    started(await open(requestOf(key)))
    expect(await open(requestOf())).toMatchObject({ status: 503 })
  })

  test('where one lost its place before its first line', async () => {
    const submitted: Submit = async (request) => {
      const userId = request.stamps[0]?.value
      return { status: 200, body: Buffer.from('{}'), organizationId, ...(userId === undefined ? {} : { userId }) }
    }
    const { open } = watching({}, { submit: submitted })
    const openedBy = (user: string) => open({ ...requestOf(), stamps: [{ header: 'x-stamp', value: user }] })
    const late = await openedBy('user 0')
    for (let index = 1; index < watchesOfOneMax; index += 1) {
      started(await openedBy(`user ${index % (watchesOfOneMax / watchesOfUserMax)}`))
    }
    const { state } = started(await openedBy('ann'))
    expect([started(late).state.isEnded, state.isEnded]).toEqual([true, false])
  })

  test('for a user who has as many as any other, where the organization has its places taken', async () => {
    let count = 0
    const submitted: Submit = async () => {
      count += 1
      // Each watch asks twice.
      return { status: 200, body: Buffer.from('{}'), organizationId, userId: `user ${Math.ceil(count / 2)}` }
    }
    const { open } = watching({}, { submit: submitted })
    for (let index = 0; index < watchesOfOneMax; index += 1) started(await open(requestOf()))
    expect(await open(requestOf())).toMatchObject({ status: 503 })
  })
})

test('a watch of the user with the most ends for one who has fewer', async () => {
  const submitted: Submit = async (request) => {
    const userId = request.stamps[0]?.value
    return { status: 200, body: Buffer.from('{}'), organizationId, ...(userId === undefined ? {} : { userId }) }
  }
  const { open } = watching({}, { submit: submitted })
  const openedBy = async (user: string) =>
    started(await open({ ...requestOf(), stamps: [{ header: 'x-stamp', value: user }] }))
  const first = await openedBy('user 0')
  for (let index = 1; index < watchesOfOneMax; index += 1) {
    await openedBy(`user ${index % (watchesOfOneMax / watchesOfUserMax)}`)
  }
  const { state } = await openedBy('ann')
  expect([first.state.isEnded, state.isEnded]).toEqual([true, false])
})
