import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { makeBundle } from './bundle.ts'
import { planChromium } from './chromium.ts'
import { planPostgres } from './postgres/postgres.ts'
import { planSharedServers } from './shared_server.ts'

/** Everything that the tests put into the system's temporary folder goes into one of their own, removed at the end. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-tests-'))
  process.env.TMPDIR = folder
  await makeBundle()
  project.onTestsRerun(makeBundle)
  const ends = [planSharedServers(), planPostgres(), planChromium()]
  return () => {
    for (const end of ends) end()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}
