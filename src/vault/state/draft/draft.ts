import type { EventToSendAgain, OrganizationWriter } from '../../../contract/define.ts'
import type { Limits } from '../../../contract/limits.ts'
import type { PublicChanges } from '../../../contract/records/public_changes.ts'
import { childWriter, operationWriter } from '../../../deciding/changes/operation_writer.ts'
import { noChanges } from '../../../deciding/changes/pending_changes.ts'
import type { Addition } from '../../../deciding/rules/counts.ts'
import type { Commit } from '../../../protocol/reads.ts'
import type { Pause } from '../../../protocol/tools/pause.ts'
import type { OutgoingMessage } from '../../../protocol/wire/outgoing_messages.ts'
import type { Seals } from '../../keys/seal.ts'
import type { Evidence } from '../evidence.ts'
import type { Head, LineageOf } from '../head.ts'
import type { Organization } from '../organization.ts'
import type { ResolvedNeeds } from '../resolve.ts'
import { changesOf, type MadeHead, type PendingChanges } from './changes.ts'
import { createOutbox } from './outbox.ts'

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
  const parentPending = parent && noChanges(parent.organization.head, parent.organization)
  const allPending: PendingChanges[] = [ownPending, ...(parentPending === undefined ? [] : [parentPending])]
  const outbox = createOutbox(tools, own.organization.head.organizationId)
  const writer = operationWriter(tools, resolved, {
    own: ownPending,
    parent: parentPending,
    newChild(organizationName) {
      const child = newOrganization(tools, { organizationName, parentId: own.organization.head.organizationId })
      allPending.push(child)
      return child
    },
  })

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
  const pending = newOrganization(tools, { organizationName, parentId: undefined })
  return { writer: childWriter(tools, pending), changes: () => changesOf(tools, [pending]) }
}

function newOrganization(
  { evidence, newId, nowMs }: Tools,
  { organizationName, parentId }: { readonly organizationName: string; readonly parentId: string | undefined },
): PendingChanges {
  const organizationId = newId()
  evidence.rely({ of: 'head', organizationId, version: undefined, tag: undefined })
  const head: Head = {
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
  return noChanges<Head, Organization>(head, undefined)
}

function disposeSecrets(allPending: readonly PendingChanges[]): void {
  for (const pending of allPending) {
    for (const { secret } of pending.changes.values()) secret?.[Symbol.dispose]()
  }
}
