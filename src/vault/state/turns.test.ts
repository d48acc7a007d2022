import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns, LateError } from './turns.ts'

/** Turns by a clock that stands still until the test moves it. */
function startTurns() {
  const clock = { nowMs: 0 }
  return { clock, turns: createTurns(() => clock.nowMs) }
}

const organizations = { one: { organizationId: 'one' }, other: { organizationId: 'other' } }

test('tasks of one organization are begun sixteen at a time, in their order', async () => {
  const { turns } = startTurns()
  const begun: number[] = []
  const all = Array.from({ length: 40 }, (_, index) => turns.run(organizations.one, async () => void begun.push(index)))
  await nextTurn()
  expect(begun).toHaveLength(16)
  await Promise.all(all)
  expect(begun).toEqual(Array.from({ length: 40 }, (_, index) => index))
})

test('a task that uses up the slice lets no other begin in it', async () => {
  const { clock, turns } = startTurns()
  const begun: string[] = []
  const busy = async (name: string) => {
    begun.push(name)
    clock.nowMs += 5
  }
  const all = ['a', 'b'].map((name) => turns.run(organizations.one, () => busy(name)))
  await nextTurn()
  expect(begun).toEqual(['a'])
  await Promise.all(all)
})

test('organizations take turns, however many requests one has', async () => {
  const { clock, turns } = startTurns()
  const done: string[] = []
  const work = async (name: string) => {
    done.push(name)
    clock.nowMs += 5
  }
  const many = Array.from({ length: 10 }, (_, index) => turns.run(organizations.one, () => work(`one ${index}`)))
  const other = turns.run(organizations.other, () => work('other'))
  await Promise.all([...many, other])
  expect(done.indexOf('other')).toBe(1)
})

test('the credentials of one organization take turns, however many requests one has sent', async () => {
  const { clock, turns } = startTurns()
  const done: string[] = []
  const busy = Array.from({ length: 10 }, (_, index) =>
    turns.run({ organizationId: 'one', credential: 'busy' }, async ({ pause }) => {
      clock.nowMs += 5
      await pause()
      clock.nowMs += 5
      await pause()
      done.push(`busy ${index}`)
    }),
  )
  const root = turns.run({ organizationId: 'one', credential: 'root' }, async () => void done.push('root'))
  await Promise.all([...busy, root])
  expect(done.indexOf('root')).toBe(0)
})

test('steps of long work take turns with other organizations, and go before new requests of their own', async () => {
  const { clock, turns } = startTurns()
  const done: string[] = []
  const long = turns.run(organizations.one, async ({ pause }) => {
    clock.nowMs += 5
    for (let step = 0; step < 3; step += 1) {
      await pause()
      done.push(`step ${step}`)
      clock.nowMs += 5
    }
  })
  const late = turns.run(organizations.one, async () => void done.push('new'))
  await nextTurn()
  const other = turns.run(organizations.other, async () => void done.push('other'))
  await Promise.all([long, late, other])
  expect(done.filter((name) => name !== 'other')).toEqual(['step 0', 'step 1', 'step 2', 'new'])
  expect(done.indexOf('other')).toBeLessThan(done.indexOf('step 2'))
})

test('work goes on without a pause within its slice', async () => {
  const { turns } = startTurns()
  expect(await turns.run({}, async ({ pause }) => pause())).toBeUndefined()
})

test('long work that goes on has half of a slice', async () => {
  const { clock, turns } = startTurns()
  const waits: boolean[] = []
  await turns.run({}, async ({ pause }) => {
    for (let step = 0; step < 4; step += 1) {
      clock.nowMs += 3
      const waiting = pause()
      waits.push(waiting !== undefined)
      await waiting
    }
  })
  expect(waits).toEqual([false, true, true, true])
})

test('a task is not begun, and work does not go on, once nobody waits for it', async () => {
  const { clock, turns } = startTurns()
  const late = turns.run({ waitMsMax: 10 }, async () => 'begun')
  clock.nowMs += 11
  await expect(late).rejects.toBeInstanceOf(LateError)
  const stopped = turns.run({ waitMsMax: 10 }, async ({ pause }) => {
    clock.nowMs += 11
    await pause()
  })
  await expect(stopped).rejects.toBeInstanceOf(LateError)
})

test('peers take turns, however many organizations one names', async () => {
  const { clock, turns } = startTurns()
  const done: string[] = []
  const work = async (name: string) => {
    clock.nowMs += 5
    done.push(name)
  }
  const many = Array.from({ length: 10 }, (_, index) =>
    turns.run({ peer: 'loud', organizationId: `${index}` }, async ({ pause }) => {
      await work(`loud ${index}`)
      await pause()
      await work(`loud ${index}`)
    }),
  )
  const quiet = turns.run({ peer: 'quiet', organizationId: 'other' }, async ({ pause }) => {
    await work('quiet 1')
    await pause()
    await work('quiet 2')
  })
  await Promise.all([...many, quiet])
  expect(done.indexOf('quiet 1')).toBe(1)
  expect(done.indexOf('quiet 2')).toBe(3)
})
