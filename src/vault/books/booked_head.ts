/** What the books know of a head: its name, who made it by which change, and the heads below it. */
export type BookedHead = HeadName & {
  /** The id of the journal of the vault that made it. */
  readonly maker: string
  /** For each journal that made heads of this organization, the newest of them below this one, by journal id. */
  readonly below: ReadonlyMap<string, HeadName>
}

export type HeadName = {
  readonly version: number
  /** The tag of the head's seal: 32 hex digits. */
  readonly tag: string
  /** The change that made it, see `changeKeyOf`; `noId` if no request did. */
  readonly changeKey: string
}

/** 16 bytes in hex that name nothing: no maker of a head that was sealed before heads had one, or no change. */
export const noId = '0'.repeat(32)

/** So many journals can have made heads of one organization: each node has one, and one is new after each loss or restore. */
export const makersMax = 255

/** The newest head of each journal, with this one on top: what the next head names as below it. */
export function belowNext(head: BookedHead): ReadonlyMap<string, HeadName> {
  const { version, tag, changeKey } = head
  return new Map([...head.below, [head.maker, { version, tag, changeKey }]])
}

/**
 * - `newest`: it is the newest.
 * - `above`: it was made on the newest, or on what was made on it, and may be taken up.
 * - `behind`: its version is lower. A look at the database that begins now must show the newest or a later one.
 * - `fork`: the two have no common line. One of them was acknowledged.
 */
export type Comparison = 'newest' | 'above' | 'behind' | 'fork'

/** Compares a presented head with the newest on the books. `isLost`: whether the store said that this head was not written. */
export function compareHeads(
  newest: BookedHead | undefined,
  head: BookedHead,
  { isLost, journalId }: { readonly isLost: (tag: string) => boolean; readonly journalId: string },
): Comparison {
  if (newest !== undefined) {
    if (head.version < newest.version) return 'behind'
    if (head.version === newest.version) return head.tag === newest.tag ? 'newest' : 'fork'
  }
  const own = head.below.get(journalId)
  if (isLost(head.tag) || (own !== undefined && isLost(own.tag))) return 'fork'
  return newest === undefined || liesAbove(head, newest) ? 'above' : 'fork'
}

/** It names the newest, and all that the newest names, as the same or later heads. */
function liesAbove(head: BookedHead, newest: BookedHead): boolean {
  return [...belowNext(newest)].every(([maker, { version, tag }]) => {
    const named = head.below.get(maker)
    return named !== undefined && (named.version > version || (named.version === version && named.tag === tag))
  })
}
