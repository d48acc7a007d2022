import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'vitest'

/**
 * Returns the path of a program that npm does not bring. Without it the test is skipped and names the Debian package
 * that it needs. With `CLAVIGER_TEST_ALL=1` the test fails, so that CI leaves nothing out. The program has the name of
 * its package by default; of several programs that will do, the first that is there is taken.
 */
export function needsDebian(packageName: string, { skip }: TestContext, ...programs: readonly string[]): string {
  const names = programs.length === 0 ? [packageName] : programs
  const folders = (process.env.PATH ?? '').split(delimiter)
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
  if (found !== undefined) return found
  const reason = `needs the Debian package ${packageName}: apt-get install ${packageName}`
  if (process.env.CLAVIGER_TEST_ALL === '1') throw new Error(reason)
  return skip(reason)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
