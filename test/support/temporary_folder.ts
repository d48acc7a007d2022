import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileCacheFolder } from '../../src/link/entry_file.ts'
import { planChromium } from './chromium.ts'
import { planPostgres } from './postgres/postgres.ts'

/** Everything that the tests put into the system's temporary folder goes into one of their own, removed at the end. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-tests-'))
  process.env.TMPDIR = folder
  // Hundreds of processes are started that load the same files. `bin/claviger` says so to those that it starts.
  process.env.NODE_COMPILE_CACHE = compileCacheFolder
  const ends = [planPostgres(), planChromium()]
  return () => {
    for (const end of ends) end()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}
