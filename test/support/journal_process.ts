import { createInterface } from 'node:readline'
import { openJournal } from '../../src/vault/books/journal/journal.ts'

/**
 * A process with a journal in the given folder. It appends each line that it reads, and prints `written` once the line
 * is on disk, or `refused`. After an empty line it prints one of these words for whether it can write.
 */
const [directory = '', segmentBytes = ''] = process.argv.slice(2)

const journal = await openJournal({
  directory,
  key: Buffer.alloc(32, 7),
  segmentBytes: Number(segmentBytes),
  onPayload: () => {},
  snapshot: () => [],
  onSuperseded: () => say('superseded'),
  log: { warn: () => {} },
})
say('opened')

for await (const line of createInterface({ input: process.stdin })) {
  if (line === '') {
    say(journal.unavailable() === undefined ? 'written' : 'refused')
    continue
  }
  journal.append(Buffer.from(line))
  journal.sync().then(
    () => say(`written ${line}`),
    () => say(`refused ${line}`),
  )
}
await journal.close()

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
