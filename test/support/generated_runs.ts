import { vi } from 'vitest'

/** How many inputs a differential test makes of each kind: `CLAVIGER_GENERATED_RUNS=1000 npx vitest run src/policy`. */
export const generatedRuns = Number(process.env.CLAVIGER_GENERATED_RUNS ?? 100)

// Whoever asks for more runs has the time for them.
vi.setConfig({ testTimeout: 30_000 + 100 * generatedRuns })
