import { type Bundle, readBundle } from '../../../protocol/log/bundle.ts'
import { isSameHash } from '../../../protocol/log/tree/tree.ts'
import type { Scrubbing } from './read_rows.ts'
import type { ScrubParts, Tally } from './scrub_parts.ts'

/**
 * Reads the entries of a bundle by its root. One that the database lacks or has altered is handed to it again if there is
 * a copy; otherwise these are not the entries, and the result is undefined. To have altered one is an incident in any
 * case, and so is to lack one without a copy.
 */
export async function* provenEntries(
  parts: Pick<ScrubParts, 'books'>,
  { number, root }: { readonly number: number; readonly root: Uint8Array },
  tally: Tally,
): Scrubbing<readonly Uint8Array[] | undefined> {
  const logId = parts.books.logId()
  const answer = yield { of: 'bundle', logId, number }
  const bytes = answer.of === 'bundle' ? answer.bytes : undefined
  const stored = bytes && readBundle(bytes)
  if (isUnder(root, stored)) return stored.entries
  const copy = yield* restored(parts, number, tally)
  const isMended = isUnder(root, copy)
  if (bytes !== undefined || !isMended) {
    tally.tell(
      `the transparency log ${logId}: the database ${bytes === undefined ? 'lacks' : 'has altered'} bundle ${number}`,
    )
  }
  return isMended ? copy.entries : undefined
}

function isUnder(root: Uint8Array, bundle: Bundle | undefined): bundle is Bundle {
  return bundle !== undefined && isSameHash(bundle.root, root)
}

/** Has the database store the copy of a bundle, and returns what is in it. Undefined: there is no copy. */
export async function* restored(
  { books }: Pick<ScrubParts, 'books'>,
  number: number,
  tally: Tally,
): Scrubbing<Bundle | undefined> {
  const bytes = await books.transparency.copyOf(number)
  const bundle = bytes && readBundle(bytes)
  if (bytes === undefined || bundle === undefined) return undefined
  yield { of: 'restoring', logId: books.logId(), number, root: bundle.root, entries: bytes }
  tally.restored += 1
  return bundle
}
