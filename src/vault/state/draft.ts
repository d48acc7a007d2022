import type { ChildWriter, EventToSendAgain, OrganizationWriter, Quorum, Writers } from '../../contract/define.ts'
import { type Limits, requireWithin } from '../../contract/limits.ts'
import { countingOf } from '../../contract/records/counted_kinds.ts'
import type { PublicChanges } from '../../contract/records/public_changes.ts'
import { differenceOf, type WithRecentChanges, withChanges } from '../../contract/records/recent_changes.ts'
import {
  type RecordKind,
  type RecordTypes,
  recordKinds,
  rowOf,
  type Times,
  type WithoutTimes,
} from '../../contract/records/records.ts'
import {
  KindReader,
  listsOf,
  nothingYet,
  organizationFactsOf,
  type Resolved,
  type ResolvedOrganization,
  readerOf,
  recordKey,
} from '../../deciding/organization/organization_reader.ts'
import type { Addition } from '../../deciding/rules/counts.ts'
import type { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import type { Commit } from '../../protocol/reads.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import type { OutgoingMessage } from '../../protocol/wire/outgoing_messages.ts'
import type { Seals } from '../keys/seal.ts'
import { type Change, changesOf, type MadeHead, type PendingChanges } from './changes.ts'
import type { Evidence } from './evidence.ts'
import type { Head, LineageOf } from './head.ts'
import type { Organization } from './organization.ts'
import { createOutbox } from './outbox.ts'
import type { ResolvedNeeds } from './resolve.ts'

/**
 * The changes of an operation. They are collected while the operation runs, and sealed when it has succeeded. They have
 * no effect before the commit that `changes` describes is on disk.
 */
export type Draft = {
  readonly writer: OrganizationWriter
  send(message: OutgoingMessage): void
  sendAgain(event: EventToSendAgain): string
  /** Deletes the organization with everything in it. */
  end(): void
  /** The changes in the operation's own organization. */
  readonly written: Written
  /** Seals everything that changed. The result is empty if the operation changed nothing. */
  changes(): Promise<Changes>
  /** Zeroes the secrets of added and changed records. Call it even if the operation failed. */
  dispose(): void
}

export type Written = Pick<PendingChanges, 'changes' | 'renamedTo' | 'rootQuorum'>

/** The rows that are written, the heads that were made, and the amounts that are counted. */
export type Changes = Pick<Commit, 'heads' | 'records' | 'lookups' | 'outbox' | 'erasures'> & {
  readonly made: readonly MadeHead[]
  readonly additions: readonly Addition[]
  readonly documented: readonly PublicChanges[]
}

type Tools = {
  readonly seals: Seals
  readonly evidence: Evidence
  readonly nowMs: number
  readonly limits: Limits
  readonly newId: () => string
  readonly lineageOf: LineageOf
  readonly pause: Pause
}

export function createDraft(tools: Tools, resolved: ResolvedNeeds): Draft {
  const { own, parent } = resolved
  const ownPending = noChanges(own.organization.head, own.organization)
  const allPending: PendingChanges[] = [ownPending]
  const outbox = createOutbox(tools, own.organization.head.organizationId)

  const { activities, deliveries, found, holders, signer } = readerOf(resolved)
  const writer: OrganizationWriter = Object.assign(writersOf(tools, ownPending, own.resolved), {
    ...organizationFactsOf(own.organization),
    activities,
    deliveries,
    found,
    holders,
    signer,
    rename(organizationName: string) {
      ownPending.renamedTo = organizationName
    },
    setRootQuorum(rootQuorum: Quorum) {
      ownPending.rootQuorum = rootQuorum
    },
    createChild({ organizationName }: { readonly organizationName: string }) {
      const child = newOrganization(tools, { organizationName, parentId: own.organization.head.organizationId })
      allPending.push(child.pending)
      return child.writer
    },
    parent: parent && parentWriter(parent),
  })

  function parentWriter({ organization, resolved }: ResolvedOrganization<Organization>): OrganizationWriter['parent'] {
    const pending = noChanges(organization.head, organization)
    allPending.push(pending)
    return Object.assign(writersOf(tools, pending, resolved), organizationFactsOf(organization))
  }

  return {
    writer,
    written: ownPending,
    send: outbox.send,
    sendAgain({ deliveryId, url }) {
      const delivery = own.resolved.deliveries.find(({ messageId }) => messageId === deliveryId)
      if (delivery === undefined) throw new Error(`delivery ${deliveryId} is not among the operation's needs`)
      return outbox.sendAgain({ delivery, url, nowMs: tools.nowMs })
    },
    end() {
      ownPending.isEnded = true
    },
    changes: async () => ({ ...(await changesOf(tools, allPending)), outbox: outbox.rows() }),
    dispose: () => disposeSecrets(allPending),
  }
}

/** Makes a draft of a new organization without a parent. Only the operator makes these; no request does. */
export function createRootDraft(tools: Tools, organizationName: string) {
  const { pending, writer } = newOrganization(tools, { organizationName, parentId: undefined })
  return { writer, changes: () => changesOf(tools, [pending]) }
}

function newOrganization(
  tools: Tools,
  { organizationName, parentId }: { readonly organizationName: string; readonly parentId: string | undefined },
): { pending: PendingChanges; writer: ChildWriter } {
  const { evidence, newId, nowMs } = tools
  const organizationId = newId()
  evidence.rely({ of: 'head', organizationId, version: undefined, tag: undefined })
  const head = {
    organizationId,
    parentId,
    organizationName,
    rootQuorum: { threshold: 0, userIds: [] },
    version: 0,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    listed: new Map(),
    removed: new Map(),
  }
  const pending = noChanges(head, undefined)
  const writer: ChildWriter = Object.assign(writersOf(tools, pending, nothingYet()), {
    organizationId,
    setRootQuorum(rootQuorum: Quorum) {
      pending.rootQuorum = rootQuorum
    },
  })
  return { pending, writer }
}

function noChanges(head: Head, stored: Organization | undefined): PendingChanges {
  return { head, stored, changes: new Map(), renamedTo: undefined, rootQuorum: undefined, isEnded: false }
}

function writersOf(tools: Tools, pending: PendingChanges, resolved: Resolved): Writers {
  return listsOf((kind) => new KindWriter(tools, pending, resolved, kind))
}

/**
 * Writes the records of one kind, with or without a secret. `Writers` types `add` and `put` correctly for each kind.
 */
class KindWriter<K extends RecordKind> extends KindReader<K> {
  readonly #tools: Tools
  readonly #pending: PendingChanges

  constructor(tools: Tools, pending: PendingChanges, resolved: Resolved, kind: K) {
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

function disposeSecrets(allPending: readonly PendingChanges[]): void {
  for (const pending of allPending) {
    for (const { secret } of pending.changes.values()) secret?.[Symbol.dispose]()
  }
}
