import { ReadsNeeded } from '../../deciding/organization/reads_needed.ts'
import type { Presented } from '../../link/verbs.ts'
import { type Found, type Read, type ReadSetEntry, readKey } from '../../protocol/reads.ts'
import { SealError } from '../keys/seal.ts'

/** Presented data contradicts what the vault sealed. The message is for the log and holds only ids and kinds. */
export class IntegrityError extends Error {
  override readonly name: string = 'IntegrityError'
}

/** The presented head is behind the newest on the books. A read that begins now must show at least `newestVersion`. */
export class BehindError extends IntegrityError {
  override readonly name = 'BehindError'
  readonly organizationId: string
  readonly shownVersion: number
  readonly newestVersion: number

  constructor(
    message: string,
    versions: { readonly organizationId: string; readonly shownVersion: number; readonly newestVersion: number },
  ) {
    super(message)
    this.organizationId = versions.organizationId
    this.shownVersion = versions.shownVersion
    this.newestVersion = versions.newestVersion
  }
}

/** The presented head does not lie above the newest on the books: it is on another branch. */
export class ForkError extends IntegrityError {
  override readonly name = 'ForkError'
}

/** Something that the decision rests on changed while the decision was made. It is not a failure. */
export class MovedError extends Error {
  override readonly name = 'MovedError'
  /** The organizations on whose counts the decision counts something. */
  readonly counted: readonly string[]

  constructor(message: string, counted: readonly string[] = []) {
    super(message)
    this.counted = counted
  }
}

/** Runs `unseal` and turns a `SealError` into an `IntegrityError`: an invalid seal is never the caller's mistake. */
export function whenSealed<T>(name: string, unseal: () => T): T {
  try {
    return unseal()
  } catch (cause) {
    if (cause instanceof SealError) throw new IntegrityError(`${name}: ${cause.message}`, { cause })
    throw cause
  }
}

type FoundOf<K extends Read['read']> = Extract<Found, { read: K }>

/**
 * The data that the service presented for one request. A missing read ends the decision with `ReadsNeeded`. The
 * decision is then made again from the start with more evidence. Therefore nothing before the commit may have an
 * effect that a second decision would repeat.
 */
export type Evidence = {
  find<K extends Read['read']>(read: Extract<Read, { read: K }>): FoundOf<K>
  /** Throws one `ReadsNeeded` for all reads that are missing. */
  askFor(reads: readonly Read[]): void
  /** Adds an entry to the read set: the decision rests on it. */
  rely(entry: ReadSetEntry): void
  readSet(): readonly ReadSetEntry[]
  /** Notes that an answer tells of this organization's newest head, although the decision does not rest on it. */
  showHeadOf(organizationId: string): void
  /** The organizations whose heads an answer rests on or tells of. */
  organizationIds(): readonly string[]
  /** Throws the error, but in a trial. A trial goes on with another head than the presented one. */
  noteBehind(error: BehindError): void
  /** The first error that was noted in a trial. */
  behind(): BehindError | undefined
}

/** An answer that the vault knows from an earlier request. A decision that uses it relies on `entry`. */
export type Recalled = { readonly found: Found; readonly entry: ReadSetEntry | undefined }

type EvidenceOptions = {
  /** Answers some of the reads that were not presented. */
  readonly recall?: (read: Read) => Recalled | undefined
  readonly isTrial?: boolean
}

export function createEvidence(
  presented: readonly Presented[],
  { recall = () => undefined, isTrial = false }: EvidenceOptions = {},
): Evidence {
  const found = new Map(presented.map((item) => [readKey(item.read), item.found]))
  const readSet = new Map<string, ReadSetEntry>()
  const recalled = new Map<string, ReadSetEntry>()
  const shown = new Set<string>()
  let behind: BehindError | undefined

  function answerTo(read: Read): Found | undefined {
    const key = readKey(read)
    const answer = found.get(key)
    if (answer !== undefined) return answer
    const known = recall(read)
    if (known === undefined) return undefined
    // The answer is kept, so that one decision sees one state: the memory may change while the decision waits.
    found.set(key, known.found)
    if (known.entry !== undefined) recalled.set(entryKey(known.entry), known.entry)
    return known.found
  }

  return {
    find<K extends Read['read']>(read: Extract<Read, { read: K }>) {
      const answer = answerTo(read)
      if (answer === undefined) throw new ReadsNeeded([read])
      if (!isAnswerTo(read.read, answer)) throw new IntegrityError(`a ${read.read} read was answered as ${answer.read}`)
      return answer
    },
    askFor(reads) {
      const missing = reads.filter((read) => answerTo(read) === undefined)
      if (missing.length > 0) throw new ReadsNeeded(missing)
    },
    rely(entry) {
      readSet.set(entryKey(entry), entry)
    },
    // The entry of a recalled row replaces the entry of `rely`: it also has the digest of the record, or the rows.
    readSet: () => [...new Map([...readSet, ...recalled]).values()],
    showHeadOf(organizationId) {
      shown.add(organizationId)
    },
    organizationIds: () => [
      ...shown,
      ...[...readSet.values(), ...recalled.values()].flatMap((entry) =>
        entry.of === 'head' ? [entry.organizationId] : [],
      ),
    ],
    noteBehind(error) {
      if (!isTrial) throw error
      behind ??= error
    },
    behind: () => behind,
  }
}

function isAnswerTo<K extends Read['read']>(kind: K, found: Found): found is FoundOf<K> {
  return found.read === kind
}

function entryKey(entry: ReadSetEntry): string {
  switch (entry.of) {
    case 'head':
      return `head ${entry.organizationId}`
    case 'record':
      return `record ${entry.organizationId} ${entry.kind} ${entry.recordId}`
    case 'lookup':
      return `lookup ${entry.organizationId} ${entry.lookup} ${entry.key}`
    case 'request':
      return `request ${entry.organizationId} ${entry.requestKey}`
  }
}
