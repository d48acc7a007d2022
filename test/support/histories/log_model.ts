import type { LogEntry, LoggedFact, LoggedHead } from '../../../src/protocol/log/log_entry.ts'

/** A head with the whole line below it, oldest first, which no vault knows. */
export type ModelHead = LoggedHead & {
  readonly organizationId: string
  readonly changeKey: string
  readonly maker: string
  readonly line: readonly ModelHead[]
}

export type Compared = 'newest' | 'above' | 'behind' | 'fork'

/** All that the vault has in its memory, or would find on its disk. A state is never changed. */
type State = {
  readonly journalId: string
  readonly entries: readonly LogEntry[]
  /** So many entries are forgotten. */
  readonly forgotten: number
  /** The size of the newest checkpoint. */
  readonly signed: number
  readonly newest: ReadonlyMap<string, ModelHead>
}

/**
 * The rules of the transparency log as plain lists: what the books of one journal must hold, in memory and on the disk.
 * It knows nothing of trees, bundles, frames or places.
 */
export function createLogModel(journalId: string, { nowMs }: { readonly nowMs: number }) {
  let memory: State = { journalId, entries: [], forgotten: 0, signed: 0, newest: new Map() }
  let disk = memory
  /** The entries of heads that were decided here, by tag. */
  const decided = new Map<string, readonly LoggedFact[]>()
  const taken = new Set<string>()

  function enter(facts: readonly LoggedFact[]): void {
    for (const fact of facts) {
      const own = (entry: LogEntry) => entry.organizationId === fact.organizationId
      const number = memory.entries.filter(own).length + 1
      const before = number === 1 ? undefined : memory.entries.findLastIndex(own)
      memory = { ...memory, entries: [...memory.entries, { ...fact, number, before }] }
    }
  }

  /** A head is above the newest if the newest is in its line. */
  function compare(head: ModelHead): Compared {
    const newest = memory.newest.get(head.organizationId)
    if (newest === undefined) return 'above'
    if (head.version < newest.version) return 'behind'
    if (head.tag === newest.tag) return 'newest'
    return head.line.some(({ tag }) => tag === newest.tag) ? 'above' : 'fork'
  }

  /** The newest head of this journal that the head shows gets its entry now, unless it has one. */
  function takeUp(head: ModelHead): void {
    const own = [...head.line, head].findLast(({ maker }) => maker === memory.journalId)
    const isEntered = own === undefined || memory.entries.some(({ makes }) => makes?.tag === own.tag)
    if (!isEntered) enter(decided.get(own.tag) ?? [{ ...takenUp(own), atMs: nowMs }])
    memory = { ...memory, newest: new Map(memory.newest).set(head.organizationId, head) }
    for (const { tag } of [...head.line, head]) if (decided.has(tag)) taken.add(tag)
  }

  return {
    memory: () => memory,
    disk: () => disk,
    enter,
    take(head: ModelHead): Compared {
      const compared = compare(head)
      if (compared === 'above') takeUp(head)
      return compared
    },
    /** A vault knows of a line only the newest head of each journal, and may leave what another one made. */
    mayLeave(head: ModelHead): boolean {
      const newest = memory.newest.get(head.organizationId)
      const own = newest?.line.filter(({ maker }) => maker === memory.journalId) ?? []
      return newest?.maker !== memory.journalId && own.every(({ tag }) => head.line.some((each) => each.tag === tag))
    },
    leave: takeUp,
    decide: (head: ModelHead, facts: readonly LoggedFact[]) => decided.set(head.tag, facts),
    isTaken: (tag: string) => taken.has(tag),
    dismiss: (tag: string) => decided.delete(tag),
    forget(count: number): void {
      memory = { ...memory, forgotten: memory.forgotten + count }
    },
    sign(size: number): void {
      memory = { ...memory, signed: size }
    },
    restore(id: string): void {
      memory = { ...memory, journalId: id, newest: new Map() }
    },
    /** All that is in memory is on disk. */
    frame(): void {
      disk = memory
    },
    /** The process is gone. The entries with these indexes are found beside the frames. Returns how many are worthless. */
    die(survivors: readonly number[]): number {
      const before = memory.entries
      memory = disk
      for (const index of survivors) {
        const entry = before[index]
        if (index === memory.entries.length && entry !== undefined)
          memory = { ...memory, entries: [...memory.entries, entry] }
      }
      disk = memory
      decided.clear()
      taken.clear()
      return survivors.filter((index) => index >= memory.entries.length).length
    },
  }
}

/** All that is known of a change that was committed, and that a process did not confirm before it died. */
function takenUp({ organizationId, changeKey, version, tag }: ModelHead): Omit<LoggedFact, 'atMs'> {
  const known = { organizationId, changeKey, activity: undefined, restsOn: undefined, makes: { version, tag } }
  return { ...known, isLate: true, isTakenUp: true }
}
