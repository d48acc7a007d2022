import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns, LateError, type Turn } from './turns.ts'

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

/** Long work of `count` steps, which writes down each. */
function longWork(clock: { nowMs: number }, done: string[], name: string, count: number) {
  return async ({ pause }: Pick<Turn, 'pause'>) => {
    clock.nowMs += 5
    for (let step = 0; step < count; step += 1) {
      await pause()
      done.push(`${name} ${step}`)
      clock.nowMs += 5
    }
  }
}

test('a new request is begun between the steps of long work, of which one has as many as another organization', async () => {
  const { clock, turns } = startTurns()
  const done: string[] = []
  const long = turns.run(organizations.one, longWork(clock, done, 'one', 4))
  const late = turns.run(organizations.one, async () => void done.push('new'))
  await nextTurn()
  const other = turns.run(organizations.other, longWork(clock, done, 'other', 2))
  await Promise.all([long, late, other])
  expect(done.indexOf('new')).toBeLessThan(2)
  expect(done.filter((name) => name !== 'new')).toEqual(['one 0', 'one 1', 'other 0', 'one 2', 'other 1', 'one 3'])
})

test('the long request of a credential that came first ends first', async () => {
  const { clock, turns } = startTurns()
  const done: string[] = []
  const all = [1, 2, 3].map((number) => turns.run(organizations.one, longWork(clock, done, `${number}`, 3)))
  await Promise.all(all)
  expect(done.filter((name) => name.endsWith(' 2'))).toEqual(['1 2', '2 2', '3 2'])
  expect(done.indexOf('1 2')).toBeLessThan(done.indexOf('3 1'))
})

test('once its stamp is verified, a request has turns of its family, however many peers that asks by', async () => {
  const { clock, turns } = startTurns()
  const done: string[] = []
  const asking = (familyId: string, name: string) => async (turn: Turn) => {
    turn.takeTurnsOf(familyId)
    await longWork(clock, done, name, 2)(turn)
  }
  const many = Array.from({ length: 10 }, (_, index) =>
    turns.run({ peer: `${index}`, organizationId: `sub ${index}` }, asking('large', `large ${index}`)),
  )
  const other = turns.run({ peer: 'other', organizationId: 'other' }, asking('other', 'other'))
  await Promise.all([...many, other])
  const between = done.slice(done.indexOf('other 0') + 1, done.indexOf('other 1'))
  expect(between).toHaveLength(1)
})

test('steps of requests whose stamps are not verified yet have every second turn, however many peers they are of', async () => {
  const { clock, turns } = startTurns()
  const done: string[] = []
  const strangers = Array.from({ length: 10 }, (_, index) =>
    turns.run({ peer: `${index}` }, longWork(clock, done, `stranger ${index}`, 4)),
  )
  const verified = turns.run({ peer: 'verified' }, async (turn) => {
    turn.takeTurnsOf('family')
    await longWork(clock, done, 'verified', 4)(turn)
  })
  await Promise.all([...strangers, verified])
  const first = done.indexOf('verified 0')
  expect(done.indexOf('verified 3') - first).toBe(6)
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
