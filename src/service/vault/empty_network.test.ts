import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { emptyNetwork } from './empty_network.ts'

/** Returns the command, and the lines of the log. */
async function tried(commands?: readonly (readonly string[])[]) {
  const logged: [object, string][] = []
  const inside = await emptyNetwork({ warn: (fields, message) => logged.push([fields, message]) }, commands)
  return { inside, logged }
}

/** Whether this machine allows it, asked as a person would. */
function isAllowed(): boolean {
  for (const flags of [['--net'], ['--user', '--map-current-user', '--net']]) {
    try {
      execFileSync('unshare', [...flags, 'true'], { stdio: 'ignore' })
      return true
    } catch {}
  }
  return false
}

test('a command in front runs without a network where the kernel allows it, and else the log says so', async () => {
  const { inside, logged } = await tried()
  const [program = 'cat', ...parts] = [...inside, 'cat']
  const table = execFileSync(program, [...parts, '/proc/self/net/dev'], { encoding: 'utf8' })
  const interfaces = [...table.matchAll(/^ *(\S+):/gm)].map(([, name]) => name)
  if (isAllowed()) expect([interfaces, logged]).toEqual([['lo'], []])
  else expect([inside, logged.length]).toEqual([[], 1])
})

test('the next command is tried if one is refused or missing, and one line tells of all', async () => {
  expect(await tried([['false'], ['env']])).toEqual({ inside: ['env'], logged: [] })
  const { inside, logged } = await tried([['no-such-program'], ['false']])
  expect([inside, logged.length]).toEqual([[], 1])
  expect(JSON.stringify(logged)).toMatch(/no-such-program ENOENT.*Command failed: false/)
})
