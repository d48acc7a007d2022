import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes the pictures of README.md and docs/people.md: the test drives the console, and leaves them in docs/pictures. The
 * test needs Debian's Chromium.
 */

const folder = join(import.meta.dirname, '..', 'docs', 'pictures')
const allBytesMax = 600_000

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'shared', 'test/console/three_people.test.ts'], {
  cwd: join(folder, '..', '..'),
  stdio: 'inherit',
  env: { ...process.env, CLAVIGER_TEST_PICTURES: folder, CLAVIGER_TEST_ALL: '1' },
})
const sizes = globSync('*.png', { cwd: folder }).map((name) => statSync(join(folder, name)).size)
const bytes = sizes.reduce((sum, size) => sum + size, 0)
process.stdout.write(`${sizes.length} pictures, ${bytes} bytes\n`)
if (bytes > allBytesMax) process.stderr.write(`at most ${allBytesMax} bytes are wanted\n`)
process.exitCode = status === 0 && bytes <= allBytesMax ? 0 : 1
