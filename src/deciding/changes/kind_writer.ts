import type { Writers } from '../../contract/define.ts'
import { type Limits, requireWithin } from '../../contract/limits.ts'
import { countingOf } from '../../contract/records/counted_kinds.ts'
import { differenceOf, type WithRecentChanges, withChanges } from '../../contract/records/recent_changes.ts'
import {
  type RecordKind,
  type RecordTypes,
  recordKinds,
  rowOf,
  type Times,
  type WithoutTimes,
} from '../../contract/records/records.ts'
import type { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { KindReader, listsOf, type Resolved, recordKey } from '../organization/organization_reader.ts'
import type { Change, PendingChanges } from './pending_changes.ts'

export type WritingTools = { readonly nowMs: number; readonly limits: Limits }

/** Returns the writers of all kinds. They note changes in `pending`. */
export function writersOf(tools: WritingTools, pending: PendingChanges, resolved: Resolved): Writers {
  return listsOf((kind) => new KindWriter(tools, pending, resolved, kind))
}

/**
 * Writes the records of one kind, with or without a secret. `Writers` types `add` and `put` correctly for each kind.
 */
class KindWriter<K extends RecordKind> extends KindReader<K> {
  readonly #tools: WritingTools
  readonly #pending: PendingChanges

  constructor(tools: WritingTools, pending: PendingChanges, resolved: Resolved, kind: K) {
    super(resolved, kind)
    this.#tools = tools
    this.#pending = pending
  }

  override find(recordId: string): RecordTypes[K] | undefined {
    const change = this.#changeOf(recordId)
    return change === undefined ? super.find(recordId) : (change.after as RecordTypes[K] | undefined)
  }

  count(): number {
    const changed = [...this.#pending.changes.values()].filter((change) => change.kind === this.kind)
    const added = changed.filter(({ before, after }) => before === undefined && after !== undefined).length
    const removed = changed.filter(({ before, after }) => before !== undefined && after === undefined).length
    return (this.#pending.head.listed.get(this.kind)?.size ?? 0) + added - removed
  }

  removedCount(): number {
    const { head, changes } = this.#pending
    const before = [...head.removed.values()].reduce((sum, recordIds) => sum + recordIds.size, 0)
    return before + [...changes.values()].filter(({ kind, after }) => kind === this.kind && after === undefined).length
  }

  add(given: WithoutTimes<RecordTypes[K]>, secret: SecretBytes | undefined): RecordTypes[K] {
    const { kind } = this
    const { nowMs, limits } = this.#tools
    const { idOf, limit } = recordKinds[kind]
    const record = this.#withTimes(given, { createdAtMs: nowMs, updatedAtMs: nowMs })
    const recordId = idOf(record)
    if (this.#changeOf(recordId) !== undefined) throw new Error(`${kind} ${recordId} was changed before`)
    this.#change({ kind, recordId, before: undefined, after: record, secret })
    // After the change is noted: if this throws, the draft still zeroes the secret.
    if (limit !== undefined) requireWithin(limits, limit, this.count())
    return record
  }

  put(given: Omit<RecordTypes[K], 'updatedAtMs'>, secret?: SecretBytes): RecordTypes[K] {
    const { kind } = this
    const { nowMs } = this.#tools
    const recordId = recordKinds[kind].idOf(given as RecordTypes[K])
    const before = this.#before(recordId)
    const record = this.#withTimes(given, {
      ...recentChangesOf(kind, { before, after: given, nowMs }),
      updatedAtMs: nowMs,
    })
    this.#change({ kind, recordId, before, after: record, secret: secret ?? this.#changeOf(recordId)?.secret })
    return record
  }

  remove(recordId: string): void {
    const { kind } = this
    if (countingOf(kind) !== undefined) throw new Error(`a ${kind} is counted, and never removed`)
    const id = recordKinds[kind].idOf(this.get(recordId))
    this.#change({ kind, recordId: id, before: this.#before(id), after: undefined, secret: undefined })
  }

  /** Returns the whole record. The types of `add` and `put` make sure that it lacks nothing but these times. */
  #withTimes(given: object, times: Partial<Times> & WithRecentChanges): RecordTypes[K] {
    const { hasTimes = true } = recordKinds[this.kind]
    return { ...given, ...(hasTimes ? times : {}) } as RecordTypes[K]
  }

  /** Returns the record as the database has it, or undefined if this draft added it. */
  #before(recordId: string): Change['before'] {
    const change = this.#changeOf(recordId)
    return change === undefined ? this.get(recordId) : change.before
  }

  #changeOf(recordId: string): Change | undefined {
    return this.#pending.changes.get(this.#keyOf(recordId))
  }

  /** Notes a change. Zeroes a secret that is replaced before it was sealed, because it has no other owner. */
  #change(change: Change): void {
    const key = this.#keyOf(change.recordId)
    const replaced = this.#pending.changes.get(key)?.secret
    if (replaced !== change.secret) replaced?.[Symbol.dispose]()
    if (change.before === undefined && change.after === undefined) this.#pending.changes.delete(key)
    else this.#pending.changes.set(key, change)
  }

  #keyOf(recordId: string): string {
    return recordKey(this.kind, recordId)
  }
}

/** The recent changes of a record that is put, where its kind keeps them and something of it changes now. */
function recentChangesOf(
  kind: RecordKind,
  { before, after, nowMs }: { readonly before: Change['before']; readonly after: object; readonly nowMs: number },
): WithRecentChanges {
  const { knownBy } = rowOf(kind)
  if (knownBy === undefined || before === undefined) return {}
  const changed = differenceOf(knownBy(before), knownBy(after as RecordTypes[RecordKind]))
  const { recentChanges = [] } = before as WithRecentChanges
  return changed.length === 0 ? {} : { recentChanges: withChanges(recentChanges, changed, nowMs) }
}
