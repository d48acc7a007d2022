import { randomUUID } from 'node:crypto'
import { serializeTransaction } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { activityRequest, signingOf } from '../../../test/support/client.ts'
import { type Server, startInProcess } from '../../../test/support/in_process.ts'
import { openStoreIn } from '../../../test/support/server_database.ts'
import { soon } from '../../../test/support/soon.ts'
import { generateApiKey, stampWith } from '../../../test/support/stamping.ts'
import type { CommitOutcome, VaultRequest } from '../../link/verbs.ts'
import type { Found, Read } from '../../protocol/reads.ts'
import type { Log } from '../process/log.ts'
import type { Store } from '../store/store.ts'
import { inFlightOfAddressMax, longOfAddressMax } from '../turns/in_flight.ts'
import { VaultUnavailable } from '../vault/client.ts'
import { type Request, smallBytesMax } from './request.ts'
import { createSubmit, longOfOneMax, namedBytesMax } from './submit.ts'

type Parts = Parameters<typeof createSubmit>[0]
type Logged = { readonly incidentId?: string; readonly error: unknown; readonly message: string }

const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

async function start() {
  const server = await startInProcess()
  opened.push(server)
  const root = await server.createOrganization()

  const rename = (organizationName: string, apiKey = root.apiKey) =>
    stamped('update_organization_name', { organizationName }, apiKey)

  function stamped(name: string, parameters: object, apiKey = root.apiKey): Request {
    const { organizationId } = root
    const { path, body } = activityRequest(name, {
      organizationId,
      parameters: { ...parameters },
      timestampMs: Date.now(),
    })
    return requestOf(path, Buffer.from(body), apiKey)
  }

  /** Makes a service on the same database, with other parts where given. */
  function service(parts: { readonly store?: Store; readonly vault?: Partial<Parts['vault']> } = {}) {
    const logged: Logged[] = []
    const error: Log['error'] = (fields, message) => logged.push({ error: undefined, ...fields, message })
    const log: Log = { debug() {}, info() {}, warn() {}, error }
    return {
      submit: createSubmit({ store: parts.store ?? server.store, vault: { ...server.vault, ...parts.vault }, log }),
      logged,
    }
  }

  async function organizationName(): Promise<string> {
    const body = Buffer.from(JSON.stringify({ organizationId: root.organizationId }))
    return (await read(server.submit(requestOf('/public/v1/query/whoami', body, root.apiKey)))).body.organizationName
  }

  return { server, root, rename, stamped, service, organizationName }
}

function requestOf(path: string, body: Uint8Array, apiKey: ReturnType<typeof generateApiKey>): Request {
  return { path, body, stamps: [{ header: 'x-stamp', value: stampWith(apiKey, body) }], dialect: 'spec' }
}

async function read(asked: ReturnType<ReturnType<typeof createSubmit>>) {
  const { status, body, retryAfterSeconds } = await asked
  return { status, retryAfterSeconds, body: JSON.parse(Buffer.from(body).toString('utf8')) }
}

const unavailable = (reason: string) => ({
  status: 503,
  retryAfterSeconds: expect.any(Number),
  body: {
    code: 14,
    message: expect.stringContaining(reason),
    details: expect.any(Array),
    turnkeyErrorCode: 'INTERNAL',
  },
})

test('the vault is told whose turns a request takes', async () => {
  const { server, root, rename, service } = await start()
  const asked: VaultRequest[] = []
  const answer: Server['vault']['answer'] = (request) => {
    asked.push(request)
    return server.vault.answer(request)
  }
  expect((await read(service({ vault: { answer } }).submit(rename('New')))).status).toBe(200)
  const { organizationId, apiKey } = root
  expect(asked[0]).toMatchObject({ organizationId, credential: apiKey.publicKey })
})

test('few large requests of an organization are worked on at a time, and a small one passes them', async () => {
  const { server, root, rename, service } = await start()
  const release = Promise.withResolvers<void>()
  let large = 0
  const answer: Server['vault']['answer'] = async (request) => {
    if (request.body.length > smallBytesMax) {
      large += 1
      await release.promise
    }
    return server.vault.answer(request)
  }
  const { submit } = service({ vault: { answer } })
  const whoami = (index: number) => {
    const body = JSON.stringify({ organizationId: root.organizationId }) + ' '.repeat(smallBytesMax + index)
    return requestOf('/public/v1/query/whoami', Buffer.from(body), root.apiKey)
  }
  // So many that some still wait, although each leaves its place after a while.
  const count = longOfOneMax + 40
  const answers = Array.from({ length: count }, (_, index) => read(submit(whoami(index))))
  await soon(() => expect(large).toBeGreaterThanOrEqual(longOfOneMax))
  expect((await read(submit(rename('Small')))).status).toBe(200)
  expect(large).toBeLessThan(count)
  release.resolve()
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200))
})

test('bodies that are not small, for organizations that do not exist or for none, are long requests of one', async () => {
  const { server, root, service } = await start()
  const release = Promise.withResolvers<void>()
  let strange = 0
  const answer: Server['vault']['answer'] = async (request) => {
    if (request.organizationId !== root.organizationId) {
      strange += 1
      await release.promise
    }
    return server.vault.answer(request)
  }
  const { submit } = service({ vault: { answer } })
  const whoami = (named: object, apiKey = generateApiKey()) => {
    const body = Buffer.from(JSON.stringify(named) + ' '.repeat(namedBytesMax))
    return read(submit(requestOf('/public/v1/query/whoami', body, apiKey)))
  }
  const apiKeys = Array.from({ length: 8 }, generateApiKey)
  const answers = Array.from({ length: longOfAddressMax + 1 }, (_, index) =>
    whoami(index % 2 === 0 ? { organizationId: randomUUID() } : { index }, apiKeys[index % apiKeys.length]),
  )
  expect(await Promise.race(answers)).toEqual(unavailable('too many requests in flight'))
  expect((await whoami({ organizationId: root.organizationId }, root.apiKey)).status).toBe(200)
  expect(strange).toBeLessThan(longOfAddressMax)
  release.resolve()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 503)).toHaveLength(1)
  expect(strange).toBe(longOfAddressMax)
})

/** A service whose vault lets simulations begin, and does not answer them further until `release` is called. */
async function withHeldSimulations() {
  const started = await start()
  const { server, root, service } = started
  const release = Promise.withResolvers<void>()
  let held = 0
  const answer: Server['vault']['answer'] = async (request) => {
    const decided = await server.vault.answer(request)
    const isHeld = request.path.endsWith('/simulate') && decided.userId !== undefined && decided.kind === 'answer'
    if (isHeld) held += 1
    if (isHeld) await release.promise
    return decided
  }
  const { submit } = service({ vault: { answer } })
  const ask = (name: string, parameters: object, sourceAddress: string, apiKey = root.apiKey) => {
    const body = Buffer.from(JSON.stringify({ organizationId: root.organizationId, ...parameters }))
    return submit({ ...requestOf(`/public/v1/query/${name}`, body, apiKey), sourceAddress })
  }
  let simulations = 0
  const simulate = (sourceAddress: string) => {
    simulations += 1
    return ask('simulate', { past: { limit: `${simulations}` } }, sourceAddress)
  }
  return { ...started, submit, ask, simulate, release, held: () => held }
}

test('long requests of users whom the service does not know leave the line of strangers once they are verified', async () => {
  const { ask, simulate, release, held } = await withHeldSimulations()
  const count = longOfOneMax + 20
  const simulated = Array.from({ length: count }, (_, index) => simulate(`192.0.2.${index + 1}`))
  await soon(() => expect(held()).toBeGreaterThanOrEqual(longOfOneMax))
  // A stranger whose stamp is refused never leaves that line, and is answered while the others work.
  const refused = await ask('list_activities', {}, '198.51.100.1', generateApiKey())
  expect(refused.status).toBe(401)
  expect(held()).toBeLessThan(count)
  release.resolve()
  for (const { status } of await Promise.all(simulated)) expect(status).toBe(200)
})

test('no user holds the line of long requests of its organization, with however many requests that take long', async () => {
  const { root, server, ask, simulate, release, stamped } = await withHeldSimulations()
  const key = generateApiKey()
  const apiKeys = [{ apiKeyName: 'k', publicKey: key.publicKey, curveType: 'API_KEY_CURVE_P256' }]
  const user = { userName: 'ben', apiKeys, authenticators: [], oauthProviders: [], userTags: [] }
  expect((await server.submit(stamped('create_users', { users: [user] }))).status).toBe(200)
  for (const apiKey of [key, root.apiKey]) expect((await ask('whoami', {}, '192.0.2.1', apiKey)).status).toBe(200)
  const count = longOfOneMax + 40
  const simulated = Array.from({ length: count }, () => simulate('192.0.2.1'))
  expect((await ask('list_activities', {}, '192.0.2.1', key)).status).toBe(200)
  release.resolve()
  for (const { status } of await Promise.all(simulated)) expect(status).toBe(200)
})

test('whoever sends a stamp that does not hold gets no place of strangers for its long requests', async () => {
  const { ask, simulate, release, root, held, submit } = await withHeldSimulations()
  expect((await ask('whoami', {}, '192.0.2.1')).status).toBe(200)
  const body = Buffer.from(JSON.stringify({ organizationId: root.organizationId }))
  const { path, dialect } = requestOf('/public/v1/query/whoami', body, root.apiKey)
  const bad = { header: 'x-stamp', value: stampWith(root.apiKey, Buffer.from('other bytes')) } as const
  expect((await submit({ path, body, dialect, stamps: [bad], sourceAddress: '192.0.2.1' })).status).toBe(401)
  const simulated = Array.from({ length: longOfOneMax }, () => simulate('192.0.2.1'))
  await soon(() => expect(held()).toBe(longOfOneMax))
  // It waits in the line of its organization now, where these have all places for a while.
  const waits = ask('list_activities', {}, '198.51.100.1')
  expect((await ask('list_activities', {}, '198.51.100.2', generateApiKey())).status).toBe(401)
  release.resolve()
  expect((await waits).status).toBe(200)
  for (const { status } of await Promise.all(simulated)) expect(status).toBe(200)
})

test('a body takes the turns of an organization that does not exist only if it is small', async () => {
  const { server, root, service } = await start()
  const asked: (string | undefined)[] = []
  const answer: Server['vault']['answer'] = (request) => {
    asked.push(request.organizationId)
    return server.vault.answer(request)
  }
  const { submit } = service({ vault: { answer } })
  const organizationId = randomUUID()
  for (const [named, bytes] of [
    [organizationId, namedBytesMax],
    [organizationId, namedBytesMax + 1],
    [root.organizationId, namedBytesMax + 1],
  ] as const) {
    const body = Buffer.from(JSON.stringify({ organizationId: named }).padEnd(bytes))
    await submit(requestOf('/public/v1/query/whoami', body, root.apiKey))
  }
  expect([...new Set(asked)]).toEqual([organizationId, undefined, root.organizationId])
})

describe('503 with the time to wait is the answer', () => {
  test('while the vault cannot be asked', async () => {
    const { rename, service, organizationName } = await start()
    const answer = () => Promise.reject(new VaultUnavailable('the vault is down'))
    const { submit, logged } = service({ vault: { answer } })
    expect(await read(submit(rename('Lost')))).toEqual(unavailable('the vault is down'))
    expect(logged).toEqual([])
    expect(await organizationName()).toBe('First')
  })

  test('when the database cannot be written, and the log says why', async () => {
    const { server, rename, service, organizationName } = await start()
    const closed = await openStoreIn(server.folder)
    await closed.close()
    const { submit, logged } = service({ store: { ...server.store, commit: closed.commit } })
    expect(await read(submit(rename('Lost')))).toEqual(unavailable('the database cannot be used'))
    expect(logged).toMatchObject([{ error: expect.any(Error), message: 'the database cannot be used' }])
    expect(await read(submit(rename('Lost again')))).toMatchObject({ status: 503 })
    expect(logged).toHaveLength(1)
    expect(await organizationName()).toBe('First')
    expect(await read(server.submit(rename('Kept')))).toMatchObject({ status: 200 })
  })

  test('when the database cannot be read', async () => {
    const { server, rename, service } = await start()
    const closed = await openStoreIn(server.folder)
    await closed.close()
    const { submit } = service({ store: { ...server.store, find: closed.find } })
    expect(await read(submit(rename('Lost')))).toEqual(unavailable('the database cannot be used'))
  })
})

describe('a change that another service commits first', () => {
  /** Each commit of this service is overtaken, `times` times, by a change of the same organization. */
  async function overtaken(times: number) {
    const started = await start()
    const { server, rename, service } = started
    let commits = 0
    const store: Store = {
      ...server.store,
      async commit(commit) {
        commits += 1
        if (commits <= times) expect((await server.submit(rename(`Faster ${commits}`))).status).toBe(200)
        return server.store.commit(commit)
      },
    }
    return { ...started, ...service({ store }), commits: () => commits }
  }

  for (const times of [1, 4]) {
    test(`up to ${times} times is decided again on the rows that are there then`, async () => {
      const { submit, rename, organizationName, commits } = await overtaken(times)
      const answer = await read(submit(rename('Slower')))
      expect(answer).toMatchObject({ status: 200, body: { activity: { status: 'ACTIVITY_STATUS_COMPLETED' } } })
      expect(await organizationName()).toBe('Slower')
      expect(commits()).toBe(times + 1)
    })
  }

  test('every time is answered with 503, and nothing of it is written', async () => {
    const { submit, rename, organizationName, logged, commits } = await overtaken(Number.POSITIVE_INFINITY)
    expect(await read(submit(rename('Slower')))).toEqual(unavailable('too many changes at once'))
    expect(await organizationName()).toBe('Faster 5')
    expect(commits()).toBe(5)
    expect(logged).toEqual([])
  })
})

describe('while a change holds the queue of an organization, and others come first in all trials', () => {
  async function overtakenTrials() {
    const started = await start()
    const { server, root, rename, service } = started
    const held = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const allowed = Promise.withResolvers<void>()
    let trials = 0
    const answer: Server['vault']['answer'] = async (request) => {
      // Queries try without the queue first.
      const isQueued = request.isTrial !== true && (trials > 0 || request.path.startsWith('/public/v1/submit/'))
      if (isQueued) {
        held.resolve()
        await release.promise
        return server.vault.answer(request)
      }
      trials += 1
      expect((await server.submit(rename(`Faster ${trials}`))).status).toBe(200)
      const answered = await server.vault.answer(request)
      if (answered.kind === 'allowed') allowed.resolve()
      return answered
    }
    const { submit } = service({ vault: { answer } })
    const holding = submit(rename('Holding'))
    await held.promise
    const query = () => {
      const body = Buffer.from(JSON.stringify({ organizationId: root.organizationId }))
      return requestOf('/public/v1/query/whoami', body, root.apiKey)
    }
    return { ...started, submit, query, release, allowed, holding, trials: () => trials }
  }

  test.each(['rename', 'query'] as const)('a %s that is allowed waits in the queue, and is answered', async (kind) => {
    const { submit, release, allowed, holding, ...requests } = await overtakenTrials()
    const waiting = submit(requests[kind]('Slower'))
    await Promise.race([allowed.promise, waiting])
    release.resolve()
    expect([(await waiting).status, (await holding).status]).toEqual([200, 200])
  })

  test('a stranger gets no place in the queue, and five trials', async () => {
    const { submit, rename, release, holding, trials } = await overtakenTrials()
    expect(await read(submit(rename('Mallory', generateApiKey())))).toEqual(unavailable('too many changes at once'))
    expect(trials()).toBe(5)
    release.resolve()
    expect((await holding).status).toBe(200)
  })
})

describe('a refusal', () => {
  const organizationId = randomUUID()
  const body = Buffer.from(JSON.stringify({ organizationId, timestampMs: '1' }))
  const request: Request = { path: '/public/v1/submit/sign_raw_payload', body, stamps: [], dialect: 'spec' }

  /** The vault refuses what has no activity. Another service records one after so many lookups of it. */
  async function answered({ recordedAfter, known = 200 }: { readonly recordedAfter: number; readonly known?: number }) {
    const { service } = await start()
    let looks = 0
    const foundBy = (read: Read): Found => {
      if (read.read !== 'request') return { read: 'headTag', row: undefined }
      looks += 1
      const row = { activityId: randomUUID(), version: 1, sealed: new Uint8Array() }
      return { read: 'request', row: looks > recordedAfter ? row : undefined }
    }
    const answer: Server['vault']['answer'] = async ({ presented }) => {
      const isKnown = presented.some(({ found }) => found.read === 'request' && found.row !== undefined)
      return { kind: 'answer', status: isKnown ? known : 403, body: new Uint8Array() }
    }
    const store = { ...({} as Store), find: async (reads: readonly Read[]) => reads.map(foundBy) }
    const { status } = await service({ store, vault: { answer } }).submit(request)
    return { status, looks }
  }

  test('is decided again when another service has meanwhile recorded the activity of the same bytes', async () => {
    expect(await answered({ recordedAfter: 1 })).toEqual({ status: 200, looks: 3 })
  })

  test('is answered after one more lookup when nobody has', async () => {
    expect(await answered({ recordedAfter: Number.POSITIVE_INFINITY })).toEqual({ status: 403, looks: 2 })
  })

  test('of bytes whose activity is there, and stays as it is, is answered too', async () => {
    expect(await answered({ recordedAfter: 0, known: 401 })).toEqual({ status: 401, looks: 2 })
  })
})

describe('a signature', () => {
  /** Counts the calls of the vault and of the store, after one signature by the key. */
  async function signing() {
    const started = await start()
    const { server, stamped } = started
    const asked: VaultRequest[] = []
    let looks = 0
    const { submit } = started.service({
      store: {
        ...server.store,
        find(reads) {
          looks += 1
          return server.store.find(reads)
        },
      },
      vault: {
        answer(request) {
          asked.push(request)
          return server.vault.answer(request)
        },
      },
    })
    const done = async (request: Request) => {
      const { status, body } = await read(submit(request))
      expect(status).toBe(200)
      return body.activity
    }
    const privateKey = { privateKeyName: 'k', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }
    const { result } = await done(stamped('create_private_keys', { privateKeys: [privateKey] }))
    const { privateKeyId } = result.createPrivateKeysResultV2.privateKeys[0]
    const sign = (text: string, apiKey = started.root.apiKey) =>
      stamped('sign_raw_payload', signingOf(privateKeyId, text), apiKey)
    await done(sign('the first'))

    /** Since the last call: whether each request was to be decided from memory, and how often the store was read. */
    function since() {
      const told = {
        fromMemory: asked.map(({ mayRecall, presented }) => mayRecall === true && presented.length === 0),
        looks,
      }
      asked.splice(0)
      looks = 0
      return told
    }
    since()
    return { ...started, submit, done, sign, since, privateKeyId }
  }

  test('after another one by the same key is decided without a read of the database', async () => {
    const { done, sign, since } = await signing()
    const activity = await done(sign('the second'))
    expect(activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(since()).toEqual({ fromMemory: [true], looks: 0 })
  })

  test('sent again is the activity that exists', async () => {
    const { done, sign } = await signing()
    const request = sign('once')
    expect((await done(request)).id).toBe((await done(request)).id)
  })

  test('is refused only after a read of the database', async () => {
    const { submit, sign, since } = await signing()
    expect((await submit(sign('the second', generateApiKey()))).status).toBe(401)
    const { fromMemory, looks } = since()
    expect(fromMemory.slice(0, 2)).toEqual([true, false])
    expect(looks).toBeGreaterThan(0)
  })

  test('is decided again on the present rows when the database has moved on', async () => {
    const { done, sign, since, rename, service } = await signing()
    // The vault of this node hears nothing of another node's change.
    await service({ vault: { confirm: async () => ({ kind: 'unknown' }) } }).submit(rename('By another node'))
    await done(sign('the second'))
    expect(since().fromMemory).toEqual([true, false, false])
    await done(sign('the third'))
    expect(since()).toEqual({ fromMemory: [true], looks: 0 })
  })

  test('by a key that was deleted a moment ago is refused', async () => {
    const { submit, done, sign, stamped, privateKeyId } = await signing()
    await done(stamped('delete_private_keys', { privateKeyIds: [privateKeyId], deleteWithoutExport: true }))
    expect((await submit(sign('the second'))).status).toBe(404)
  })
})

describe('behind a change of its organization that waits for the disk', () => {
  async function stalled() {
    const started = await start()
    const { server, service, rename } = started
    const [committing, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const commit: Store['commit'] = async (...args) => {
      committing.resolve()
      await release.promise
      return server.store.commit(...args)
    }
    const { submit } = service({ store: { ...server.store, commit } })
    const first = submit(rename('The first'))
    await committing.promise
    const finish = () => {
      release.resolve()
      return first
    }
    return { ...started, submit, finish }
  }

  test('a request that is refused is answered at once: it takes no place in the queue', async () => {
    const { submit, rename, stamped, finish } = await stalled()
    const strangers = Array.from({ length: 20 }, (_, index) => submit(rename(`stranger ${index}`, generateApiKey())))
    expect((await Promise.all(strangers)).map(({ status }) => status)).toEqual(Array(20).fill(401))
    expect((await submit(stamped('delete_wallets', { walletIds: [crypto.randomUUID()] }))).status).toBe(404)
    expect((await finish()).status).toBe(200)
  })

  test('nor does a request that meets an incident, which comes before its stamp is verified', async () => {
    const { server, service, rename, stamped, root } = await start()
    const [committing, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const commit: Store['commit'] = async (...args) => {
      committing.resolve()
      await release.promise
      return server.store.commit(...args)
    }
    let inQueue = 0
    const answer: Server['vault']['answer'] = async (request) => {
      const isOwn = request.credential?.includes(root.apiKey.publicKey) === true
      if (isOwn) return server.vault.answer(request)
      if (request.isTrial !== true) inQueue += 1
      return { kind: 'integrity', incident: 'the database is another one', found: 'other' }
    }
    const { submit } = service({ store: { ...server.store, commit }, vault: { answer } })
    const first = submit(rename('The first'))
    await committing.promise
    const strangers = [
      submit(rename('stranger', generateApiKey())),
      submit(stamped('delete_wallets', { walletIds: [crypto.randomUUID()] }, generateApiKey())),
    ]
    expect((await Promise.all(strangers)).map(({ status }) => status)).toEqual([500, 500])
    expect(inQueue).toBe(0)
    release.resolve()
    expect((await first).status).toBe(200)
  })

  test('another change waits and is then decided on the rows that are there', async () => {
    const { submit, rename, finish, organizationName } = await stalled()
    const second = submit(rename('The second'))
    expect((await finish()).status).toBe(200)
    expect((await second).status).toBe(200)
    expect(await organizationName()).toBe('The second')
  })
})

describe('equal requests in flight', () => {
  async function counting() {
    const started = await start()
    const asked: VaultRequest[] = []
    const vault = {
      answer: (request: VaultRequest) => {
        asked.push(request)
        return started.server.vault.answer(request)
      },
    }
    return { ...started, ...started.service({ vault }), asked }
  }

  test('share one decision and its answer', async () => {
    const { submit, rename, asked } = await counting()
    const request = rename('Once')
    await submit(rename('With a cold cache')) // which costs a round more
    asked.splice(0)
    const alone = await read(submit(rename('Alone')))
    const askedAlone = asked.splice(0).length
    const answers = await Promise.all(Array.from({ length: 50 }, () => read(submit({ ...request }))))
    expect(alone.status).toBe(200)
    expect(asked).toHaveLength(askedAlone)
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]).toMatchObject({ status: 200 })
  })

  test('are decided anew once the first one is answered, and are then the activity that exists', async () => {
    const { submit, rename, asked } = await counting()
    const request = rename('Once')
    const first = await read(submit(request))
    asked.splice(0)
    expect((await read(submit(request))).body.activity.id).toBe(first.body.activity.id)
    expect(asked.length).toBeGreaterThan(0)
  })

  for (const [name, change] of [
    ['stamp', (request: Request) => ({ ...request, stamps: [] })],
    ['body', (request: Request) => ({ ...request, body: Buffer.concat([request.body, Buffer.from(' ')]) })],
    ['dialect', (request: Request) => ({ ...request, dialect: 'hosted' as const })],
    ['path', (request: Request) => ({ ...request, path: '/public/v1/submit/create_wallet' })],
    [
      'header',
      (request: Request) => ({
        ...request,
        stamps: [{ header: 'x-stamp-webauthn' as const, value: request.stamps[0]?.value ?? '' }],
      }),
    ],
  ] as const) {
    test(`that differ in their ${name} are not equal`, async () => {
      const { submit, rename } = await counting()
      const request = rename('One')
      const [first, second] = await Promise.all([read(submit(request)), read(submit(change(request)))])
      expect(first).toMatchObject({ status: 200 })
      expect(second.body).not.toEqual(first.body)
    })
  }

  test('that differ in their source are decided each for itself: one of them may be refused', async () => {
    const { submit, rename, asked } = await counting()
    const request = rename('One')
    const sources = ['203.0.113.7', '198.51.100.1', undefined]
    await Promise.all(sources.map((sourceAddress) => read(submit({ ...request, sourceAddress }))))
    expect(new Set(asked.map(({ sourceAddress }) => sourceAddress))).toEqual(new Set(sources))
  })
})

describe('what was presented is not what was sealed', () => {
  function flipped(found: readonly Found[]): readonly Found[] {
    return found.map((one) => {
      if (!('row' in one) || one.row === undefined || !('sealed' in one.row)) return one
      const sealed = Uint8Array.from(one.row.sealed)
      sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1
      return { ...one, row: { ...one.row, sealed } } as Found
    })
  }

  /** Flips a bit in the first `times` answers of the store that hold sealed bytes. */
  async function damaged(times: number) {
    const started = await start()
    const fresh = await startInProcess({ folder: started.server.folder })
    opened.push(fresh)
    let left = times
    const store: Store = {
      ...fresh.store,
      async find(reads) {
        const found = await fresh.store.find(reads)
        const changed = flipped(found)
        if (left === 0 || JSON.stringify(changed) === JSON.stringify(found)) return found
        left -= 1
        return changed
      },
    }
    return { ...started, ...started.service({ store, vault: fresh.vault }) }
  }

  test('once: it is read again, and the answer is the usual one', async () => {
    const { submit, rename, logged } = await damaged(1)
    expect(await read(submit(rename('Read again')))).toMatchObject({ status: 200 })
    expect(logged).toEqual([])
  })

  test('each time: a 500 that shows an id only, under which the log has the reason', async () => {
    const { submit, rename, logged, organizationName } = await damaged(Number.POSITIVE_INFINITY)
    const { status, body } = await read(submit(rename('Never')))
    expect([status, body.code, body.details]).toEqual([500, 13, []])
    const [, incidentId] = /^internal server error \(([0-9a-f-]{36})\)$/.exec(body.message) ?? []
    expect(logged).toMatchObject([{ incidentId, message: 'internal server error', error: { name: 'IntegrityError' } }])
    expect(await organizationName()).toBe('First')
  })
})

test('the vault is told which confirmations have a large reply', async () => {
  const { service, server, stamped, rename } = await start()
  const told: unknown[] = []
  const { submit } = service({
    vault: {
      confirm(request, options) {
        told.push(options)
        return server.vault.confirm(request)
      },
    },
  })
  const inputs = Array.from({ length: 2_000 }, (_, index) => ({ name: `argument${index}`, type: 'uint8' }))
  const large = stamped('create_smart_contract_interface', {
    smartContractAddress: `0x${'ab'.repeat(20)}`,
    smartContractInterface: JSON.stringify([{ type: 'function', name: 'f', inputs }]),
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: 'large',
  })
  expect([(await submit(rename('Small'))).status, (await submit(large)).status]).toEqual([200, 200])
  expect(told).toEqual([{ hasLargeReply: false }, { hasLargeReply: true }])
})

describe('the log', () => {
  test('learns from an answer which organization it was for, and which activity it made', async () => {
    const { service, rename, root } = await start()
    const { submit } = service()
    const answer = await submit(rename('Named'))
    const { activity } = JSON.parse(Buffer.from(answer.body).toString())
    expect(answer).toMatchObject({ organizationId: root.organizationId, activityId: activity.id })
    const body = Buffer.from('{"organizationId":"no id"}')
    const unnamed = await submit({ ...rename('Unnamed'), body })
    expect([unnamed.status, unnamed.organizationId, unnamed.activityId]).toEqual([400, undefined, undefined])
  })

  test('has the ids of the request beside its incident, in the service and in the vault', async () => {
    const { service, rename, root } = await start()
    const requestId = '01234567-89ab-7cde-8f01-23456789abcd'
    const asked: VaultRequest[] = []
    const answer = async (request: VaultRequest) => {
      asked.push(request)
      throw new Error('inside')
    }
    const { submit, logged } = service({ vault: { answer } })
    expect((await submit({ ...rename('Never'), requestId })).status).toBe(500)
    const ids = { requestId, organizationId: root.organizationId }
    expect(logged).toMatchObject([{ ...ids, message: 'internal server error' }])
    expect(asked).toMatchObject([ids])
  })
})

test('signatures that a spending limit counts queue, once the first one has changed records', async () => {
  const { server, stamped, service } = await start()
  const parse = async (asked: ReturnType<typeof server.submit>) => (await read(asked)).body.activity
  const privateKeys = [{ privateKeyName: 'k', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }]
  const made = await parse(server.submit(stamped('create_private_keys', { privateKeys })))
  const [{ privateKeyId: signWith }] = made.result.createPrivateKeysResultV2.privateKeys
  const policy = {
    policyName: 'p',
    effect: 'EFFECT_DENY',
    condition: "spent('eth.tx.gas', '1h') > 1000000000",
    notes: '',
  }
  expect((await parse(server.submit(stamped('create_policy', policy)))).status).toBe('ACTIVITY_STATUS_COMPLETED')

  const commits: string[] = []
  const commit: Store['commit'] = async (given) => {
    const outcome = await server.store.commit(given)
    commits.push(outcome)
    return outcome
  }
  const fromMemory: boolean[] = []
  const answer: Server['vault']['answer'] = (request) => {
    fromMemory.push(request.mayRecall === true)
    return server.vault.answer(request)
  }
  const { submit } = service({ store: { ...server.store, commit }, vault: { answer } })
  const type = 'TRANSACTION_TYPE_ETHEREUM'
  const sign = (nonce: number) => {
    const unsignedTransaction = serializeTransaction({ chainId: 1, nonce, gas: 21_000n, gasPrice: 1n })
    return parse(submit(stamped('sign_transaction', { signWith, unsignedTransaction, type })))
  }
  await sign(1)
  const signed = await Promise.all([2, 3, 4, 5, 6].map(sign))
  expect(signed.map(({ status }) => status)).toEqual(signed.map(() => 'ACTIVITY_STATUS_COMPLETED'))
  expect(commits).toEqual(Array(6).fill('committed'))
  // The vault's memory lacks the change of the first signature, so the others are not asked from memory.
  expect(fromMemory.filter(Boolean)).toHaveLength(1)
})

test('an error of the vault is a 500 that shows an id only', async () => {
  const { rename, service } = await start()
  const { submit, logged } = service({ vault: { answer: () => Promise.reject(new TypeError('the inside')) } })
  const { status, body } = await read(submit(rename('Never')))
  expect(status).toBe(500)
  expect(JSON.stringify(body)).not.toContain('inside')
  expect(logged).toMatchObject([{ error: { message: 'the inside' } }])
})

test('a vault that asks for more reads without end is answered with an error', async () => {
  const { rename, service, root } = await start()
  const need = { kind: 'moreReads', reads: [{ read: 'headTag', organizationId: root.organizationId }] } as const
  const { submit, logged } = service({ vault: { answer: async () => need } })
  expect((await read(submit(rename('Never')))).status).toBe(500)
  expect(logged).toMatchObject([{ error: { message: expect.stringContaining('still asked for more') } }])
})

test('the vault is told once that a commit was lost, and again when that call failed', async () => {
  const { server, rename, service } = await start()
  const told: CommitOutcome['of'][][] = []
  let isDown = false
  let conflicts = 1
  const { submit } = service({
    vault: {
      answer({ outcomes, ...request }: VaultRequest) {
        told.push(outcomes.map(({ of }) => of))
        return isDown ? Promise.reject(new VaultUnavailable('down')) : server.vault.answer({ ...request, outcomes })
      },
    },
    store: {
      ...server.store,
      commit(commit) {
        conflicts -= 1
        isDown = conflicts === 0
        return conflicts === 0 ? Promise.resolve('conflict') : server.store.commit(commit)
      },
    },
  })
  expect((await submit(rename('First change'))).status).toBe(503)
  expect((await submit(rename('Second change'))).status).toBe(503)
  expect(told.splice(0).slice(-2)).toEqual([['lost'], ['lost']])
  isDown = false
  expect((await submit(rename('Third change'))).status).toBe(200)
  const [first, ...later] = told.splice(0)
  expect(first).toEqual(['lost'])
  expect(later.flat()).toEqual([])
})

test('strangers who name an organization take no place of a user whose stamp was verified', async () => {
  const { server, root, rename, service } = await start()
  const release = Promise.withResolvers<void>()
  const answer: Server['vault']['answer'] = async (request) => {
    if (request.sourceAddress !== '192.0.2.1') await release.promise
    return server.vault.answer(request)
  }
  const { submit } = service({ vault: { answer } })
  const from = (sourceAddress: string, request: Request) => submit({ ...request, sourceAddress })
  expect((await from('192.0.2.1', rename('Known'))).status).toBe(200)
  const stamps = Array.from({ length: 200 }, () => stampWith(generateApiKey(), Buffer.from('another body')))
  const strangers = Array.from({ length: 3 * inFlightOfAddressMax }, (_, index) => {
    const body = Buffer.from(JSON.stringify({ organizationId: root.organizationId }) + ' '.repeat(index))
    const value = stamps[index % stamps.length] ?? ''
    const request = requestOf('/public/v1/query/whoami', body, root.apiKey)
    return from(`198.51.100.${index % 3}`, { ...request, stamps: [{ header: 'x-stamp', value }] })
  })
  for (let count = 0; count < 3; count += 1) {
    expect((await from('192.0.2.1', rename(`Change ${count}`))).status).toBe(200)
  }
  release.resolve()
  // Where the machine is busy, some are told after ten seconds that it took too long.
  const statuses = (await Promise.all(strangers)).map(({ status }) => status)
  expect(statuses.filter((status) => status !== 401 && status !== 503)).toEqual([])
  expect(statuses).toContain(401)
})

test('a stranger’s request is refused and leaves nothing behind', async () => {
  const { server, rename, organizationName } = await start()
  expect((await server.submit(rename('Mallory', generateApiKey()))).status).toBe(401)
  expect(await organizationName()).toBe('First')
})
