import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { newBooksFolder, openTestBooks } from '../../../test/support/books.ts'
import { VaultError, VaultUnavailable } from '../../link/channel/channel.ts'
import { createBooksDesk } from '../books/remote/books_desk.ts'
import { createDeciderPlaces } from './decider_places.ts'
import type { Decider } from './decider_process.ts'

/** The outcomes of unsealing one vault after the other. The last outcome holds for all that follow. */
type Unsealing = () => Promise<unknown>

const unsealed: Unsealing = async () => ({ kind: 'unsealed' })
const dies: Unsealing = () => Promise.reject(new VaultUnavailable('the vault is gone'))
const refused: Unsealing = () => Promise.reject(new VaultError({ name: 'UnsealError', message: 'the wrong key' }))

async function start({ count, unsealing }: { readonly count: number; readonly unsealing: readonly Unsealing[] }) {
  const books = await openTestBooks(newBooksFolder())
  onTestFinished(() => books.close())
  const logged: string[] = []
  const spawned: { isEnded: boolean; die: () => void }[] = []
  const places = createDeciderPlaces({
    count,
    log: { error: (_, message) => logged.push(message) },
    tellOperators: async () => {},
    spawn() {
      const unseal = unsealing[Math.min(spawned.length, unsealing.length - 1)] ?? unsealed
      const gone = Promise.withResolvers<Awaited<Decider['gone']>>()
      const one = { isEnded: false, die: () => gone.resolve({ exitCode: 1, signal: null }) }
      spawned.push(one)
      return {
        channel: {
          call: async (verb) => (verb === 'unseal' ? unseal() : undefined),
          close() {},
          heard: () => 0,
          closed: new Promise(() => {}),
        },
        gone: gone.promise,
        end() {
          one.isEnded = true
        },
        tell: async () => {},
      }
    },
  })
  onTestFinished(places.close)
  return { places, logged, spawned, filling: places.fill(createBooksDesk(books), new Uint8Array()) }
}

test('a vault that dies while the node starts is started again', async () => {
  const { places, logged, spawned, filling } = await start({ count: 1, unsealing: [dies, dies, unsealed] })
  await filling
  expect(places.deciders[0]).toBeDefined()
  expect(spawned.map(({ isEnded }) => isEnded)).toEqual([true, true, false])
  expect(logged).toEqual(Array(2).fill('a vault of this node could not be started'))
})

test('a node whose first vault never starts says why, and is not kept waiting by what only the operator can mend', async () => {
  const never = await start({ count: 1, unsealing: [dies] })
  await expect(never.filling).rejects.toBeInstanceOf(VaultUnavailable)
  expect(never.spawned).toHaveLength(3)
  const sealed = await start({ count: 1, unsealing: [refused] })
  await expect(sealed.filling).rejects.toMatchObject({ name: 'UnsealError', message: 'the wrong key' })
  expect(sealed.spawned).toHaveLength(1)
})

test('a node answers with its first vault, and the others follow one after the other', async () => {
  const waiting = Promise.withResolvers<void>()
  const { places, spawned, filling } = await start({
    count: 3,
    unsealing: [unsealed, () => waiting.promise, dies, unsealed],
  })
  await filling
  await expect.poll(() => spawned.length).toBe(2)
  expect(places.deciders.map((decider) => decider !== undefined)).toEqual([true, false, false])
  waiting.resolve()
  await expect.poll(() => places.deciders.every((decider) => decider !== undefined)).toBe(true)
  expect(spawned).toHaveLength(4)
})

test('a vault that dies later is started again, and none after the end', async () => {
  const { places, spawned, filling } = await start({ count: 1, unsealing: [unsealed] })
  await filling
  spawned[0]?.die()
  await expect.poll(() => spawned.length).toBe(2)
  await expect.poll(() => places.deciders[0]).toBeDefined()
  places.close()
  spawned[1]?.die()
  await setTimeout(400)
  expect(spawned).toHaveLength(2)
})
