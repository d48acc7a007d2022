import { expect, test } from 'vitest'
import { exportFaults } from '../support/simulation/export_faults.ts'
import { type Fault, faults } from '../support/simulation/faults.ts'
import { logFaults } from '../support/simulation/log_faults.ts'
import { simulate } from '../support/simulation/simulation.ts'

/** A fault is found by the first history that ends with an error. */
const historiesMax = 1000

test.each<Fault>([...faults, ...logFaults, ...exportFaults])(
  '$name is found',
  { timeout: 300_000 },
  async ({ name, isLying, plants, lastFoundBy, says }) => {
    const isFound = (seed: number) =>
      simulate({ seed, isLying, plants }, new Map()).then(
        () => false,
        (error) => says?.test(String(error)) ?? true,
      )
    let seed = 0
    if (await isFound(lastFoundBy)) return
    while (seed < historiesMax && !(await isFound(seed))) seed += 1
    expect(seed).toBeLessThan(historiesMax)
    process.stderr.write(`${name}: write ${seed} for ${lastFoundBy} beside the fault, because the search takes long\n`)
  },
)
