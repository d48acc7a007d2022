import { bytesToHex } from '@noble/hashes/utils.js'
import type { Steps } from '../../../protocol/tools/steps.ts'
import type { Contradiction } from '../contradiction.ts'
import { areDeclaredAlike, type Declared } from './declared_alike.ts'
import { overlapsIn } from './overlaps.ts'
import { openSolanaProgram, type SolanaProgram } from './solana_program.ts'

/**
 * Returns the first instruction that `added` declares in another way than one of `kept`. Instructions are also different
 * if the discriminator of one begins with that of the other.
 */
export function* idlContradiction(added: string, kept: readonly string[]): Steps<Contradiction | undefined> {
  const addedProgram = yield* openSolanaProgram(added)
  for (const [index, idl] of kept.entries()) {
    yield
    const functionName = yield* contradictionBetween(addedProgram, yield* openSolanaProgram(idl))
    if (functionName !== undefined) return { index, functionName }
  }
  return undefined
}

function* contradictionBetween(added: SolanaProgram, kept: SolanaProgram): Steps<string | undefined> {
  yield
  const all = [...declaredBy(added), ...declaredBy(kept)]
  for (const [first, second] of overlapsIn(all, ({ instruction }) => bytesToHex(instruction.discriminator))) {
    if (first.program === second.program || (yield* areDeclaredAlike(first, second))) continue
    return (first.program === added ? first : second).instruction.name
  }
  return undefined
}

function declaredBy(program: SolanaProgram): readonly Declared[] {
  return program.instructions.map((instruction) => ({ program, instruction }))
}
