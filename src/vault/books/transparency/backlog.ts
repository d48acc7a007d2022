import type { Log } from '../../../link/vault_log.ts'
import type { TransparencyLog } from './transparency_log.ts'

/**
 * The entries that wait for the database: the journal keeps them until they were read back. A database that stores none
 * of them would fill the disk of the journal and the memory of the vault.
 */
export type Backlog = {
  /**
   * Returns why no decision may leave that would make the backlog longer; undefined if it may. Others,
   * such as a head that the database shows, are entered all the same: they are in force anyway.
   */
  refusal(): string | undefined
}

const bytesInMb = 1_000_000

export function createBacklog(
  transparencyLog: Pick<TransparencyLog, 'keptBytes'>,
  { mbMax = Number.POSITIVE_INFINITY, log }: { readonly mbMax: number | undefined; readonly log: Pick<Log, 'warn'> },
): Backlog {
  const reason = `the database stores nothing of the transparency log, and ${mbMax} MB of it wait (CLAVIGER_LOG_WAITING_MB)`
  let isTold = false

  return {
    refusal() {
      const isFull = transparencyLog.keptBytes() >= mbMax * bytesInMb
      if (isFull && !isTold) log.warn({}, `nothing is changed or signed: ${reason}`)
      if (!isFull && isTold)
        log.warn({}, 'the database stores the transparency log again: changes and signatures go on')
      isTold = isFull
      return isFull ? reason : undefined
    },
  }
}
