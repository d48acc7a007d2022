import { vi } from 'vitest'

/** Inputs of each kind in a differential test: `CLAVIGER_GENERATED_RUNS=1000 npx vitest run src/policy`. */
export const generatedRuns = Number(process.env.CLAVIGER_GENERATED_RUNS ?? 40)

// More runs get more time, and a busy machine takes several times as long.
vi.setConfig({ testTimeout: 60_000 + 100 * generatedRuns })
