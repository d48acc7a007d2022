import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives the tests their own temporary folder, which is removed at the end. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-tests-'))
  process.env.TMPDIR = folder
  // The tests start hundreds of processes that load the same files.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled')
  return () => rmSync(folder, { recursive: true, force: true })
}
