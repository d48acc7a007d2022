import { createInterface } from 'node:readline'
import { openJournal } from '../../src/vault/books/journal/journal.ts'

/**
 * A process with a journal in the given folder. It appends each line that it reads, and prints `written` once the line
 * is on disk, or `refused`. A line that begins with `+` is entered instead, and `written` says that it outlives this
 * process. After an empty line it prints one of these words for whether it can write. After the line `enter` it enters
 * further lines by itself, and prints each.
 */
const [directory = '', segmentBytes = '', syncWithinMs = '200'] = process.argv.slice(2)

/** So many that the journal is compacted while they are entered. */
const entered: string[] = []

const journal = await openJournal({
  directory,
  key: Buffer.alloc(32, 7),
  segmentBytes: Number(segmentBytes),
  syncWithinMs: Number(syncWithinMs),
  onPayload: () => {},
  onEntered: (payload) => payload,
  snapshot: () => entered.map((line) => Buffer.from(line)),
  onSuperseded: () => say('superseded'),
  log: { warn: () => {} },
})
say('opened')

for await (const line of createInterface({ input: process.stdin })) {
  if (line === '') {
    say(journal.unavailable() === undefined ? 'written' : 'refused')
    continue
  }
  if (line === 'enter') {
    enterMany()
    continue
  }
  write(line).then(
    () => say(`written ${line}`),
    () => say(`refused ${line}`),
  )
}
await journal.close()

function write(line: string): Promise<void> {
  if (line.startsWith('+')) return journal.enter(Buffer.from(line))
  journal.append(Buffer.from(line))
  return journal.sync()
}

async function enterMany(): Promise<void> {
  try {
    for (let number = 0; ; number++) {
      entered.push(`+${number};`)
      await write(`+${number};`)
      say(`written +${number};`)
    }
  } catch {
    say('refused')
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
