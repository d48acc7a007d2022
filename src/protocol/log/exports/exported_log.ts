import { logIdOf } from '../log_id.ts'
import { readCheckpoint } from '../notes/checkpoint.ts'
import { tileWidth } from '../tree/tiles.ts'
import { type BundleTexts, type ExportedLog, writeExportedBundle, writeExportedDocument } from './export_lines.ts'
import { type AskDocuments, documentsOfBundle, EndlessAnswers } from './exported_documents.ts'

/** Asks the server for a page of an organization's entries in a log, from a bundle on. */
export type AskEntries = (page: {
  readonly logId: string
  readonly size: string
  readonly fromBundle: string
}) => Promise<{ readonly bundles: readonly BundleTexts[]; readonly nextBundle?: string | undefined }>

type Asking = { readonly askEntries: AskEntries; readonly askDocuments: AskDocuments }

/**
 * Yields the lines of a log for an export, each with the number of its entries. `log`: its place in the header.
 * `fromBundle`: the first bundle to ask for. Throws EndlessAnswers if the server lists more than its checkpoint has room
 * for, or the same again.
 */
export async function* linesOfLog(
  { log, note, fromBundle }: Pick<ExportedLog, 'note'> & { readonly log: number; readonly fromBundle: number },
  { askEntries, askDocuments }: Asking,
): AsyncGenerator<{ readonly line: string; readonly entries: number }, void, undefined> {
  const checkpoint = readCheckpoint(note.text)
  if (checkpoint.kind === 'malformed') throw new Error(`the server has no checkpoint: ${checkpoint.reason}`)
  const { origin, size } = checkpoint.value
  let next = fromBundle
  const isThere = (bundle: number) => bundle >= next && bundle * tileWidth < size
  for (let isMore = true; isMore; ) {
    const page = await askEntries({ logId: logIdOf(origin), size: `${size}`, fromBundle: `${next}` })
    for (const bundle of page.bundles) {
      const number = bundle.from / tileWidth
      if (!isThere(number) || bundle.entries.length > tileWidth) throw new EndlessAnswers(listed(size))
      yield { line: writeExportedBundle(log, bundle), entries: bundle.entries.length }
      for await (const document of documentsOfBundle(bundle, askDocuments)) {
        yield { line: writeExportedDocument({ log, ...document }), entries: 0 }
      }
      next = number + 1
    }
    isMore = page.nextBundle !== undefined
    if (isMore && (page.bundles.length === 0 || !isThere(Number(page.nextBundle)))) {
      throw new EndlessAnswers(listed(size))
    }
    next = Number(page.nextBundle)
  }
}

const listed = (size: number) => `the server lists the same entries again, or more than the ${size} of its checkpoint`
