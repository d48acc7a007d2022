import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** Starts what all processes of the run share: the first that needs it starts it, and the others wait for it. */
export async function startOnce(folder: string, start: () => Promise<void>): Promise<void> {
  const ready = join(folder, 'ready')
  if (existsSync(ready)) return
  if (isFirst(join(folder, 'starting'))) {
    await start()
    writeFileSync(ready, '')
  }
  while (!existsSync(ready)) await setTimeout(20)
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
