/** Watches at a time. A client that finds no place asks now and then instead. */
export const watchesMax = 2_048
export const watchesOfOneMax = 256
/** A user of a parent may read its sub-organizations: these watches are counted together. */
export const watchesOfUserMax = 16
/** Watches of all sub-organizations of one parent, so that they leave the parent its own. */
export const watchesOfSubOrganizationsMax = 768

/** `familyId`: the parent, or the organization itself if it has none. */
export type Watcher = { readonly organizationId: string; readonly familyId: string; readonly userId: string }

type Owner = keyof Watcher
/** Those with whom a watcher shares places. `owners`: whose watches are compared to say who gives way. */
type Share = {
  readonly max: number
  readonly isShared: (one: Watcher, other: Watcher) => boolean
  readonly owners: readonly Owner[]
}

/** The smallest first: who gives way in one leaves a place in all others. */
const shares: readonly Share[] = [
  {
    max: watchesOfOneMax,
    isShared: (one, other) => one.organizationId === other.organizationId,
    owners: ['userId'],
  },
  {
    max: watchesOfSubOrganizationsMax,
    isShared: (one, other) => one.familyId === other.familyId && isOfChild(one) && isOfChild(other),
    owners: ['organizationId', 'userId'],
  },
  { max: watchesMax, isShared: () => true, owners: ['familyId', 'organizationId', 'userId'] },
]

/**
 * Finds a place beside the watches that there are. Where those of a share are taken, a watch of the one with the most
 * gives way to one with fewer: so a user has as many as another, and no keys or sub-organizations make it more. Undefined
 * if there is no place.
 */
export function findWatchPlace<W extends Watcher>(
  watcher: Watcher,
  others: Iterable<W>,
): { readonly givesWay: W | undefined } | undefined {
  const all = [...others]
  if (ofSame(all, 'userId', watcher).length >= watchesOfUserMax) return undefined
  for (const { max, isShared, owners } of shares) {
    const sharing = all.filter((other) => isShared(watcher, other))
    if (sharing.length < max) continue
    const givesWay = yielding(sharing, watcher, owners)
    return givesWay === undefined ? undefined : { givesWay }
  }
  return { givesWay: undefined }
}

/** If no family has more than the own one, the organizations of it are compared, and then the users. */
function yielding<W extends Watcher>(
  sharing: readonly W[],
  watcher: Watcher,
  [owner, ...smaller]: readonly Owner[],
): W | undefined {
  if (owner === undefined) return undefined
  const own = ofSame(sharing, owner, watcher)
  const most = ofOneWithMost(sharing, owner)
  return most.length > own.length + 1 ? smaller.reduce(ofOneWithMost, most)[0] : yielding(own, watcher, smaller)
}

function ofOneWithMost<W extends Watcher>(watches: readonly W[], owner: Owner): readonly W[] {
  const groups = Map.groupBy(watches, (watch) => watch[owner])
  return [...groups.values()].reduce((most, group) => (group.length > most.length ? group : most), [])
}

function ofSame<W extends Watcher>(watches: readonly W[], owner: Owner, watcher: Watcher): readonly W[] {
  return watches.filter((watch) => watch[owner] === watcher[owner])
}

function isOfChild({ organizationId, familyId }: Watcher): boolean {
  return organizationId !== familyId
}
