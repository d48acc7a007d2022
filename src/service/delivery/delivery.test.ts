import { describe, expect, onTestFinished, test } from 'vitest'
import { withDatabase } from '../../../test/support/database.ts'
import { mail, passcode, sms, writeMessages } from '../../../test/support/outbox.ts'
import { start } from '../../../test/support/start.ts'
import { dueMessagesOfAll } from '../../../test/support/store/messages.ts'
import { commitOf, head } from '../../../test/support/store/rows.ts'
import type { Message, MessageChannel } from '../../protocol/wire/outgoing_messages.ts'
import { createLogTo } from '../process/log.ts'
import { VaultUnavailable } from '../vault/client.ts'
import type { Outcome } from './carrier.ts'
import { deliveriesMax, deliveriesOfFamilyMax, deliveriesOfSubOrganizationsMax, startDelivery } from './delivery.ts'
import { backoffMs, inHandMsMax } from './worker.ts'

type Line = { readonly level: string; readonly message: string; readonly [field: string]: unknown }
type Options = Partial<Pick<Parameters<typeof startDelivery>[0], 'vault' | 'store' | 'attemptMs' | 'lookMs'>> & {
  /** Carries out each attempt. */
  readonly carry?: (message: Message, about: { readonly signal: AbortSignal }) => Promise<Outcome>
}

const startMs = 1_785_000_000_000
const delivered: Outcome = { kind: 'delivered' }
const failed: Outcome = { kind: 'failed', reason: 'refused for now', code: 451 }

/** Prepares a database and a vault on the test's clock. The test starts the deliveries on them. */
async function prepare() {
  const clock = { nowMs: startMs }
  const server = await start({ nowMs: () => clock.nowMs })
  const lines: string[] = []
  const log = createLogTo({ write: (line) => void lines.push(line) }, { level: 'debug' })
  const logged = (): readonly Line[] => lines.map((line) => JSON.parse(line))

  const send = (messages: readonly Message[], lifetimeMs = 300_000, organizationId?: string) =>
    writeMessages(
      server,
      messages.map((message) => ({ ...message, expiresAtMs: clock.nowMs + lifetimeMs })),
      organizationId,
    )

  function deliver({ carry = async () => delivered, ...parts }: Options = {}) {
    const delivery = startDelivery({
      store: server.store,
      vault: server.vault,
      carriers: { mail: carry, sms: carry },
      log,
      nowMs: () => clock.nowMs,
      ...parts,
    })
    onTestFinished(() => delivery.close())
    return delivery
  }

  const waiting = () =>
    withDatabase(server.folder, (hand) => hand.read({ table: 'outbox', where: {} }).map((row) => ({ ...row })))

  /** Waits until the log has `count` lines with this text. */
  async function said(text: string, count = 1): Promise<readonly Line[]> {
    for (;;) {
      const found = logged().filter(({ message }) => message.includes(text))
      if (found.length >= count) return found
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  return { clock, server, send, deliver, waiting, logged, said, lines }
}

test('a message that waits at the start is delivered once and leaves the outbox', async () => {
  const { send, deliver, waiting, said } = await prepare()
  const rows = await send([mail, sms])
  const carried: Message[] = []
  deliver({
    carry: async (message) => {
      carried.push(message)
      return delivered
    },
  })
  const lines = await said('was delivered', 2)
  expect(new Set(carried)).toEqual(new Set([mail, sms]))
  expect(waiting()).toEqual([])
  expect(lines).toEqual(
    expect.arrayContaining(
      rows.map(({ messageId, channel }) => expect.objectContaining({ level: 'info', messageId, channel, attempt: 1 })),
    ),
  )
})

test('a message that is committed later is delivered when the delivery wakes', async () => {
  const { server, send, deliver, said } = await prepare()
  const looked = Promise.withResolvers<void>()
  const looks = new Set<MessageChannel>()
  const store = {
    ...server.store,
    async nextMessageOrganization(from: Parameters<typeof server.store.nextMessageOrganization>[0]) {
      const found = await server.store.nextMessageOrganization(from)
      if (looks.add(from.channel).size === 2) looked.resolve()
      return found
    },
  }
  const delivery = deliver({ store, lookMs: 3_600_000 })
  await looked.promise
  await send([mail])
  delivery.wake()
  await said('was delivered')
})

test('the end does not wait for a vault that hangs, and the message is sent again after it', async () => {
  const { send, deliver, waiting } = await prepare()
  await send([mail])
  const asked = Promise.withResolvers<void>()
  const openMessage = () => {
    asked.resolve()
    return new Promise<never>(() => {})
  }
  const delivery = deliver({ vault: { openMessage } })
  await asked.promise
  await delivery.close(AbortSignal.abort())
  expect(waiting()).toHaveLength(1)
})

test('the end writes what became of a message whose delivery it has cut off', async () => {
  const { clock, send, deliver, waiting, said } = await prepare()
  await send([mail])
  const begun = Promise.withResolvers<void>()
  const delivery = deliver({
    carry: (_, { signal }) =>
      new Promise((resolve) => {
        begun.resolve()
        signal.addEventListener('abort', () => resolve({ kind: 'failed', reason: 'timeout' }))
      }),
  })
  await begun.promise
  const over = new AbortController()
  const closed = delivery.close(over.signal)
  over.abort()
  await closed
  await said('could not be delivered yet')
  expect(waiting()).toMatchObject([{ due_at_ms: clock.nowMs + backoffMs(1) }])
})

test('the time of an attempt does not count what the vault needed', async () => {
  const { server, send, deliver, said } = await prepare()
  await send([mail])
  const openMessage: typeof server.vault.openMessage = async (asked) => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    return server.vault.openMessage(asked)
  }
  deliver({
    vault: { openMessage },
    attemptMs: 200,
    carry: async (_, { signal }) => (signal.aborted ? { kind: 'failed', reason: 'timeout' } : delivered),
  })
  expect(await said('deliver')).toMatchObject([{ message: 'a message was delivered', attempt: 1 }])
})

test('a message that is due later is delivered without a wake', async () => {
  const { clock, send, deliver, said } = await prepare()
  await send([mail])
  let attempts = 0
  deliver({
    lookMs: 10,
    carry: async () => {
      attempts += 1
      return attempts < 2 ? failed : delivered
    },
  })
  await said('could not be delivered yet')
  clock.nowMs += 1_000
  await said('was delivered')
})

describe('a message that fails', () => {
  test('is tried again after 1 s, 2 s, 4 s and so on up to 5 minutes, until it is accepted', async () => {
    const { clock, send, deliver, waiting, said } = await prepare()
    await send([mail], 3_600_000)
    let attempts = 0
    const delivery = deliver({ carry: async () => (++attempts < 12 ? failed : delivered) })

    for (let attempt = 1; attempt < 12; attempt += 1) {
      const line = (await said('could not be delivered yet', attempt)).at(-1)
      expect(line).toMatchObject({ level: 'warn', attempt, reason: 'refused for now', code: 451 })
      const [row] = waiting()
      expect(row?.due_at_ms).toBe(clock.nowMs + backoffMs(attempt))
      expect(row?.attempts).toBe(attempt)
      clock.nowMs = Number(row?.due_at_ms)
      delivery.wake()
    }
    await said('was delivered')
    expect([attempts, waiting()]).toEqual([12, []])
  })

  test('pauses as documented', () => {
    expect([1, 2, 3, 4, 8, 9, 10, 100].map(backoffMs)).toEqual([
      1_000, 2_000, 4_000, 8_000, 128_000, 256_000, 300_000, 300_000,
    ])
  })

  test('is not tried before its pause is over', async () => {
    const { clock, send, deliver, said, server } = await prepare()
    await send([mail])
    let attempts = 0
    const delivery = deliver({
      carry: async () => {
        attempts += 1
        return failed
      },
    })
    await said('could not be delivered yet')
    clock.nowMs += 999
    delivery.wake()
    expect(await dueMessagesOfAll(server.store, { channel: 'mail', nowMs: clock.nowMs })).toEqual([])
    clock.nowMs += 1
    delivery.wake()
    await said('could not be delivered yet', 2)
    expect(attempts).toBe(2)
  })

  test('is given up at its expiry, when the vault says so', async () => {
    const { clock, send, deliver, waiting, said, logged } = await prepare()
    await send([mail], 1_500)
    let attempts = 0
    const delivery = deliver({
      carry: async () => {
        attempts += 1
        return failed
      },
    })
    await said('could not be delivered yet')
    clock.nowMs += 1_000
    delivery.wake()
    await said('could not be delivered yet', 2)
    expect(waiting()[0]?.due_at_ms).toBe(startMs + 2_000) // not after the two seconds of the second pause

    clock.nowMs += 1_000
    delivery.wake()
    expect(await said('expired')).toMatchObject([{ level: 'warn', attempt: 3 }])
    expect([attempts, waiting()]).toEqual([2, []])
    expect(logged().filter(({ message }) => message.includes('was delivered'))).toEqual([])
  })

  test('is tried no faster when the database says that it expired long ago, and is still delivered', async () => {
    const { clock, server, send, deliver, waiting, said } = await prepare()
    await send([mail])
    withDatabase(server.folder, (hand) => hand.update({ table: 'outbox', where: {} }, { expires_at_ms: 1 }))
    let attempts = 0
    const delivery = deliver({ carry: async () => (++attempts < 2 ? failed : delivered) })
    await said('could not be delivered yet')
    expect(waiting()[0]?.due_at_ms).toBe(startMs + 1_000)
    clock.nowMs += 1_000
    delivery.wake()
    await said('was delivered')
  })

  test('for good is dropped', async () => {
    const { send, deliver, waiting, said } = await prepare()
    await send([mail])
    deliver({ carry: async () => ({ kind: 'refused', reason: 'refused', code: 550 }) })
    expect(await said('refused for good')).toMatchObject([{ level: 'warn', attempt: 1, reason: 'refused', code: 550 }])
    expect(waiting()).toEqual([])
  })

  test('by a bug of ours is tried again, and its error is not repeated in the log', async () => {
    const { send, deliver, waiting, said, lines } = await prepare()
    await send([mail])
    deliver({ carry: () => Promise.reject(new TypeError(`cannot send ${passcode}`)) })
    expect(await said('could not be delivered yet')).toMatchObject([{ reason: 'fault' }])
    expect(waiting()).toHaveLength(1)
    expect(lines.join('')).not.toContain(passcode)
  })

  test('because no server answers is given up when its time is over', async () => {
    const { send, deliver, said } = await prepare()
    await send([mail])
    deliver({
      attemptMs: 50,
      carry: (_message, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ kind: 'failed', reason: 'timeout' }))
        }),
    })
    expect(await said('could not be delivered yet')).toMatchObject([{ reason: 'timeout' }])
  })
})

test('a server that is down costs one line, however many messages it fails and however often', async () => {
  const { clock, send, deliver, logged, said, waiting } = await prepare()
  for (let index = 0; index < 5; index += 1) await send([mail], 3_600_000)
  let isDown = true
  let attempts = 0
  const delivery = deliver({
    carry: async () => {
      attempts += 1
      return isDown ? { kind: 'failed', reason: 'unreachable', code: 'ECONNREFUSED' } : delivered
    },
  })
  const areInPauses = () =>
    waiting().every((row) => Number(row.due_at_ms) > clock.nowMs && Number(row.due_at_ms) < clock.nowMs + inHandMsMax)
  for (const expected of [5, 10, 15]) {
    await expect.poll(() => areInPauses() && attempts).toBe(expected)
    clock.nowMs += 10_000
    if (expected === 15) isDown = false
    delivery.wake()
  }
  await said('was delivered', 5)
  const others = logged().filter(({ message }) => !message.includes('was delivered'))
  expect(others).toMatchObject([
    { level: 'warn', message: 'a message could not be delivered yet', reason: 'unreachable', code: 'ECONNREFUSED' },
    { level: 'info', message: 'messages reach their server again', channel: 'mail' },
  ])
})

test('a message that expired before the first attempt is not sent at all', async () => {
  const { clock, send, deliver, waiting, said } = await prepare()
  await send([mail], 1_000)
  clock.nowMs += 1_000
  deliver({ carry: () => expect.fail('this is not to be sent') })
  await said('expired')
  expect(waiting()).toEqual([])
})

describe('a row that somebody changed in the database is refused, logged and dropped:', () => {
  test.each<[string, (sealed: Uint8Array, other: Uint8Array) => Uint8Array]>([
    ['a flipped bit', (sealed) => sealed.map((byte, index) => (index === 30 ? byte ^ 1 : byte))],
    ['cut off', (sealed) => sealed.subarray(0, 20)],
    ['the content of another message', (_sealed, other) => other],
  ])('%s', async (_, change) => {
    const { server, send, deliver, waiting, said, lines } = await prepare()
    const [row, other] = await send([mail, { ...mail, to: 'eve@example.org' }])
    if (row === undefined || other === undefined) throw new Error('two were sent')
    const place = (messageId: string) => ({ table: 'outbox', where: { message_id: messageId } }) as const
    withDatabase(server.folder, (hand) => {
      hand.update(place(row.messageId), { sealed: change(row.sealed, other.sealed) })
      hand.remove(place(other.messageId))
    })
    deliver({ carry: () => expect.fail('this is not to be sent') })
    expect(await said('not what the vault sealed')).toMatchObject([
      { level: 'error', messageId: row.messageId, incident: expect.stringContaining(row.messageId) },
    ])
    expect(waiting()).toEqual([])
    expect(lines.join('')).not.toMatch(/XK7|ada@|eve@/)
  })

  test('another channel: it goes where the vault meant it to go', async () => {
    const { server, send, deliver, said } = await prepare()
    await send([mail])
    withDatabase(server.folder, (hand) => hand.update({ table: 'outbox', where: {} }, { channel: 'sms' }))
    const carried: MessageChannel[] = []
    deliver({
      carry: async ({ channel }) => {
        carried.push(channel)
        return delivered
      },
    })
    await said('was delivered')
    expect(carried).toEqual(['mail'])
  })
})

test('while the vault is away a message waits', async () => {
  const { clock, server, send, deliver, said } = await prepare()
  await send([mail])
  let isAway = true
  const delivery = deliver({
    vault: {
      openMessage: (request) =>
        isAway ? Promise.reject(new VaultUnavailable('the vault is down')) : server.vault.openMessage(request),
    },
  })
  expect(await said('could not be delivered yet')).toMatchObject([{ reason: 'the vault is away' }])
  isAway = false
  clock.nowMs += 1_000
  delivery.wake()
  await said('was delivered')
})

test('while the database cannot be used nothing is sent, and the next look goes on', async () => {
  const { server, send, deliver, said } = await prepare()
  await send([mail])
  let isAway = true
  const delivery = deliver({
    store: {
      ...server.store,
      changeQueue: (change) => (isAway ? Promise.reject(new Error('disk is full')) : server.store.changeQueue(change)),
    },
    carry: async () => (isAway ? expect.fail('this was not taken') : delivered),
  })
  expect(await said('the outbox cannot be read or written')).toMatchObject([{ level: 'error', channel: 'mail' }])
  isAway = false
  delivery.wake()
  await said('was delivered')
})

/** A carrier that holds each message until the test lets go. */
function holding() {
  const held: { readonly message: Message; readonly letGo: () => void }[] = []
  let changed = Promise.withResolvers<void>()
  let isOver = false
  const carry = (message: Message) =>
    new Promise<Outcome>((resolve) => {
      if (isOver) return resolve(delivered)
      held.push({ message, letGo: () => resolve(delivered) })
      changed.resolve()
      changed = Promise.withResolvers()
    })
  async function hold(count: number): Promise<void> {
    while (held.length < count) await changed.promise
  }
  /** Lets everything go at the end of the test, before its deliveries are closed. */
  function letGoAtEnd(): void {
    onTestFinished(() => {
      isOver = true
      for (const { letGo } of held) letGo()
    })
  }
  return { held, carry, hold, letGoAtEnd }
}

describe('organizations share the deliveries', () => {
  const to = (address: string): Message => ({ ...mail, to: address })

  test('a passcode waits behind no invitations of its organization', async () => {
    const { send, deliver } = await prepare()
    const { held, carry, hold, letGoAtEnd } = holding()
    await send(
      Array.from({ length: 20 }, () => to('invited@example.org')),
      604_800_000,
      'o',
    )
    await send([to('user@example.org')], 300_000, 'o')
    deliver({ carry })
    letGoAtEnd()
    await hold(deliveriesOfFamilyMax)
    expect(held.map(({ message }) => message.to)).toContain('user@example.org')
  })

  test('one that sends many leaves places to others, and takes turns with them', async () => {
    const { send, deliver } = await prepare()
    const { held, carry, hold, letGoAtEnd } = holding()
    await send(
      Array.from({ length: 40 }, () => to('many@example.org')),
      300_000,
      'a',
    )
    deliver({ carry })
    letGoAtEnd()
    await hold(deliveriesOfFamilyMax)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(held).toHaveLength(deliveriesOfFamilyMax)
    await send([to('one@example.org')], 300_000, 'b')
    held[0]?.letGo()
    await hold(deliveriesOfFamilyMax + 2)
    expect(held.map(({ message }) => message.to)).toContain('one@example.org')
  })

  test('a parent and its sub-organizations have the places of one', async () => {
    const { server, send, deliver } = await prepare()
    const { held, carry, hold, letGoAtEnd } = holding()
    const below = ['b', 'c', 'd']
    await server.store.commit(commitOf({ heads: [head('a'), ...below.map((id) => head(id, { parentId: 'a' }))] }))
    for (const id of ['a', ...below]) {
      await send(
        Array.from({ length: 10 }, () => to('many@example.org')),
        300_000,
        id,
      )
    }
    await send([to('one@example.org')], 300_000, 'e')
    deliver({ carry })
    letGoAtEnd()
    await hold(deliveriesOfFamilyMax + 1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(held).toHaveLength(deliveriesOfFamilyMax + 1)
    expect(held.map(({ message }) => message.to)).toContain('one@example.org')
  })

  test('nobody waits behind a hundred sub-organizations whose places are taken, also not their parent', async () => {
    const { server, send, deliver } = await prepare()
    const { held, carry, hold, letGoAtEnd } = holding()
    const below = Array.from({ length: 150 }, (_, index) => `b${index}`)
    await server.store.commit(commitOf({ heads: [head('a'), ...below.map((id) => head(id, { parentId: 'a' }))] }))
    for (const id of below) await send([to('many@example.org')], 300_000, id)
    await send([to('one@example.org')], 300_000, 'c')
    const { wake } = deliver({ carry, lookMs: 1_000_000 })
    letGoAtEnd()
    await hold(deliveriesOfSubOrganizationsMax + 1)
    expect(held.map(({ message }) => message.to)).toContain('one@example.org')
    await send([to('parent@example.org')], 300_000, 'a')
    wake()
    await hold(deliveriesOfFamilyMax + 1)
    expect(held.at(-1)?.message.to).toBe('parent@example.org')
  })
})

test(`at most ${deliveriesMax} of a channel are on their way at once, and one channel does not wait for another`, async () => {
  const { send, deliver, said, logged } = await prepare()
  const { held, carry, hold } = holding()
  const halves = [Math.ceil((deliveriesMax + 3) / 2), Math.floor((deliveriesMax + 3) / 2)]
  for (const length of halves) await send(Array.from({ length }, () => mail))
  await send([sms])
  const delivery = deliver({ carry })
  await hold(deliveriesMax + 1)
  delivery.wake()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(held.filter(({ message }) => message.channel === 'mail')).toHaveLength(deliveriesMax)
  expect(held.filter(({ message }) => message.channel === 'sms')).toHaveLength(1)

  held[0]?.letGo()
  await hold(deliveriesMax + 2)
  for (let index = 0; index < deliveriesMax + 4; index += 1) {
    await hold(index + 1)
    held[index]?.letGo()
  }
  await said('was delivered', deliveriesMax + 4)
  expect(new Set(logged().map(({ messageId }) => messageId)).size).toBe(deliveriesMax + 4)
})

test('two services on one database deliver each message once', async () => {
  const { send, deliver, waiting, said } = await prepare()
  const rows = await send(Array.from({ length: 30 }, () => mail))
  const nodes = [deliver(), deliver()]
  const lines = await said('was delivered', rows.length)
  for (const node of nodes) await node.close()
  expect(lines.map(({ messageId }) => messageId).toSorted()).toEqual(rows.map(({ messageId }) => messageId).toSorted())
  expect(waiting()).toEqual([])
})

test('closing waits for deliveries in progress and takes no further message', async () => {
  const { send, deliver, waiting } = await prepare()
  const { held, carry, hold } = holding()
  await send([mail])
  const delivery = deliver({ carry })
  await hold(1)
  let isClosed = false
  const closed = delivery.close().then(() => {
    isClosed = true
  })
  await send([mail])
  delivery.wake()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect([isClosed, held.length]).toEqual([false, 1])
  held[0]?.letGo()
  await closed
  expect(held).toHaveLength(1)
  expect(waiting()).toMatchObject([{ attempts: 0 }])
})
