import { describe, expect, test } from 'vitest'
import { type Happened, simulate } from '../support/simulation/simulation.ts'

/** How many in all. `CLAVIGER_CASES` is for a long look (CONTRIBUTING.md); `CLAVIGER_TEST_SEED` plays the one history that was named. */
const histories = Number(process.env.CLAVIGER_CASES ?? 200)
const onlySeed = process.env.CLAVIGER_TEST_SEED

async function play(count: number, isLying: boolean): Promise<Happened> {
  const happened: Happened = new Map()
  const seeds = onlySeed === undefined ? Array.from({ length: count }, (_, index) => index) : [Number(onlySeed)]
  for (const seed of seeds) {
    try {
      await simulate({ seed, isLying }, happened)
    } catch (cause) {
      throw new Error(`in the history of CLAVIGER_TEST_SEED=${seed}`, { cause })
    }
  }
  return happened
}

const often = ['answered 200', 'answered 403', 'answered 503', 'power lost', 'vault died']
const done = [
  ...['sign_raw_payload', 'create_api_keys', 'delete_api_keys', 'update_root_quorum', 'approve_activity'],
  ...['reject_activity', 'verify_otp', 'otp_login', 'sign_transaction', 'create_sub_organization', 'create_user_tag'],
  'init_import_private_key',
]
const ofTheLog = ['checkpoint shown', 'bundle forgotten', 'head entered when it was taken up']
const ofExports = ['stamp verified', 'decided again']

describe('two nodes whose vaults and machines die keep what they promise', () => {
  for (const { on, part, isLying } of [
    { on: 'on an honest database, without an incident', part: 0.6, isLying: false },
    { on: 'each for itself, whatever a lying database shows and says', part: 0.4, isLying: true },
  ]) {
    const count = Math.ceil(part * histories)
    test(on, { timeout: 60_000 + count * 1_000 }, async () => {
      const happened = await play(count, isLying)
      if (onlySeed !== undefined) return
      for (const what of often) expect(happened.get(what), what).toBeGreaterThan(count / 10)
      // Few votes get through a lying database, and fewer of them reject.
      const surely = isLying ? done.filter((name) => name !== 'reject_activity') : done
      for (const name of surely) expect(happened.get(`did ${name}`), name).toBeGreaterThan(count / 200)
      for (const what of ofTheLog) expect(happened.get(what), what).toBeGreaterThan(count / 100)
      if (!isLying) for (const what of ofExports) expect(happened.get(what), what).toBeGreaterThan(count)
      expect(happened.has('incident')).toBe(isLying)
    })
  }
})

test.each([false, true])('a seed repeats a history, with a lying database: %s', async (isLying) => {
  for (let seed = 0; seed < 3; seed += 1) {
    const [one, other]: [string[], string[]] = [[], []]
    await simulate({ seed, isLying }, new Map(), one)
    await simulate({ seed, isLying }, new Map(), other)
    expect(one.length).toBeGreaterThan(10)
    expect(other).toEqual(one)
  }
})
