import type { Log } from '../process/log.ts'
import type { WitnessSays } from './ask_witness.ts'
import type { OwnWitness } from './own_witnesses.ts'

/** A witness that fails has a pause, which grows from one to the other. */
const pauseMsMin = 1_000
const pauseMsMax = 60_000

/** A witness as this node remembers it. After a start it knows nothing of it. */
export type RememberedWitness = {
  readonly witness: OwnWitness
  /** The size of the tree that it has cosigned last, as far as is known. */
  old(): number
  /** Whether it is to be asked about the checkpoint with this text now. */
  isDue(text: string): boolean
  /** It has cosigned a tree of this size. */
  succeed(text: string, size: number): void
  fail(trouble: Exclude<WitnessSays, { kind: 'cosigned' }>): void
  /** Why it does not cosign; undefined if it does. */
  trouble(): string | undefined
}

/** The log has a line when a witness fails, when it contradicts, and when it cosigns again. */
export function rememberWitness(witness: OwnWitness, log: Log, more: object = {}): RememberedWitness {
  const about = { witness: witness.url, ...more }
  let cosigned = { size: 0, text: '' }
  let failures = 0
  let nextTurnMs = 0
  let trouble: Parameters<RememberedWitness['fail']>[0] | undefined

  return {
    witness,
    old: () => cosigned.size,
    isDue: (text) => cosigned.text !== text && performance.now() >= nextTurnMs,
    succeed(text, size) {
      cosigned = { size, text }
      if (trouble !== undefined) log.info(about, 'a witness cosigns again')
      trouble = undefined
      failures = 0
    },
    fail(said) {
      const line = { ...about, reason: said.reason }
      if (said.kind !== trouble?.kind) {
        if (said.kind === 'failed') log.warn(line, 'a witness does not cosign')
        else log.error(line, 'a witness contradicts the transparency log: was its journal set back?')
      }
      trouble = said
      nextTurnMs = performance.now() + Math.min(pauseMsMax, pauseMsMin * 2 ** failures)
      failures += 1
    },
    trouble: () => trouble && `the witness ${witness.url} does not cosign: ${trouble.reason}`,
  }
}
