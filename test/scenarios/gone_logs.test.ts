import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { organizationOver } from '../support/http_organization.ts'
import { type ReachableServer, startRunningServer } from '../support/running_server.ts'
import { killLaunched, run } from '../support/server_command.ts'
import { soon } from '../support/soon.ts'

/** Logs of nodes that never come back: the vault of each has begun another log, or its machine is gone. */

afterAll(killLaunched)

type ListedLog = { readonly origin: string; readonly keys: readonly string[]; readonly size: number }

const listed = async ({ url }: ReachableServer): Promise<readonly ListedLog[]> =>
  (await (await fetch(`${url}/log/`)).json()).logs

/** Makes a tag, and waits until so many logs have one entry more than before. */
async function makeTag(server: ReachableServer, userTagName: string): Promise<void> {
  const sizeOf = async () => (await listed(server)).reduce((sum, { size }) => sum + size, 0)
  await sleep(2_500)
  const before = await sizeOf()
  await organizationOver(server).done('create_user_tag', { userTagName, userIds: [] })
  await soon(async () => expect(await sizeOf()).toBeGreaterThan(before))
}

test('a log that ended with its journal stays listed, exports end and verify, and nothing warns of it', async () => {
  const first = await startRunningServer()
  const { folder } = first
  await makeTag(first, 'before')
  const [gone] = await listed(first)
  await first.stop()
  rmSync(join(folder, 'mark'), { recursive: true })

  const server = await startRunningServer({ folder })
  await makeTag(server, 'after')
  const logs = await listed(server)
  expect(logs).toHaveLength(2)
  expect(logs).toContainEqual(gone)
  const ready = await fetch(`${server.url}/readyz`)
  expect([ready.status, (await ready.json()).reasons]).toEqual([200, []])

  const at = mkdtempSync(join(tmpdir(), 'claviger-gone-'))
  onTestFinished(() => rmSync(at, { recursive: true, force: true }))
  const [file, policy] = [join(at, 'export'), join(at, 'policy')]
  const keys = logs.flatMap((log) => log.keys)
  writeFileSync(policy, `${keys.map((key) => `log ${key}\n`).join('')}quorum none\n`)
  const credentials = join(folder, 'credentials.json')
  const exported = await run(['log', 'export', '--output', file, '--credentials', credentials, '--json'])
  expect([exported.code, exported.stderr]).toEqual([0, ''])
  const verified = await run(['log', 'verify', file, '--policy', policy, '--json'])
  const { chain, rules } = JSON.parse(verified.stdout.join(''))
  expect([verified.code, chain.findings, rules.findings, chain.logs.length]).toEqual([0, [], [], 2])
  await server.stop()
})
