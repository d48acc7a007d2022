import { expect, test } from 'vitest'
import { checkpointOf, exportOf, logsOf, type MadeLog } from '../../../../test/support/log_exports.ts'
import type { BundleTexts } from './export_lines.ts'
import { EndlessAnswers } from './exported_documents.ts'
import { type AskEntries, linesOfLog } from './exported_log.ts'

const [log] = logsOf(1, [{ log: 0, makes: 1 }]) as [MadeLog]
const { note } = checkpointOf(log, '')
const [, honest = ''] = exportOf([log]).split('\n')
const bundle: BundleTexts = JSON.parse(honest)

type Page = Awaited<ReturnType<AskEntries>>

/** The lines from a server that gives these pages. It fails when it is asked without end. */
async function linesFrom(pageOf: (asked: number) => Page): Promise<readonly string[]> {
  let asked = 0
  const askEntries: AskEntries = async () => {
    asked += 1
    if (asked > 100) throw new Error('asked without end')
    return pageOf(asked)
  }
  const askDocuments = async () => ({ documents: [], left: [] })
  const lines = linesOfLog({ log: 0, note, fromBundle: 0 }, { askEntries, askDocuments })
  return (await Array.fromAsync(lines)).map(({ line }) => line)
}

test('the lines of a log end with the last page', async () => {
  expect(await linesFrom(() => ({ bundles: [bundle] }))).toEqual([honest])
})

test.each<[answers: string, pageOf: (asked: number) => Page]>([
  ['pages without entries', (asked) => ({ bundles: [], nextBundle: `${asked}` })],
  ['the same page', () => ({ bundles: [bundle], nextBundle: '0' })],
  ['pages behind the tree', (asked) => ({ bundles: [bundle], nextBundle: `${asked}` })],
  ['a next page that is no number', () => ({ bundles: [bundle], nextBundle: 'next' })],
  ['the same bundle in a page', () => ({ bundles: [bundle, bundle] })],
  ['a bundle behind the tree', () => ({ bundles: [{ ...bundle, from: 256 }] })],
  ['more entries than a bundle has', () => ({ bundles: [{ ...bundle, entries: Array(257).fill(bundle.entries[0]) }] })],
])('they end where the server answers without end: %s', async (_, pageOf) => {
  await expect(linesFrom(pageOf)).rejects.toThrow(EndlessAnswers)
})
