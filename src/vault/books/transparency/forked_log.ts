import type { Checkpoint } from '../../../protocol/log/notes/checkpoint.ts'
import { isSameHash } from '../../../protocol/log/tree/tree.ts'
import type { TransparencyLog } from './transparency_log.ts'

const remedy =
  'let one server run, put the newest copy of the journal’s folder back and start again; if it is gone, move the folder away'

/**
 * Whether the log has signed a tree that this journal does not continue. Its journal is an older copy then, or another
 * vault runs on a copy. All that it would enter and sign would be a second history.
 */
export type ForkedLog = {
  /** Compares a checkpoint that the log has signed. */
  see(checkpoint: Pick<Checkpoint, 'size' | 'root'>): void
  /** Says how the tree differs, and how to mend it. Once it does, it stays so until the vault ends. */
  reason(): string | undefined
}

export function createForkedLog(log: Pick<TransparencyLog, 'tree' | 'rootAt'>): ForkedLog {
  let reason: string | undefined
  return {
    see({ size, root }) {
      const own = log.tree().size
      const known = log.rootAt(size)
      if (size > own) {
        reason ??= forkedBy(
          `it has signed a tree of ${size} entries, and the journal has ${own} of them, so that is an older copy`,
        )
      } else if (known !== undefined && !isSameHash(known, root)) {
        reason ??= forkedBy(
          `it has signed another tree of ${size} entries than that of the journal, so that is an older copy, or a vault runs on a copy of it`,
        )
      }
    },
    reason: () => reason,
  }
}

function forkedBy(difference: string): string {
  return `the transparency log has forked: ${difference}; ${remedy}`
}
