import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/**
 * Starts what all processes of the run share: the first that needs it starts it, and the others wait for it. If the start
 * fails, it fails for all of them.
 */
export async function startOnce(folder: string, start: () => Promise<void>): Promise<void> {
  const ready = join(folder, 'ready')
  const failed = join(folder, 'failed')
  if (existsSync(ready)) return
  if (isFirst(join(folder, 'starting'))) {
    await start().catch((error: unknown) => {
      writeFileSync(failed, String(error))
      throw error
    })
    writeFileSync(ready, '')
  }
  for (; !existsSync(ready); await setTimeout(20)) {
    if (existsSync(failed)) throw new Error(readFileSync(failed, 'utf8'))
  }
}

/**
 * Looks for what a process shows once it has started, until it is there. Undefined if the process ended before, or took
 * longer.
 */
export async function foundAtStart<Found>(
  child: ChildProcess,
  msMax: number,
  look: () => Promise<Found | undefined> | Found | undefined,
): Promise<Found | undefined> {
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  for (const end = Date.now() + msMax; Date.now() < end && !isOver(); await setTimeout(20)) {
    const found = await look()
    if (found !== undefined) return found
  }
  return undefined
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

/** Kills the process whose id is in the folder's file `pid`, and those that it started: it leads a group of its own. */
export function endGroupOf(folder: string): void {
  const file = join(folder, 'pid')
  if (!existsSync(file)) return
  try {
    process.kill(-Number(readFileSync(file, 'utf8')), 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
