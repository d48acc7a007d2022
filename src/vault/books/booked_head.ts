/** The part of a head that the books keep: its name, its maker, its change and the heads below it. */
export type BookedHead = HeadName & {
  /** The id of the journal of the vault that made the head. */
  readonly maker: string
  /** For each journal that made heads of this organization, by its id: its newest head below this one. */
  readonly below: ReadonlyMap<string, HeadName>
}

export type HeadName = {
  readonly version: number
  /** The tag of the head's seal: 32 hex digits. */
  readonly tag: string
  /** The key of the change that made the head, see `changeKeyOf`; `noId` if no request made it. */
  readonly changeKey: string
}

/** 16 bytes in hex that stand for no change, or for no maker: heads that were sealed before the books have none. */
export const noId = '0'.repeat(32)

/**
 * At most this many journals can make heads of one organization. Each node has a journal, and gets a new one after each
 * loss or restore.
 */
export const makersMax = 255

/** The newest head of each journal, this head included. The next head names them as the heads below it. */
export function belowNext(head: BookedHead): ReadonlyMap<string, HeadName> {
  const { version, tag, changeKey } = head
  return new Map([...head.below, [head.maker, { version, tag, changeKey }]])
}

/**
 * - `newest`: the head is the newest.
 * - `above`: the head was made on the newest, or on a head above the newest. It may be taken up.
 * - `behind`: its version is lower. A look at the database that begins now must show the newest or a later head.
 * - `fork`: the head is on another branch than the newest, or rests on a lost head. The newest was acknowledged or
 *   taken up.
 */
export type Comparison = 'newest' | 'above' | 'behind' | 'fork'

/** Compares a presented head with the newest on the books. `isLost` says whether the store did not write a head. */
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

/** Whether the head names, for each journal, the head that `belowNext` of the newest names, or a later one. */
function liesAbove(head: BookedHead, newest: BookedHead): boolean {
  return [...belowNext(newest)].every(([maker, { version, tag }]) => {
    const named = head.below.get(maker)
    return named !== undefined && (named.version > version || (named.version === version && named.tag === tag))
  })
}
