import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Everything that the tests put into the system's temporary folder goes into one of their own, removed at the end. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-tests-'))
  process.env.TMPDIR = folder
  // Hundreds of processes are started that load the same files.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled')
  return () => rmSync(folder, { recursive: true, force: true })
}
