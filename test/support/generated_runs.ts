import { vi } from 'vitest'

/** Inputs of each kind in a differential test: `CLAVIGER_GENERATED_RUNS=1000 npx vitest run src/policy`. */
export const generatedRuns = Number(process.env.CLAVIGER_GENERATED_RUNS ?? 100)

// More runs get more time.
vi.setConfig({ testTimeout: 30_000 + 100 * generatedRuns })
