import { execFileSync } from 'node:child_process'
import { mkdtempSync, openSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes a named pipe that holds a text. It has a writer, so that even an opening that waits for one returns. */
export function namedPipe(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'claviger-pipe-')), 'pipe')
  execFileSync('mkfifo', ['-m', '600', path])
  writeSync(openSync(path, 'r+'), text)
  return path
}
