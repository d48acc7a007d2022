import { spawnSync } from 'node:child_process'
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
  return found ?? without(packageName, skip)
}

/** Returns Debian's Python if it has this module, of the package `python3-…`; otherwise as `needsDebian`. */
export function needsDebianPython(module: string, { skip }: TestContext): string {
  const python = '/usr/bin/python3'
  const hasModule = isExecutable(python) && spawnSync(python, ['-c', `import ${module}`]).status === 0
  return hasModule ? python : without(`python3-${module}`, skip)
}

function without(packageName: string, skip: TestContext['skip']): never {
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
