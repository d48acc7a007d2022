import type { FileHandle } from 'node:fs/promises'
import { createResultsCheck } from './check_results.ts'
import { createStampsCheck } from './check_stamps.ts'
import { createOutcomes, type StepResult, unreadable } from './findings.ts'
import { createReplay } from './replay.ts'
import { type ChainReading, type ChainResult, verifyChain } from './verify_chain.ts'

/** The outcome of each step. */
export type Verified = { readonly chain: ChainResult; readonly stamps: StepResult; readonly results: StepResult }

/** Verifies an export in all steps, in one reading of the file. */
export async function verifyExport(file: FileHandle, reading: Omit<ChainReading, 'onEntry'>): Promise<Verified> {
  let steps: ReturnType<typeof createSteps> | undefined
  const chain = await verifyChain(file, {
    ...reading,
    async onEntry(placed) {
      steps ??= createSteps(placed.entry.organizationId)
      const { replay, stamps, results } = steps
      await stamps.add(placed)
      results.add(placed)
      try {
        replay.apply(placed)
      } catch (error) {
        stamps.note(placed, unreadable(error))
      }
    },
  })
  const nothing = createOutcomes().result()
  return { chain, stamps: steps?.stamps.result() ?? nothing, results: steps?.results.result() ?? nothing }
}

function createSteps(organizationId: string) {
  const replay = createReplay(organizationId)
  return { replay, stamps: createStampsCheck(organizationId, replay), results: createResultsCheck(replay) }
}
