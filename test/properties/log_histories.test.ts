import { expect, test } from 'vitest'
import { type Happened, playLogHistory } from '../support/histories/log_history.ts'

/** How many in all. `CLAVIGER_CASES` is for a long look (CONTRIBUTING.md); `CLAVIGER_TEST_SEED` plays the one history that was named. */
const histories = Number(process.env.CLAVIGER_CASES ?? 1000)
const onlySeed = process.env.CLAVIGER_TEST_SEED

const often = [
  ...['left', 'confirmed', 'checkpoint shown', 'a head is above', 'vault died', 'power lost'],
  'entries lost with the power',
]
const sometimes = ['bundle forgotten', 'worthless entries', 'restored', 'refused']

test.each([
  { on: 'on an honest database', isHostile: false },
  { on: 'on a database that drops, alters and rolls back', isHostile: true },
])(
  'the books keep the transparency log as its model says, $on',
  {
    timeout: 60_000 + histories * 100,
  },
  async ({ isHostile }) => {
    const count = Math.ceil(histories / 2)
    const happened: Happened = new Map()
    const seeds = onlySeed === undefined ? Array.from({ length: count }, (_, index) => index) : [Number(onlySeed)]
    for (const seed of seeds) {
      await playLogHistory({ seed, isHostile }, happened).catch((cause) => {
        throw new Error(`in the history of CLAVIGER_TEST_SEED=${seed}`, { cause })
      })
    }
    if (onlySeed !== undefined) return
    for (const what of often) expect(happened.get(what), what).toBeGreaterThan(count / 10)
    for (const what of sometimes) expect(happened.get(what), what).toBeGreaterThan(count / 100)
    expect(happened.has('a head is fork')).toBe(isHostile)
  },
)
