import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** A limit to the share of a core that a process may use. `by` says how it is set; `lift` ends it. */
export type CpuQuota = { readonly by: string; readonly lift: () => Promise<void> }

/** Short, so that a process with a fifth of a core stands still for eight milliseconds at a time. */
const periodUs = 10_000

/**
 * Lets a process use a share of one core: by a control group (version 1 or 2) where these can be written, else by
 * stopping and continuing it, which is less exact.
 */
export function limitCpu(pid: number, share: number): CpuQuota {
  const quotaUs = Math.round(periodUs * share)
  return (
    byGroup(pid, '/sys/fs/cgroup/cpu', { 'cpu.cfs_period_us': periodUs, 'cpu.cfs_quota_us': quotaUs }) ??
    byGroup(pid, '/sys/fs/cgroup', { 'cpu.max': `${quotaUs} ${periodUs}` }) ??
    bySignals(pid, share)
  )
}

function byGroup(pid: number, root: string, limits: Readonly<Record<string, number | string>>): CpuQuota | undefined {
  const group = join(root, `claviger-bench-${pid}`)
  try {
    mkdirSync(group)
    for (const [file, value] of Object.entries(limits)) {
      if (!existsSync(join(group, file))) throw new Error(`the system gives the group no ${file}`)
      writeFileSync(join(group, file), String(value))
    }
    writeFileSync(join(group, 'cgroup.procs'), String(pid))
  } catch {
    if (existsSync(group)) rmdirSync(group)
    return undefined
  }
  return {
    by: Object.keys(limits).join(', '),
    async lift() {
      writeFileSync(join(root, 'cgroup.procs'), String(pid))
      rmdirSync(group)
    },
  }
}

function bySignals(pid: number, share: number): CpuQuota {
  const periodMs = periodUs / 1_000
  let isLifted = false
  async function takeTurns() {
    while (!isLifted) {
      process.kill(pid, 'SIGSTOP')
      await setTimeout(periodMs * (1 - share))
      process.kill(pid, 'SIGCONT')
      await setTimeout(periodMs * share)
    }
  }
  const turns = takeTurns()
  return {
    by: 'SIGSTOP and SIGCONT',
    async lift() {
      isLifted = true
      await turns
    },
  }
}
