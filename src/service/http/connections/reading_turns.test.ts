import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ReadingTurns, readTogetherMax, sliceMs } from './reading_turns.ts'

const first = { isNew: true }
const further = { isNew: false }

/** Readers that write their names down, and the order in which they were read. */
function startTurns() {
  let nowMs = 0
  const turns = new ReadingTurns(() => nowMs)
  const read: string[] = []
  return {
    turns,
    read,
    reader: (name: string, { ms = 0 } = {}) => ({
      readOn() {
        read.push(name)
        nowMs += ms
      },
    }),
    async untilRead(count: number): Promise<void> {
      while (read.length < count) await nextTurn()
    },
  }
}

test('peers take turns, however many connections each has', async () => {
  const { turns, read, reader, untilRead } = startTurns()
  const [loud, quiet] = [{}, {}]
  for (let index = 0; index < 100; index += 1) turns.ask(loud, reader(`loud ${index}`), first)
  turns.ask(quiet, reader('quiet'), first)
  await untilRead(101)
  expect(read.slice(0, 3)).toEqual(['loud 0', 'quiet', 'loud 1'])
  expect(read.slice(3)).toEqual(Array.from({ length: 98 }, (_, index) => `loud ${index + 2}`))
})

test('a turn of the event loop reads one rest, and all that is new', async () => {
  const { turns, read, reader } = startTurns()
  const peer = {}
  for (const name of ['rest 1', 'rest 2', 'rest 3']) turns.ask(peer, reader(name), further)
  for (const name of ['new 1', 'new 2']) turns.ask(peer, reader(name), first)
  turns.ask({}, reader('rest of another peer'), further)
  for (const expected of [['rest 1', 'new 1', 'new 2'], ['rest of another peer'], ['rest 2'], ['rest 3']]) {
    read.splice(0)
    while (read.length === 0) await nextTurn()
    expect(read).toEqual(expected)
  }
})

test('a connection that always has a rest is not starved by others that always have something new', async () => {
  const { turns, read, reader, untilRead } = startTurns()
  const peer = {}
  const busy = reader('new')
  const again = {
    readOn() {
      busy.readOn()
      if (read.length < 50) turns.ask(peer, again, first)
    },
  }
  turns.ask(peer, again, first)
  turns.ask(peer, reader('rest'), further)
  await untilRead(50)
  expect(read.indexOf('rest')).toBeLessThan(3)
})

test('a connection that waits gets one turn for all its asking', async () => {
  const { turns, read, reader } = startTurns()
  const peer = {}
  const one = reader('one')
  turns.ask(peer, one, first)
  turns.ask(peer, one, further)
  for (let turn = 0; turn < 5; turn += 1) await nextTurn()
  expect(read).toEqual(['one'])
  turns.ask(peer, one, first)
  await nextTurn()
  expect(read).toEqual(['one', 'one'])
})

test('a turn of the event loop has a bound of reads', async () => {
  const { turns, read, reader, untilRead } = startTurns()
  const peer = {}
  for (let index = 0; index < 5 * readTogetherMax; index += 1) turns.ask(peer, reader(`${index}`), first)
  const seen: number[] = []
  for (let turn = 0; turn < 5; turn += 1) {
    await nextTurn()
    seen.push(read.length)
  }
  await untilRead(5 * readTogetherMax)
  for (const [index, count] of seen.entries()) expect(count).toBeLessThanOrEqual((index + 1) * readTogetherMax)
})

test('a turn of the event loop has a bound of time', async () => {
  const { turns, read, reader, untilRead } = startTurns()
  const peer = {}
  for (let index = 0; index < 10; index += 1) turns.ask(peer, reader(`${index}`, { ms: sliceMs }), first)
  const seen: number[] = []
  for (let turn = 0; turn < 5; turn += 1) {
    await nextTurn()
    seen.push(read.length)
  }
  await untilRead(10)
  for (const [index, count] of seen.entries()) expect(count).toBeLessThanOrEqual(index + 1)
})

test('what is new is read between rests that take longer than a turn may', async () => {
  const { turns, read, reader, untilRead } = startTurns()
  const [flooder, other] = [{}, {}]
  const long = reader('rest', { ms: 3 * sliceMs })
  const again = {
    readOn() {
      long.readOn()
      if (read.length < 20) turns.ask(flooder, again, further)
    },
  }
  turns.ask(flooder, again, further)
  for (const name of ['new 1', 'new 2', 'new 3']) turns.ask(other, reader(name, { ms: 2 * sliceMs }), first)
  await untilRead(20)
  expect(read.slice(0, 6)).toEqual(['rest', 'new 1', 'rest', 'new 2', 'rest', 'new 3'])
})
