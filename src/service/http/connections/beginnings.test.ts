import { expect, test } from 'vitest'
import { begunAtOnceMax, begunPerSecondMax, createBeginnings } from './beginnings.ts'

/** Lets time pass by hand. `begun`: the peers of the connections that were begun. */
function stopped() {
  let ms = 0
  let due: (() => void) | undefined
  const begun: string[] = []
  const beginnings = createBeginnings({
    nowMs: () => ms,
    later(run) {
      due = run
    },
  })
  const open = (peer: string) => beginnings.begin(peer, () => void begun.push(peer))
  const openMany = (peer: string, count: number) => Array.from({ length: count }, () => open(peer))
  const countOf = (peer: string) => begun.filter((one) => one === peer).length
  function pass(passedMs: number) {
    ms += passedMs
    const run = due
    due = undefined
    run?.()
  }
  return { open, openMany, countOf, pass, isAtRest: () => due === undefined }
}

test('of a peer so many connections are begun at once, and then so many a second; another peer waits for none', () => {
  const { open, openMany, countOf, pass, isAtRest } = stopped()
  openMany('flood', begunAtOnceMax)
  expect([countOf('flood'), isAtRest()]).toEqual([begunAtOnceMax, true])
  openMany('flood', 2 * begunPerSecondMax)
  open('quiet')
  expect([countOf('flood'), countOf('quiet')]).toEqual([begunAtOnceMax, 1])
  pass(100)
  expect(countOf('flood')).toBe(begunAtOnceMax + begunPerSecondMax / 10)
  // Those that come later wait behind the others.
  open('flood')
  expect(countOf('flood')).toBe(begunAtOnceMax + begunPerSecondMax / 10)
  pass(1_000)
  pass(1_000)
  expect(countOf('flood')).toBe(begunAtOnceMax + 2 * begunPerSecondMax + 1)
  expect(isAtRest()).toBe(true)
})

test('one that has ended takes no turn', () => {
  const { openMany, countOf, pass, isAtRest } = stopped()
  openMany('flood', begunAtOnceMax)
  for (const leave of openMany('flood', 1_000)) leave()
  openMany('flood', 1)
  pass(1_000 / begunPerSecondMax)
  expect([countOf('flood'), isAtRest()]).toEqual([begunAtOnceMax + 1, true])
})

test('a peer that has opened none for a while may begin as many at once again', () => {
  const { openMany, countOf, pass } = stopped()
  openMany('flood', begunAtOnceMax)
  pass((begunAtOnceMax / begunPerSecondMax) * 1_000)
  openMany('flood', begunAtOnceMax)
  expect(countOf('flood')).toBe(2 * begunAtOnceMax)
})
