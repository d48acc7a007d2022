import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { makeBundle } from './bundle.ts'
import { planChromium } from './chromium.ts'
import { planPostgres } from './postgres/postgres.ts'
import { killSharedServers, planSharedServers } from './shared_server.ts'

/** Everything that the tests put into the system's temporary folder goes into one of their own, removed after the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-tests-'))
  process.env.TMPDIR = folder
  await makeBundle()
  let endServers = planSharedServers()
  project.onTestsRerun(async () => {
    try {
      await endServers()
    } finally {
      await makeBundle()
      endServers = planSharedServers()
    }
  })
  const ends = [planPostgres(), planChromium()]
  function endAtOnce(): void {
    killSharedServers()
    for (const end of ends) end()
    removeLater(folder)
  }
  // They end this process before it calls what this function returns.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      endAtOnce()
      process.exit(1)
    })
  }
  return async () => {
    try {
      await endServers()
    } finally {
      endAtOnce()
    }
  }
}

/** There are tens of thousands of files, some of processes that are just ending. Nobody needs to wait for that. */
function removeLater(folder: string): void {
  const script = 'rm -rf "$1" 2>/dev/null || { sleep 2; rm -rf "$1"; }'
  spawn('sh', ['-c', script, 'sh', folder], { detached: true, stdio: 'ignore' }).unref()
}
