import { describe, expect, test } from 'vitest'
import { type Happened, type HistoryOptions, playHistory } from '../support/histories/history.ts'

/** How many in all. `CLAVIGER_CASES` is for a long look (CONTRIBUTING.md); `CLAVIGER_TEST_SEED` plays the one history that was named. */
const histories = Number(process.env.CLAVIGER_CASES ?? 1000)
const onlySeed = process.env.CLAVIGER_TEST_SEED

async function play(count: number, optionsOf: (seed: number) => Omit<HistoryOptions, 'seed'>): Promise<Happened> {
  const happened: Happened = new Map()
  const seeds = onlySeed === undefined ? Array.from({ length: count }, (_, index) => index) : [Number(onlySeed)]
  for (const seed of seeds) {
    try {
      await playHistory({ ...optionsOf(seed), seed }, happened)
    } catch (cause) {
      throw new Error(`in the history of CLAVIGER_TEST_SEED=${seed}`, { cause })
    }
  }
  return happened
}

describe('what is acknowledged stays, nothing is done twice and no limit is exceeded', () => {
  for (const { by, part, isHostile, nodesOf } of [
    { by: 'by one vault, whatever a hostile database shows and says', part: 0.4, isHostile: true, nodesOf: () => 1 },
    { by: 'by one vault with an honest database, without an incident', part: 0.2, isHostile: false, nodesOf: () => 1 },
    {
      by: 'by each of two or three vaults, whatever a hostile database shows and says',
      ...{ part: 0.2, isHostile: true, nodesOf: (seed: number) => 2 + (seed % 2) },
    },
    {
      by: 'by two or three vaults with one honest database, without an incident',
      ...{ part: 0.2, isHostile: false, nodesOf: (seed: number) => 2 + (seed % 2) },
    },
  ]) {
    const count = Math.ceil(part * histories)
    test(by, { timeout: 60_000 + count * 100 }, async () => {
      const happened = await play(count, (seed) => ({ nodes: nodesOf(seed), isHostile }))
      if (onlySeed !== undefined) return
      for (const what of ['answered 200', 'answered 403', 'answered 503', 'power lost', 'vault died']) {
        expect(happened.get(what), what).toBeGreaterThan(count / 10)
      }
      expect(happened.has('incident')).toBe(isHostile)
    })
  }
})
