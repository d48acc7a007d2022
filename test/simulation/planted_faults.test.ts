import { expect, test } from 'vitest'
import { faults } from '../support/simulation/faults.ts'
import { simulate } from '../support/simulation/simulation.ts'

/** A fault is found by the first history that ends with an error. */
const historiesMax = 1000

test.each(faults)('$name is found', { timeout: 300_000 }, async ({ isLying, plants }) => {
  let foundBy: number | undefined
  for (let seed = 0; seed < historiesMax && foundBy === undefined; seed += 1) {
    await simulate({ seed, isLying, plants }, new Map()).catch(() => {
      foundBy = seed
    })
  }
  expect(foundBy).toBeDefined()
})
