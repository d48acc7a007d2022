import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A pipe whose content is read only when the test says so. */
export type UnreadPipe = ReturnType<typeof unreadPipe>

export function unreadPipe(path = newPipe()) {
  // A reader that is a writer too sees no end of the pipe between two writers.
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const chunk = Buffer.alloc(1_048_576)
  return {
    path,
    /** Returns all that is in the pipe now. */
    read(): string {
      try {
        return chunk.toString('utf8', 0, readSync(descriptor, chunk))
      } catch {
        return ''
      }
    },
    /** Leaves no room in the pipe. */
    fill(): void {
      try {
        for (;;) writeSync(descriptor, `${' '.repeat(511)}\n`)
      } catch {
        return
      }
    },
    /** The reader goes. */
    close: () => closeSync(descriptor),
  }
}

function newPipe(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'claviger-pipe-')), 'pipe')
  execFileSync('mkfifo', ['-m', '600', path])
  return path
}
