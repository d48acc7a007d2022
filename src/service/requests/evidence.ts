import type { Presented } from '../../link/verbs.ts'
import type { Read } from '../../protocol/reads.ts'
import type { Store } from '../store/store.ts'
import type { DroppableEvidence } from '../vault/client.ts'
import type { DatabaseUse } from './database_use.ts'
import { presentedOf, rowsBehind } from './presented.ts'

/**
 * Larger activities are not read for a request that nobody has verified: a stranger could have megabytes read and sent
 * with each small vote. The vault asks for the activity once it has verified the stamp.
 */
const prefetchedActivityBytesMax = 65_536

/** The evidence that the vault gets for one request. A request that waits may keep only the names of the records. */
export type Evidence = DroppableEvidence & {
  /** Looks up more. `isGuess`: the vault has not asked for these reads, so they leave large activities out. */
  add(reads: readonly Read[], options: { readonly isGuess: boolean }): Promise<void>
  /**
   * Whether an activity that was looked up is there by now, or is newer. The lookups of one decision come one after the
   * other. Where another node answers the same bytes in between, the decision finds what the activity has changed, but
   * not the activity: such a refusal says that a request has failed which has not.
   */
  isOvertaken(): Promise<boolean>
}

/** Lookups reject with `StoreUnavailable`. */
export function createEvidence(store: Pick<Store, 'find' | 'activityBytes'>, database: DatabaseUse): Evidence {
  const asked: Read[] = []
  const versions = new Map<Read, number | undefined>()
  let found: readonly Presented[] = []

  async function find(reads: readonly Read[]): Promise<readonly Presented[]> {
    const rows = await database.read(store.find(reads))
    return reads.map((read, index) => presentedOf(read, rows[index]))
  }

  async function withoutLarge(reads: readonly Read[]): Promise<readonly Read[]> {
    const kept: Read[] = []
    for (const read of reads) {
      const bytes = read.read === 'activity' ? await database.read(store.activityBytes(read)) : 0
      if (bytes <= prefetchedActivityBytesMax) kept.push(read)
    }
    return kept
  }

  async function add(given: readonly Read[], options: { readonly isGuess: boolean }): Promise<void> {
    const reads = options.isGuess ? await withoutLarge(given) : given
    const presented = await find(reads)
    asked.push(...reads)
    for (const one of presented.filter(isOfActivity)) versions.set(one.read, versionOf(one))
    found = [...found, ...presented]
    const followed = presented.flatMap(rowsBehind)
    if (followed.length > 0) await add(followed, options)
  }

  return {
    add,
    found: () => found,
    drop() {
      found = []
    },
    async load() {
      found = await find(asked)
    },
    async isOvertaken() {
      if (versions.size === 0) return false
      const now = await find([...versions.keys()])
      return now.some((one) => versionOf(one) !== versions.get(one.read))
    },
  }
}

function isOfActivity({ read }: Presented): boolean {
  return read.read === 'request' || read.read === 'activity'
}

function versionOf({ found }: Presented): number | undefined {
  return found.read === 'request' || found.read === 'activity' ? found.row?.version : undefined
}
