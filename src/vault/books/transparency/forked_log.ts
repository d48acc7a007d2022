import type { Checkpoint } from '../../../protocol/log/checkpoint.ts'
import { isSameHash } from '../../../protocol/log/tree.ts'
import type { TransparencyLog } from './transparency_log.ts'

/**
 * Whether the log has signed a tree that this journal does not continue. Its journal is an older copy then, or another
 * vault runs on a copy. All that it would enter and sign would be a second history.
 */
export type ForkedLog = {
  /** Compares a checkpoint that the log has signed. */
  see(checkpoint: Pick<Checkpoint, 'size' | 'root'>): void
  /** Says how the tree differs. Once it does, it stays so until the vault ends. */
  reason(): string | undefined
}

export function createForkedLog(log: Pick<TransparencyLog, 'tree' | 'rootAt'>): ForkedLog {
  let reason: string | undefined
  return {
    see({ size, root }) {
      const own = log.tree().size
      const known = log.rootAt(size)
      if (size > own) {
        reason ??= `the transparency log has signed a tree of ${size} entries, and the journal has ${own} of them: it is an older copy`
      } else if (known !== undefined && !isSameHash(known, root)) {
        reason ??= `the transparency log has signed another tree of ${size} entries than that of the journal: it is an older copy, or a vault runs on a copy of it`
      }
    },
    reason: () => reason,
  }
}
