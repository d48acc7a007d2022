import type { ScrubFound, ScrubWanted } from '../../../link/scrubbing.ts'
import { type Found, type Read, readKey } from '../../../protocol/reads.ts'

export type Scrubbing<T> = AsyncGenerator<ScrubWanted, T, ScrubFound>

type Of<Kind extends Read['read']> = Extract<Found, { readonly read: Kind }>

/** Asks for rows and takes each as it comes: all of them at once may be many megabytes. */
export async function* readRows<K extends 'activity' | 'record' | 'head'>(
  kind: K,
  reads: readonly Extract<Read, { readonly read: K }>[],
  take: (key: string, found: Of<K>) => void,
): Scrubbing<void> {
  const missing = new Map<string, Read>(reads.map((read) => [readKey(read), read]))
  while (missing.size > 0) {
    const answer = yield { of: 'rows', reads: [...missing.values()] }
    const before = missing.size
    for (const { read, found } of answer.of === 'rows' ? answer.presented : []) {
      const key = readKey(read)
      if (found.read === kind && missing.delete(key)) take(key, found as Of<K>)
    }
    if (missing.size === before) throw new Error('the service has found no row that was wanted')
  }
}
