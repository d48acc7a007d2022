import type { ChildWriter, OrganizationWriter, Quorum } from '../../contract/define.ts'
import { nothingYet, organizationFactsOf, type ResolvedNeeds, readerOf } from '../organization/organization_reader.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import { type WritingTools, writersOf } from './kind_writer.ts'
import type { PendingChanges } from './pending_changes.ts'

/** The changes that an operation may make, each in its organization. `parent` undefined: it changes nothing there. */
type Pending = {
  readonly own: PendingChanges
  readonly parent: PendingChanges | undefined
  /** Makes those of a new organization below this one. */
  readonly newChild: (organizationName: string) => PendingChanges
}

/** Returns the organization as an operation writes it: the resolved records, and what it changes is noted in `pending`. */
export function operationWriter<O extends SeenOrganization>(
  tools: WritingTools,
  resolved: ResolvedNeeds<O>,
  { own: ownPending, parent: parentPending, newChild }: Pending,
): OrganizationWriter {
  const { own, parent } = resolved
  const { activities, deliveries, found, holders, signer } = readerOf(resolved)
  return Object.assign(writersOf(tools, ownPending, own.resolved), {
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
    createChild: ({ organizationName }: { readonly organizationName: string }) =>
      childWriter(tools, newChild(organizationName)),
    parent:
      parent &&
      parentPending &&
      Object.assign(writersOf(tools, parentPending, parent.resolved), organizationFactsOf(parent.organization)),
  })
}

/** Returns a new organization as whoever makes it writes it. */
export function childWriter(tools: WritingTools, pending: PendingChanges): ChildWriter {
  return Object.assign(writersOf(tools, pending, nothingYet()), {
    organizationId: pending.head.organizationId,
    setRootQuorum(rootQuorum: Quorum) {
      pending.rootQuorum = rootQuorum
    },
  })
}
