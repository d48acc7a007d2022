import { type Read, readKey } from '../../protocol/reads.ts'

/** The decision cannot go on before these reads have been made. It is not a failure. */
export class ReadsNeeded extends Error {
  override readonly name = 'ReadsNeeded'
  readonly reads: readonly Read[]

  constructor(reads: readonly Read[]) {
    super('reads needed')
    this.reads = [...new Map(reads.map((read) => [readKey(read), read])).values()]
  }
}

/** Runs all tasks. If any lacks reads, throws one `ReadsNeeded` for all of them, to save a round for each task. */
export function together<T>(tasks: readonly (() => T)[]): readonly T[] {
  const needed: Read[] = []
  const results: T[] = []
  for (const task of tasks) {
    try {
      results.push(task())
    } catch (error) {
      if (!(error instanceof ReadsNeeded)) throw error
      needed.push(...error.reads)
    }
  }
  if (needed.length > 0) throw new ReadsNeeded(needed)
  return results
}
