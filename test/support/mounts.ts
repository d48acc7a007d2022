import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { onTestFinished, type TestContext } from 'vitest'

/**
 * Mounts a file system on a folder of its own until the test ends, which only root can do. Elsewhere the test is skipped.
 * With `CLAVIGER_TEST_ALL=1` it fails, so that CI leaves nothing out. `options` are those of mount(8).
 */
export function mountedFolder({ skip }: Pick<TestContext, 'skip'>, type: 'overlay' | 'tmpfs', options: string): string {
  const folder = mkdtempSync('/tmp/claviger-disk-') // a user without rights reaches it
  try {
    execFileSync('mount', ['-t', type, '-o', options, 'claviger', folder], { stdio: 'pipe' })
  } catch (cause) {
    rmSync(folder, { recursive: true })
    const reason = `needs root and a kernel that mounts ${type}`
    if (process.env.CLAVIGER_TEST_ALL === '1') throw new Error(reason, { cause })
    skip(reason)
  }
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true })
  })
  return folder
}
