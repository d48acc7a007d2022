import { everyRecordKind, type RecordKind, type RecordTypes, recordKinds } from '../../contract/records/records.ts'
import type { SeenOrganization } from '../../deciding/organization/seen_organization.ts'
import type { VaultRequest } from '../../link/verbs.ts'
import type { FoundRecord, Read } from '../../protocol/reads.ts'
import { digestOf } from '../../protocol/tools/digest.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { unsealRecord } from '../keys/sealed_record.ts'
import type { DecisionCounts } from './decision_counts.ts'
import { IntegrityError, whenSealed } from './evidence.ts'
import type { Head, Listing } from './head.ts'
import { type HeadSources, openHead } from './open_head.ts'

/** An organization whose head is verified. Each record is verified when it is read. */
export type Organization = Pick<SeenOrganization, 'listed' | 'allListed'> & {
  readonly head: Head
  /** Opens the parent, as `openOrganization` does. Undefined if the organization has none. */
  parent(): Organization | undefined
  /** Whether the record is listed, and cached in the version that the head lists. */
  isKnown(kind: RecordKind, recordId: string): boolean
  isListed(kind: RecordKind, recordId: string): boolean
  /** Asks at once for all of these listed records that are not cached. */
  askFor(kind: RecordKind, recordIds: readonly string[]): void
  /**
   * Whether an unlisted record belongs to the organization. Either it has no owner, or the head lists its owner and
   * does not name the record as removed.
   */
  isLive(recordId: string, ownerId: string | undefined): boolean
  /**
   * Opens one row of a page of unlisted records. It checks the seal, but neither the row's owner nor that the page is
   * whole.
   */
  unsealRow<K extends RecordKind>(kind: K, row: FoundRecord): RecordTypes[K]
  /** Returns an unlisted record as the database has it now, at least by the counts; undefined if there is none. */
  unlisted<K extends RecordKind>(kind: K, recordId: string): Stored<K> | undefined
  /** Returns the sealed bytes of a listed record, which hold its secret. */
  sealedBytes(kind: RecordKind, recordId: string): { readonly version: number; readonly sealed: Uint8Array }
}

export type Stored<K extends RecordKind> = {
  readonly record: RecordTypes[K]
  readonly version: number
  readonly sealed: Uint8Array
}

/** Estimated, as `headBytesPerSealedByte`. */
const recordBytesPerSealedByte = 3

/** The parts of a request context that opening an organization needs. */
export type Sources = HeadSources & { readonly decisionCounts: DecisionCounts }

/** Asks at once for everything that is needed to open these organizations. */
export function askForOrganizations(
  { evidence, services: { cache } }: Sources,
  organizationIds: readonly string[],
): void {
  evidence.askFor(organizationIds.map((organizationId) => ({ read: 'headTag', organizationId })))
  const unknown = organizationIds.filter((organizationId) => {
    const { row } = evidence.find({ read: 'headTag', organizationId })
    return row !== undefined && cache.heads.get(organizationId)?.tag !== row.tag
  })
  evidence.askFor(unknown.map((organizationId) => ({ read: 'head', organizationId })))
}

/**
 * Opens an organization as the service presents it. Its head has a valid seal, is the newest on the books, and is in
 * the read set. Returns undefined if there is no such organization, or it was deleted.
 */
export function openOrganization(sources: Sources, organizationId: string): Organization | undefined {
  const organization = openEvenDeleted(sources, organizationId)
  return organization?.head.deletedAtMs === undefined ? organization : undefined
}

/** Opens the organization that a request names. Throws ORGANIZATION_NOT_FOUND. */
export function openTarget(sources: Sources, organizationId: string): Organization {
  const organization = openOrganization(sources, organizationId)
  if (organization === undefined) throw new Failure('ORGANIZATION_NOT_FOUND', organizationId)
  return organization
}

/** How long `openRecently` does not look again. */
export const lookMsMax = 10_000
const lookBytes = 200

/**
 * Opens an organization on which the decision need not rest, as it was up to `lookMsMax` ago. This takes no read and no
 * check at the commit, except for one decision in that time, which opens it as any other. Changes by this vault itself
 * are seen at once.
 */
export function openRecently(
  sources: Sources & { readonly nowMs: number; readonly request: Pick<VaultRequest, 'mayRecall'> },
  organizationId: string,
): Organization | undefined {
  const { nowMs, request, services } = sources
  const { heads, looks } = services.cache
  const known = heads.get(organizationId)
  const look = looks.get(organizationId)
  const isSame = known !== undefined && look?.tag === known.tag
  // A decision that is not from memory trusts only looks that showed the database: it may be made because a look from
  // memory was out of date.
  const lookedAtMs = request.mayRecall === true ? look?.recalledAtMs : look?.shownAtMs
  if (isSame && lookedAtMs !== undefined && nowMs - lookedAtMs < lookMsMax) {
    return known.head.deletedAtMs === undefined ? viewOf(sources, known.head) : undefined
  }
  const opened = openOrganization(sources, organizationId)
  const tag = heads.get(organizationId)?.tag
  if (opened !== undefined && tag !== undefined) {
    const shownAtMs = request.mayRecall !== true ? nowMs : look?.tag === tag ? look.shownAtMs : -lookMsMax
    looks.set(organizationId, { tag, shownAtMs, recalledAtMs: nowMs }, lookBytes)
  }
  return opened
}

/** Opens an organization like `openOrganization`, and also the last head of a deleted organization. */
export function openEvenDeleted(sources: Sources, organizationId: string): Organization | undefined {
  const head = openHead(sources, organizationId)
  return head && viewOf(sources, head)
}

const owningKinds = everyRecordKind.filter((kind) => recordKinds[kind].owns !== undefined)

function viewOf(sources: Sources, head: Head): Organization {
  const { evidence, decisionCounts, services } = sources
  const { seals, cache } = services
  const { organizationId, parentId } = head

  function readOf(kind: RecordKind, recordId: string): Extract<Read, { read: 'record' }> {
    return { read: 'record', organizationId, kind, recordId }
  }

  function sealedBytes(kind: RecordKind, recordId: string) {
    const listing = head.listed.get(kind)?.get(recordId)
    if (listing === undefined) throw new Error(`${kind} ${recordId} is not listed`)
    const { row } = evidence.find(readOf(kind, recordId))
    const name = `organization ${organizationId}: ${kind} ${recordId}`
    if (row === undefined) throw new IntegrityError(`${name} is listed but missing`)
    if (row.recordId !== recordId) throw new IntegrityError(`${name} was asked for, ${row.recordId} was presented`)
    if (row.version !== listing.version)
      throw new IntegrityError(`${name} has version ${row.version}, not ${listing.version}`)
    if (digestOf(row.sealed) !== listing.digest) throw new IntegrityError(`${name} is not the listed one`)
    return { version: row.version, sealed: row.sealed }
  }

  function listed<K extends RecordKind>(kind: K, recordId: string): RecordTypes[K] | undefined {
    const listing = head.listed.get(kind)?.get(recordId)
    return listing && opened(kind, recordId, listing, () => sealedBytes(kind, recordId).sealed)
  }

  function isKnown(kind: RecordKind, recordId: string): boolean {
    const listing = head.listed.get(kind)?.get(recordId)
    return listing !== undefined && cachedAs(kind, recordId, listing) !== undefined
  }

  function cachedAs(kind: RecordKind, recordId: string, { version, digest }: Listing) {
    const cached = cache.records.get(`${organizationId} ${kind} ${recordId}`)
    return cached?.version === version && cached.digest === digest ? cached : undefined
  }

  /** Returns a record in this version, of these bytes. It reads them and opens the seal only if they are not cached. */
  function opened<K extends RecordKind>(
    kind: K,
    recordId: string,
    { version, digest }: Listing,
    read: () => Uint8Array,
  ): RecordTypes[K] {
    const cached = cachedAs(kind, recordId, { version, digest })
    // A digest names one sealed record of one kind, so a record that is cached with this digest has the kind's type.
    if (cached !== undefined) return cached.record as RecordTypes[K]
    const sealed = read()
    const record = unsealRow(kind, { recordId, version, sealed })
    const bytes = sealed.length * recordBytesPerSealedByte
    cache.records.set(`${organizationId} ${kind} ${recordId}`, { version, digest, record }, bytes)
    return record
  }

  function askForListed(kind: RecordKind, recordIds: readonly string[]): void {
    const listings = head.listed.get(kind)
    const unread = new Set(recordIds.filter((recordId) => listings?.has(recordId) && !isKnown(kind, recordId)))
    evidence.askFor([...unread].map((recordId) => readOf(kind, recordId)))
  }

  function unsealRow<K extends RecordKind>(kind: K, { recordId, version, sealed }: FoundRecord): RecordTypes[K] {
    return whenSealed(`organization ${organizationId}: ${kind} ${recordId}`, () =>
      unsealRecord(seals, { organizationId, kind, recordId, version }, sealed),
    )
  }

  function isLive(recordId: string, ownerId: string | undefined): boolean {
    if (ownerId === undefined) return true
    const isOwned = owningKinds.some((kind) => head.listed.get(kind)?.has(ownerId) === true)
    return isOwned && head.removed.get(ownerId)?.has(recordId) !== true
  }

  return {
    head,
    parent: () => (parentId === undefined ? undefined : openOrganization(sources, parentId)),
    listed,
    isLive,
    sealedBytes,
    isKnown,
    isListed: (kind, recordId) => head.listed.get(kind)?.has(recordId) === true,
    unsealRow,
    askFor: askForListed,

    allListed(kind) {
      const recordIds = [...(head.listed.get(kind)?.keys() ?? [])]
      askForListed(kind, recordIds)
      return recordIds.map((recordId) => {
        const record = listed(kind, recordId)
        if (record === undefined) throw new Error(`${kind} ${recordId} vanished from the head`)
        return record
      })
    },

    unlisted(kind, recordId) {
      const { row } = evidence.find(readOf(kind, recordId))
      evidence.rely({ of: 'record', organizationId, kind, recordId, version: row?.version })
      if (row !== undefined && row.recordId !== recordId) {
        throw new IntegrityError(`${kind} ${recordId} was asked for, ${row.recordId} was presented`)
      }
      const stored =
        row && opened(kind, recordId, { version: row.version, digest: digestOf(row.sealed) }, () => row.sealed)
      // The service may present an older row, or none. The counts on the books still hold.
      const record = decisionCounts.atLeast(kind, { organizationId, recordId, record: stored })
      if (record === undefined || !isLive(recordId, recordKinds[kind].ownerOf(record))) return undefined
      return { record, version: row?.version ?? 0, sealed: row?.sealed ?? new Uint8Array() }
    },
  }
}
