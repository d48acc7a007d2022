import type { FileHandle } from 'node:fs/promises'
import { createStampsCheck } from './check_stamps.ts'
import type { StepResult } from './findings.ts'
import { createReplay } from './replay.ts'
import { type ChainReading, type ChainResult, verifyChain } from './verify_chain.ts'

/** The outcome of each step. */
export type Verified = { readonly chain: ChainResult; readonly stamps: StepResult }

/** Verifies an export in all steps, in one reading of the file. */
export async function verifyExport(file: FileHandle, reading: Omit<ChainReading, 'onEntry'>): Promise<Verified> {
  let stamps: ReturnType<typeof createStampsCheck> | undefined
  let replay: ReturnType<typeof createReplay> | undefined
  const chain = await verifyChain(file, {
    ...reading,
    async onEntry(placed) {
      replay ??= createReplay(placed.entry.organizationId)
      stamps ??= createStampsCheck(placed.entry.organizationId, replay)
      await stamps.add(placed)
      replay.apply(placed)
    },
  })
  const nothing = { checked: 0, notChecked: {}, findings: [], findingsCount: 0 }
  return { chain, stamps: stamps?.result() ?? nothing }
}
