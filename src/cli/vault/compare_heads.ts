import { setTimeout as sleep } from 'node:timers/promises'
import { AdminError } from '../../link/admin_error.ts'
import { type BookedHeadsPage, headsPerPageMax, type NamedHead } from '../../link/heads.ts'

/** How an organization in the database differs from its newest head on the books of the vault. */
export type Difference = {
  readonly organizationId: string
  readonly onBooks: number
  /** `undefined`: the organization is missing. */
  readonly inDatabase: number | undefined
  readonly difference: 'older' | 'missing' | 'another head' | 'newer, and not taken up'
}

export type HeadComparison = {
  /** How many organizations are on the books. */
  readonly organizations: number
  readonly differing: number
  /** The first organizations that differ, at most `rowsMax`. */
  readonly rows: readonly Difference[]
}

/** The heads of both sides: the vault answers on `vault.sock`, the service on `admin.sock`. */
export type HeadSources = {
  bookedHeads(request: { readonly cursor?: number | undefined }): Promise<BookedHeadsPage>
  bookedHeadsOf(request: { readonly organizationIds: readonly string[] }): Promise<readonly NamedHead[]>
  presentedHeads(request: { readonly organizationIds: readonly string[] }): Promise<readonly NamedHead[]>
}

export const rowsMax = 100
const settleMs = 1_000

/**
 * Compares all heads, page by page. A running server commits each head before it puts it on the books, so a newer head
 * in the database is looked at again after `waitMs`. If the books still lack it, it is most likely on another branch
 * and counts as a difference.
 */
export async function compareHeads(sources: HeadSources, waitMs = settleMs): Promise<HeadComparison> {
  const rows: Difference[] = []
  const ahead: NamedHead[] = []
  let organizations = 0
  let differing = 0

  function add(found: readonly Difference[]): void {
    differing += found.length
    rows.push(...found.slice(0, rowsMax - rows.length))
  }

  for (let cursor: number | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await sources.bookedHeads({ cursor })
    const presented = await presentedBy(sources, page.heads)
    organizations += page.heads.length
    add(page.heads.flatMap((booked) => differenceOf(booked, presented.get(booked.organizationId))))
    const newer = page.heads.flatMap(({ organizationId, version }) => {
      const head = presented.get(organizationId)
      return head !== undefined && head.version > version ? [head] : []
    })
    ahead.push(...newer.slice(0, headsPerPageMax - ahead.length))
    cursor = page.cursor
  }

  if (ahead.length > 0) {
    await sleep(waitMs)
    add(await notTakenUp(sources, ahead))
  }
  return { organizations, differing, rows }
}

async function presentedBy(
  sources: HeadSources,
  booked: readonly NamedHead[],
): Promise<ReadonlyMap<string, NamedHead>> {
  const organizationIds = booked.map(({ organizationId }) => organizationId)
  const presented = await sources.presentedHeads({ organizationIds })
  // They are shown on the terminal of the operator. A service that was taken over may answer anything.
  if (!Array.isArray(presented) || !presented.every(isHead)) throw new AdminError('the server answered with no heads')
  return byOrganization(presented)
}

function isHead(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { organizationId, version, tag } = value as Partial<NamedHead>
  return typeof organizationId === 'string' && Number.isSafeInteger(version) && typeof tag === 'string'
}

function differenceOf(booked: NamedHead, presented: NamedHead | undefined): readonly Difference[] {
  const { organizationId, version: onBooks } = booked
  if (presented === undefined) {
    return [{ organizationId, onBooks, inDatabase: undefined, difference: 'missing' }]
  }
  const { version: inDatabase } = presented
  if (inDatabase < onBooks) return [{ organizationId, onBooks, inDatabase, difference: 'older' }]
  if (inDatabase > onBooks || presented.tag === booked.tag) return []
  return [{ organizationId, onBooks, inDatabase, difference: 'another head' }]
}

/** Returns the heads of `ahead` that are still newer than the books. */
async function notTakenUp(sources: HeadSources, ahead: readonly NamedHead[]): Promise<readonly Difference[]> {
  const organizationIds = ahead.map(({ organizationId }) => organizationId)
  const booked = byOrganization(await sources.bookedHeadsOf({ organizationIds }))
  return ahead.flatMap(({ organizationId, version: inDatabase }) => {
    const onBooks = booked.get(organizationId)?.version ?? inDatabase
    return onBooks < inDatabase
      ? [{ organizationId, onBooks, inDatabase, difference: 'newer, and not taken up' as const }]
      : []
  })
}

function byOrganization(heads: readonly NamedHead[]): ReadonlyMap<string, NamedHead> {
  return new Map(heads.map((head) => [head.organizationId, head]))
}
