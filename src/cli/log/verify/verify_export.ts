import type { FileHandle } from 'node:fs/promises'
import { type ChainReading, type ChainResult, verifyChain } from './chain/verify_chain.ts'
import { createChangesCheck } from './check_changes.ts'
import { createResultsCheck } from './check_results.ts'
import { createStampsCheck } from './check_stamps.ts'
import { createOutcomes, type StepResult, unreadable } from './findings.ts'
import { createReplay } from './replay.ts'
import { createRulesCheck } from './rules/check_rules.ts'

/** The outcome of each step. */
export type Verified = { readonly chain: ChainResult } & Readonly<Record<Step, StepResult>>

type Step = 'stamps' | 'rules' | 'changes' | 'results'

/** Verifies an export in all steps, in one reading of the file. */
export async function verifyExport(file: FileHandle, reading: Omit<ChainReading, 'onEntry'>): Promise<Verified> {
  let steps: ReturnType<typeof createSteps> | undefined
  const chain = await verifyChain(file, {
    ...reading,
    async onEntry(placed, logs) {
      steps ??= createSteps(placed.entry.organizationId, logs)
      const { replay, stamps, rules, changes, results } = steps
      replay.meet(placed)
      const isStampWrong = await stamps.add(placed)
      await changes.add(placed, await rules.add(placed, { isStampWrong }))
      results.add(placed)
      try {
        replay.apply(placed)
      } catch (error) {
        stamps.note(placed, unreadable(error))
      }
    },
  })
  const nothing = createOutcomes().result()
  const resultOf = (step: Step) => steps?.[step].result() ?? nothing
  const [stamps, rules] = [resultOf('stamps'), resultOf('rules')]
  return { chain, stamps, rules, changes: resultOf('changes'), results: resultOf('results') }
}

function createSteps(organizationId: string, logs: number) {
  const replay = createReplay(organizationId)
  return {
    replay,
    stamps: createStampsCheck(organizationId, replay),
    rules: createRulesCheck(organizationId, replay, { logs }),
    changes: createChangesCheck(replay.organization, { logs }),
    results: createResultsCheck(replay),
  }
}
