import type { PublishedLog, PublishLogRequest } from '../../../link/verbs.ts'
import { tileWidth, writeEntries } from '../../../protocol/log/tree/tiles.ts'
import type { Books } from '../books.ts'
import type { CheckpointSigner } from './checkpoints.ts'

/** Bundles that are handed over at once: 900 KB. Documents of the operator's acts, which are rare, come on top. */
const bundlesMax = 16

const nothing = { size: 0, checkpoint: undefined, bundles: [], unfinished: new Uint8Array() } as const

/**
 * Forgets the bundles that were read back, signs a checkpoint if there is something new on disk, and returns what the
 * database has to keep. A bundle is handed over until it was read back. A checkpoint is shown with the last of the
 * bundles that it covers: before, the log would lack what it says to have. A log that has forked publishes nothing.
 */
export async function publishLog(
  { transparency }: Pick<Books, 'transparency'>,
  signer: CheckpointSigner,
  { stored, seen }: PublishLogRequest,
): Promise<PublishedLog> {
  const checkpoint = seen && signer.signedHere(seen)
  if (checkpoint !== undefined) transparency.forked.see(checkpoint)
  const forked = transparency.forked.reason()
  if (forked !== undefined) return { ...nothing, origin: transparency.origin(), keys: signer.keys, forked }
  // Oldest first. A bundle that is not the oldest was changed or dropped on its way: it is handed over again.
  for (const bundle of stored) if (!transparency.forget(bundle)) break
  const signed = await transparency.renew(signer.sign)
  const { from, entries } = transparency.kept()
  const size = signed?.size ?? 0
  const whole = size - (size % tileWidth)
  const bundles: PublishedLog['bundles'][number][] = []
  for (let at = from; at < whole && bundles.length < bundlesMax; at += tileWidth) {
    bundles.push({ number: at / tileWidth, bytes: writeEntries(entries.slice(at - from, at - from + tileWidth)) })
  }
  return {
    ...{ origin: transparency.origin(), keys: signer.keys, size },
    ...{ checkpoint: from + bundles.length * tileWidth < whole ? undefined : signed?.note },
    ...{ bundles, unfinished: writeEntries(entries.slice(whole - from, size - from)) },
  }
}
