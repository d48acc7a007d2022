import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { decodeLogEntry } from '../log_entry.ts'
import type { BundleTexts } from './export_lines.ts'

/** As many as one request may name. */
const activitiesAtOnce = 16

/** A document as the server answers it. `content`: absent where it is withheld, or there is none. */
type DocumentText = { readonly document: string; readonly content?: string | undefined }

/** Asks the server for the documents of activities. `left`: those for which the answer had no room. */
export type AskDocuments = (
  activityIds: readonly string[],
) => Promise<{ readonly documents: readonly DocumentText[]; readonly left: readonly string[] }>

/** The server answers so that an export would have no end. */
export class EndlessAnswers extends Error {
  override readonly name = 'EndlessAnswers'
}

/**
 * Yields the documents of the entries of a bundle, in their order. The server has none of a decision that was not
 * committed. Throws EndlessAnswers if it answers none, and says that some are left.
 */
export async function* documentsOfBundle(
  { indexes, entries }: Pick<BundleTexts, 'indexes' | 'entries'>,
  ask: AskDocuments,
): AsyncGenerator<DocumentText & { readonly index: number }> {
  const named = entries.flatMap((entry, place) => {
    const index = indexes[place]
    const activity = decodeLogEntry(base64.decode(entry))?.activity
    return activity === undefined || index === undefined ? [] : [{ index, activity }]
  })
  for (let at = 0; at < named.length; at += activitiesAtOnce) {
    const some = named.slice(at, at + activitiesAtOnce)
    const found = new Map<string, DocumentText>()
    let left: readonly string[] = [...new Set(some.map(({ activity: { activityId } }) => activityId))]
    while (left.length > 0) {
      const page = await ask(left)
      for (const each of page.documents) found.set(bytesToHex(sha256(utf8ToBytes(each.document))), each)
      if (page.left.length >= left.length)
        throw new EndlessAnswers('the server answers no documents and says that some are left')
      left = page.left
    }
    for (const { index, activity } of some) {
      const one = found.get(activity.documentDigest)
      if (one !== undefined) yield { index, document: one.document, content: one.content }
    }
  }
}
