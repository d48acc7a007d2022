import { readFileSync } from 'node:fs'

/**
 * How many files and sockets this process may have open. Node has raised the soft limit to the hard one before.
 * Undefined if there is no limit, and on systems that do not tell it.
 */
export function openFilesLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}
