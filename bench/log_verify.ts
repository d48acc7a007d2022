import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyExport } from '../src/cli/log/verify/verify_export.ts'
import { readPolicy } from '../src/protocol/log/policy.ts'
import { benchPolicy, writeBenchExport } from './log_export.ts'

/**
 * Measures `claviger log verify` in all its steps, each export in a process of its own: the time, the processor time and
 * the most memory. An export has a signature for each entry, with its stamp.
 *
 *     node bench/log_verify.ts [entries…]
 */
const [first, ...rest] = process.argv.slice(2)
const mebibyte = 1024 * 1024

async function measure(path: string): Promise<void> {
  const policy = readPolicy(Buffer.from(benchPolicy))
  if (policy.kind === 'malformed') throw new Error(policy.reason)
  const file = await open(path)
  const [startedMs, before, mainBefore] = [performance.now(), process.cpuUsage(), process.threadCpuUsage()]
  const { chain, ...steps } = await verifyExport(file, { policy: policy.value })
  const seconds = (performance.now() - startedMs) / 1_000
  const { user, system } = process.cpuUsage(before)
  const main = process.threadCpuUsage(mainBefore)
  await file.close()
  const faults = [chain, ...Object.values(steps)].flatMap(({ findings }) => findings)
  if (faults.length > 0) throw new Error(`the export is wrong: ${JSON.stringify(faults[0])}`)
  const mib = (process.resourceUsage().maxRSS / 1024).toFixed(0)
  const checked = Object.entries(steps).map(([step, { checked }]) => `${checked} ${step}`)
  const perSecond = (chain.entries / seconds).toFixed(0)
  console.log(
    `${chain.entries} entries, ${checked.join(', ')}: ${seconds.toFixed(1)} s, ${perSecond} entries per second, ` +
      `${((user + system) / chain.entries).toFixed(0)} µs of processor time for each, of it ` +
      `${((main.user + main.system) / chain.entries).toFixed(0)} in the main thread; at most ${mib} MiB`,
  )
}

if (first === '--file') await measure(rest[0] ?? '')
else {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-log-verify-'))
  try {
    for (const entries of first === undefined ? ['10000', '100000'] : [first, ...rest]) {
      const path = join(folder, entries)
      await writeBenchExport(path, Number(entries) - 1)
      console.log(`an export of ${(statSync(path).size / mebibyte).toFixed(0)} MiB`)
      execFileSync(process.execPath, [import.meta.filename, '--file', path], { stdio: 'inherit' })
      rmSync(path)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
