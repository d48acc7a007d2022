import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newBooksFolder, openTestBooks } from '../../../../test/support/books.ts'
import { VaultError } from '../../../link/channel/channel.ts'
import type { BookedHead } from '../booked_head.ts'
import { againAfterLooks, type Leaving } from '../decision_books.ts'
import type { CountEntry } from '../entries.ts'
import { createBooksDesk, type Listener } from './books_desk.ts'
import type { BooksNews, BooksVerbs } from './messages.ts'
import { createSharedBooks } from './shared_books.ts'

const organizationId = '018f0000-0000-7000-8000-000000000001'
const hex = () => randomBytes(16).toString('hex')
/** A head that a decision makes. */
const expected = (tag: string) => ({ tag, facts: [] })
const nothing: Leaving = { heads: [], seen: new Map(), counts: [], made: [], facts: [], shown: [] }

function headOn(below: BookedHead | undefined, maker: string): BookedHead {
  const names = below === undefined ? [] : [...below.below, [below.maker, below] as const]
  return {
    ...{ version: (below?.version ?? 0) + 1, tag: hex(), changeKey: hex(), maker },
    below: new Map(names.map(([id, { version, tag, changeKey }]) => [id, { version, tag, changeKey }])),
  }
}

/** When a vault takes news. Undefined: at once. */
type Hears = () => Promise<void> | undefined
/** When an answer of the books arrives at a vault. Undefined: at once. */
type Arrives = (verb: string) => Promise<unknown> | undefined

/** Books in one place, and three vaults that share them. `isDeaf`: the second takes no news for now. */
async function start() {
  const books = await openTestBooks(newBooksFolder())
  onTestFinished(() => books.close())
  const desk = createBooksDesk(books)
  const hearing = { isDeaf: false, waiting: Promise.withResolvers<void>() }
  const asked: string[] = []

  async function vault(hears: Hears = () => undefined, arrives: Arrives = () => undefined) {
    const verbs = { current: undefined as BooksVerbs | undefined }
    const ask = new Proxy({} as BooksVerbs, {
      get: (_, verb) => async (argument: unknown) => {
        asked.push(String(verb))
        const answer = await Reflect.get(verbs.current ?? {}, verb)(argument)
        await setImmediate()
        await arrives(String(verb))
        return answer
      },
    })
    const shared = createSharedBooks(ask, {
      nowMs: Date.now,
      onError: (error) => {
        throw error
      },
    })
    const listener: Listener = {
      async tell(verb, news) {
        await hears()
        const take: (news: never) => Promise<void> = shared.news[verb as Exclude<keyof BooksNews, 'lifted' | 'linked'>]
        await take(news as never)
      },
    }
    verbs.current = desk.verbsFor(listener)
    return { books: shared.books, listener }
  }

  async function joined(hears?: Hears, arrives?: Arrives) {
    const { books, listener } = await vault(hears, arrives)
    await desk.open(listener)
    await desk.join(listener)
    return books
  }

  const hearsLater = () => (hearing.isDeaf ? hearing.waiting.promise : undefined)
  const [first, second, third] = [await joined(), await joined(hearsLater), await joined()]
  const another = (arrives?: Arrives) => joined(undefined, arrives)
  return { books, desk, first, second, third, another, vault, hearing, asked, maker: books.journalId() }
}

/** Waits until what has begun can only wait for news to be taken. */
async function settleDown(books: Awaited<ReturnType<typeof start>>['books']): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await setImmediate()
  await books.sync()
  for (let turn = 0; turn < 50; turn += 1) await setImmediate()
}

const newestOf = (books: Awaited<ReturnType<typeof start>>['first']) =>
  againAfterLooks(books, async (seen) => seen.newest(organizationId))

test('a head that one vault takes up is the newest for the other', async () => {
  const { books, first, second, maker } = await start()
  expect(await newestOf(second)).toBeUndefined()
  const head = headOn(undefined, maker)
  expect(await first.settle([{ organizationId, head, forgets: [] }])).toEqual(['above'])
  expect(await newestOf(second)).toEqual(head)
  expect(second.isKnown(head.changeKey)).toBe(true)
  expect(books.isSynced(organizationId)).toBe(true)
  const fork = headOn(undefined, maker)
  expect(await againAfterLooks(second, async (seen) => seen.take(organizationId, fork))).toBe('fork')
  expect(await second.settle([{ organizationId, head: fork, forgets: [] }])).toEqual(['fork'])
})

test('a change is acknowledged only once the other vault knows that its head is not the newest', async () => {
  const { first, second, hearing, maker } = await start()
  const before = headOn(undefined, maker)
  await first.settle([{ organizationId, head: before, forgets: [] }])
  expect(await newestOf(second)).toEqual(before)
  hearing.isDeaf = true
  let isAcknowledged = false
  const settled = first.settle([{ organizationId, head: headOn(before, maker), forgets: [] }]).then(() => {
    isAcknowledged = true
  })
  for (let turn = 0; turn < 50; turn += 1) await setImmediate()
  // Until then, what rests on the older head may still leave.
  expect(isAcknowledged).toBe(false)
  const resting = { ...nothing, heads: [{ organizationId, tag: before.tag }] }
  expect(await againAfterLooks(second, (seen) => seen.release(resting))).toEqual({})
  hearing.isDeaf = false
  hearing.waiting.resolve()
  await settled
  expect(await againAfterLooks(second, (seen) => seen.release(resting))).toBeUndefined()
})

test('a head that was taken up by another vault is acknowledged and shown only once all know', async () => {
  const { books, first, second, third, another, hearing, maker } = await start()
  const before = headOn(undefined, maker)
  await first.settle([{ organizationId, head: before, forgets: [] }])
  expect(await newestOf(second)).toEqual(before)
  const fourth = await another()
  hearing.isDeaf = true
  const own = headOn(before, maker)
  const done: string[] = []
  const all = [
    againAfterLooks(third, async (seen) => seen.take(organizationId, own)).then(() => done.push('taken up')),
    first.settle([{ organizationId, head: own, forgets: [] }]).then(() => done.push('settled')),
    setImmediate()
      .then(() => newestOf(fourth))
      .then(() => done.push('shown')),
  ]
  await settleDown(books)
  expect(done).toEqual([])
  expect(await newestOf(second)).toEqual(before)
  hearing.isDeaf = false
  hearing.waiting.resolve()
  await Promise.all(all)
  expect(await newestOf(second)).toEqual(own)
})

test('a head with others above it is acknowledged only once all know of these', async () => {
  const { books, first, second, third, another, hearing, maker } = await start()
  const before = headOn(undefined, maker)
  await first.settle([{ organizationId, head: before, forgets: [] }])
  const fourth = await another()
  for (const vault of [second, third, fourth]) expect(await newestOf(vault)).toEqual(before)
  hearing.isDeaf = true
  const own = headOn(before, maker)
  const above = headOn(own, maker)
  await againAfterLooks(first, (seen) => seen.release({ ...nothing, made: [expected(own.tag)] }))
  const taken = [
    againAfterLooks(third, async (seen) => seen.take(organizationId, own)),
    againAfterLooks(fourth, async (seen) => seen.take(organizationId, above)),
  ]
  await settleDown(books)
  let comparisons: unknown
  const settled = first.settle([{ organizationId, head: own, forgets: [] }]).then((found) => {
    comparisons = found
  })
  await settleDown(books)
  expect(comparisons).toBeUndefined()
  hearing.isDeaf = false
  hearing.waiting.resolve()
  await Promise.all([settled, ...taken])
  expect(comparisons).toEqual(['behind'])
})

test.each(['take', 'settle'])(
  'a vault that is slow to hear the answer to %s releases nothing on the head before',
  async (verb) => {
    const { first, another, maker } = await start()
    const waiting = Promise.withResolvers<void>()
    const slow = await another((answered) => (answered === verb ? waiting.promise : undefined))
    const before = headOn(undefined, maker)
    await first.settle([{ organizationId, head: before, forgets: [] }])
    expect(await newestOf(slow)).toEqual(before)
    const after = headOn(before, maker)
    const settling =
      verb === 'take'
        ? againAfterLooks(slow, async (seen) => seen.take(organizationId, after))
        : slow.settle([{ organizationId, head: after, forgets: [] }])
    // Another vault shows the head: whatever that revokes is acknowledged.
    await expect.poll(() => newestOf(first)).toEqual(after)
    await first.sync()
    const resting = { ...nothing, heads: [{ organizationId, tag: before.tag }] }
    expect(await againAfterLooks(slow, (seen) => seen.release(resting))).toBeUndefined()
    waiting.resolve()
    await settling
    expect(await newestOf(slow)).toEqual(after)
  },
)

test('a vault whose change could not be written on disk asks for the newest head again', async () => {
  const { books, first, another, maker } = await start()
  const failing = await another((verb) =>
    verb === 'settle' ? Promise.reject(new VaultError({ name: 'JournalUnavailable', message: 'no room' })) : undefined,
  )
  const before = headOn(undefined, maker)
  await first.settle([{ organizationId, head: before, forgets: [] }])
  expect(await newestOf(failing)).toEqual(before)
  const after = headOn(before, maker)
  await expect(failing.settle([{ organizationId, head: after, forgets: [] }])).rejects.toThrow('no room')
  expect(books.newest(organizationId)).toEqual(after)
  expect(await newestOf(failing)).toEqual(after)
})

test('an answer that was overtaken by news is not kept', async () => {
  const { first, second, maker } = await start()
  const before = headOn(undefined, maker)
  await first.settle([{ organizationId, head: before, forgets: [] }])
  const looking = newestOf(second)
  const after = headOn(before, maker)
  await Promise.all([looking, first.settle([{ organizationId, head: after, forgets: [] }])])
  expect(await newestOf(second)).toEqual(after)
})

test('a head that was confirmed does not hide one above it, which the same vault took up meanwhile', async () => {
  const { books, first, maker } = await start()
  const own = headOn(undefined, maker)
  const above = headOn(own, hex())
  const settling = first.settle([{ organizationId, head: own, forgets: [] }])
  // The database shows what another node has made, before the journal has the head below it on disk.
  const taking = againAfterLooks(first, async (seen) => seen.take(organizationId, above))
  expect(await Promise.all([settling, taking])).toEqual([['above'], 'above'])
  expect(books.newest(organizationId)).toEqual(above)
  expect(await newestOf(first)).toEqual(above)
  const resting = { ...nothing, heads: [{ organizationId, tag: own.tag }] }
  expect(await againAfterLooks(first, (seen) => seen.release(resting))).toBeUndefined()
})

test('what rests on heads that are kept asks nothing', async () => {
  const { first, asked, maker } = await start()
  const head = headOn(undefined, maker)
  await first.settle([{ organizationId, head, forgets: [] }])
  asked.length = 0
  const resting = { ...nothing, heads: [{ organizationId, tag: head.tag }], shown: [organizationId] }
  expect(await againAfterLooks(first, (seen) => seen.release(resting))).toEqual({})
  expect(asked).toEqual([])
})

test('a count of one vault moves the sums that the other has seen', async () => {
  const { first, second } = await start()
  const name = hex()
  const entry = (): CountEntry => ({
    ...{ name, countKey: hex(), amount: 5n },
    ...{ atMs: Date.now(), untilMs: Date.now() + 1_000_000 },
  })
  const decision = (books: typeof first, counts: readonly CountEntry[]) =>
    againAfterLooks(books, async (seen) => {
      const sum = seen.amounts(name, undefined).reduce((all, { amount }) => all + amount, 0n)
      const released = await seen.release({ ...nothing, seen: new Map([[name, seen.revision(name)]]), counts })
      return { sum, isReleased: released !== undefined }
    })
  expect(await decision(first, [entry()])).toEqual({ sum: 0n, isReleased: true })
  const [one, other] = await Promise.all([decision(first, [entry()]), decision(second, [entry()])])
  expect([one.sum, other.sum]).toEqual([5n, 5n])
  expect([one.isReleased, other.isReleased].filter(Boolean)).toHaveLength(1)
})

test('a guess counts once, before the decision goes on, and not if a sum has moved', async () => {
  const { books, first, second } = await start()
  const [name, countKey] = [hex(), hex()]
  const entries = [{ name, countKey, amount: 1n, atMs: Date.now(), untilMs: Date.now() + 1_000_000 }]
  const guess = (vault: typeof first, revision: number) =>
    againAfterLooks(vault, async (seen) => seen.countNow(entries, new Map([[name, revision]])))
  expect(await guess(first, 0)).toBe(true)
  expect(books.amounts(name, undefined)).toHaveLength(1)
  expect(await guess(second, 0)).toBe(false)
  expect(await guess(second, books.revision(name))).toBe(true)
  expect(books.amounts(name, undefined)).toHaveLength(1)
})

test('after a restore is accepted, no vault knows a head', async () => {
  const { books, desk, first, second, maker } = await start()
  const head = headOn(undefined, maker)
  await first.settle([{ organizationId, head, forgets: [] }])
  expect(await newestOf(second)).toEqual(head)
  await books.forgetHeads()
  await desk.tellAll('forgotten', { journalId: books.journalId() })
  expect(second.journalId()).not.toBe(maker)
  for (const vault of [first, second]) expect(await newestOf(vault)).toBeUndefined()
})

test('what a vault decided before a restore was accepted is not confirmed behind it', async () => {
  const { books, desk, second, maker } = await start()
  const head = headOn(undefined, maker)
  await second.settle([{ organizationId, head, forgets: [] }])
  const held = headOn(head, maker)
  await againAfterLooks(second, (seen) => seen.release({ ...nothing, made: [expected(held.tag)] }))
  await books.forgetHeads()
  // The news is still on its way: its own decisions are dropped only when it comes.
  const refused = expect(second.settle([{ organizationId, head: held, forgets: [] }])).rejects.toThrow('restored')
  await Promise.all([refused, desk.tellAll('forgotten', { journalId: books.journalId() })])
  expect(books.newest(organizationId)).toBeUndefined()
})

test('no change waits for a vault that starts, and it joins only once it knows of all changes', async () => {
  const { desk, first, vault, maker } = await start()
  const before = headOn(undefined, maker)
  await first.settle([{ organizationId, head: before, forgets: [] }])
  const deaf = Promise.withResolvers<void>()
  let isDeaf = false
  const { books: late, listener } = await vault(() => (isDeaf ? deaf.promise : undefined))
  await desk.open(listener)
  isDeaf = true
  const after = headOn(before, maker)
  expect(await first.settle([{ organizationId, head: after, forgets: [] }])).toEqual(['above'])
  let hasJoined = false
  const joining = desk.join(listener).then(() => {
    hasJoined = true
  })
  for (let turn = 0; turn < 50; turn += 1) await setImmediate()
  expect([hasJoined, late.isKnown(after.changeKey)]).toEqual([false, false])
  isDeaf = false
  deaf.resolve()
  await joining
  expect(late.isKnown(after.changeKey)).toBe(true)
  expect(await newestOf(late)).toEqual(after)
})

test('a vault joins also while changes never cease', async () => {
  const { desk, first, vault, maker } = await start()
  const taking: PromiseWithResolvers<void>[] = []
  let isBusy = false
  const { books: late, listener } = await vault(() => {
    if (!isBusy) return undefined
    taking.push(Promise.withResolvers())
    return taking.at(-1)?.promise
  })
  await desk.open(listener)
  isBusy = true
  let head = headOn(undefined, maker)
  const settling = [first.settle([{ organizationId, head, forgets: [] }])]
  let hasJoined = false
  const joining = desk.join(listener).then(() => {
    hasJoined = true
  })
  // The next change comes before the vault has taken the one before.
  for (let change = 0; change < 10 && !hasJoined; change += 1) {
    head = headOn(head, maker)
    settling.push(first.settle([{ organizationId, head, forgets: [] }]))
    for (let turn = 0; turn < 50; turn += 1) await setImmediate()
    taking[change]?.resolve()
    for (let turn = 0; turn < 50; turn += 1) await setImmediate()
  }
  expect(hasJoined).toBe(true)
  for (const { resolve } of taking) resolve()
  await Promise.all([joining, ...settling])
  expect(await newestOf(late)).toEqual(head)
})

test('a change waits for a vault from the moment it has joined', async () => {
  const { desk, first, vault, maker } = await start()
  const deaf = Promise.withResolvers<void>()
  let isDeaf = false
  const { books: late, listener } = await vault(() => (isDeaf ? deaf.promise : undefined))
  await desk.open(listener)
  await desk.join(listener)
  const before = headOn(undefined, maker)
  await first.settle([{ organizationId, head: before, forgets: [] }])
  expect(await newestOf(late)).toEqual(before)
  isDeaf = true
  let isAcknowledged = false
  const settled = first.settle([{ organizationId, head: headOn(before, maker), forgets: [] }]).then(() => {
    isAcknowledged = true
  })
  for (let turn = 0; turn < 50; turn += 1) await setImmediate()
  expect(isAcknowledged).toBe(false)
  deaf.resolve()
  await settled
})

test('a vault that has not joined, or has left, gets no head and releases nothing', async () => {
  const { desk, first, vault, maker } = await start()
  const head = headOn(undefined, maker)
  await first.settle([{ organizationId, head, forgets: [] }])
  const { books: late, listener } = await vault()
  const askings = [
    () => newestOf(late),
    () => againAfterLooks(late, async (seen) => seen.take(organizationId, headOn(head, maker))),
    () => againAfterLooks(late, (seen) => seen.release({ ...nothing, made: [expected(hex())] })),
    () => late.settle([{ organizationId, head: headOn(head, maker), forgets: [] }]),
    () => againAfterLooks(late, async (seen) => seen.amounts(hex(), undefined)),
    () => againAfterLooks(late, async (seen) => seen.countNow([], new Map())),
  ]
  const refuses = async () => {
    for (const ask of askings) await expect(ask()).rejects.toThrow('has not joined the books')
  }
  await expect(desk.join(listener)).rejects.toThrow('cannot join')
  await desk.open(listener)
  await refuses()
  await desk.join(listener)
  expect(await newestOf(late)).toEqual(head)
  desk.close(listener)
  await expect(late.settle([{ organizationId, head: headOn(head, maker), forgets: [] }])).rejects.toThrow('has left')
  const again = await vault()
  await desk.open(again.listener)
  desk.close(again.listener)
  await expect(desk.join(again.listener)).rejects.toThrow('cannot join')
})

test('a decision that was refused, once or after it was released, leaves no tag that is still waited for', async () => {
  const { books, desk, first, vault, maker } = await start()
  const { books: late, listener } = await vault()
  await desk.open(listener)
  await desk.join(listener)
  const before = headOn(undefined, maker)
  await first.settle([{ organizationId, head: before, forgets: [] }])
  const [refused, repeated, held] = [hex(), hex(), hex()]
  const release = (made: string, tag: string) =>
    againAfterLooks(late, (seen) =>
      seen.release({ ...nothing, heads: [{ organizationId, tag }], made: [expected(made)] }),
    )
  expect(await release(refused, hex())).toBeUndefined()
  expect(await release(repeated, before.tag)).toEqual({})
  expect(await release(repeated, hex())).toBeUndefined()
  expect(await release(held, before.tag)).toEqual({})
  const dismissed = vi.spyOn(books, 'dismiss')
  desk.close(listener)
  expect(dismissed.mock.calls).toEqual([[[held]]])
})

test('a change that a restore has made void leaves no tag that is still waited for', async () => {
  const { books, desk, vault, maker } = await start()
  const { books: late, listener } = await vault()
  await desk.open(listener)
  await desk.join(listener)
  const head = headOn(undefined, maker)
  await againAfterLooks(late, (seen) => seen.release({ ...nothing, made: [expected(head.tag)] }))
  await books.forgetHeads()
  await expect(late.settle([{ organizationId, head, forgets: [] }])).rejects.toThrow('restored')
  const dismissed = vi.spyOn(books, 'dismiss')
  desk.close(listener)
  expect(dismissed.mock.calls).toEqual([[[]]])
})
