import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { activityRequest } from '../support/client.ts'
import { organizationOver } from '../support/http_organization.ts'
import { type ReachableServer, startRunningServer } from '../support/running_server.ts'
import { killLaunched } from '../support/server_command.ts'
import { soon } from '../support/soon.ts'

/** A server whose journal is an older copy than its transparency log. */

afterAll(killLaunched)

type ListedLog = { readonly origin: string; readonly size: number }

const listed = async ({ url }: ReachableServer): Promise<readonly ListedLog[]> =>
  (await (await fetch(`${url}/log/`)).json()).logs
const checkpointOf = async ({ url }: ReachableServer, { origin }: ListedLog) =>
  (await fetch(`${url}/log/${origin.split('/').at(-1)}/checkpoint`)).text()
const readiness = async ({ url }: ReachableServer) => {
  const answer = await fetch(`${url}/readyz`)
  return { status: answer.status, reasons: (await answer.json()).reasons }
}

/** Makes tags, and waits until the log has an entry of each. */
async function makeTags(server: ReachableServer, names: readonly string[]): Promise<ListedLog> {
  await sleep(2_500)
  await soon(async () => expect(await listed(server)).toHaveLength(1))
  const before = await listed(server)
  for (const userTagName of names) await organizationOver(server).done('create_user_tag', { userTagName, userIds: [] })
  const size = (before[0]?.size ?? 0) + names.length
  return soon(async () => {
    const [log] = await listed(server)
    if (log?.size !== size) throw new Error(`the log has ${log?.size} entries and not ${size}`)
    return log
  })
}

async function tryTag(server: ReachableServer, userTagName: string): Promise<number> {
  const { organizationId, post, freshTimestampMs } = organizationOver(server)
  const asked = { organizationId, parameters: { userTagName, userIds: [] }, timestampMs: freshTimestampMs() }
  const { path, body } = activityRequest('create_user_tag', asked)
  return (await post(path, body)).status
}

test('with an older copy of the journal nothing leaves and nothing is published, until the newest is back', async () => {
  const first = await startRunningServer()
  const { folder } = first
  await makeTags(first, ['one'])
  await first.stop()
  const [journal, older, newest] = ['mark', 'older', 'newest'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  cpSync(journal, older, { recursive: true })

  const second = await startRunningServer({ folder })
  const log = await makeTags(second, ['two', 'three'])
  const checkpoint = await checkpointOf(second, log)
  await second.stop()
  cpSync(journal, newest, { recursive: true })

  rmSync(journal, { recursive: true })
  cpSync(older, journal, { recursive: true })
  const set = await startRunningServer({ folder })
  const difference = `it has signed a tree of ${log.size} entries, and the journal has ${log.size - 2} of them, so that is an older copy`
  const remedy =
    'let one server run, put the newest copy of the journal’s folder back and start again; if it is gone, move the folder away'
  const reason = `the transparency log has forked: ${difference}; ${remedy}`
  // The first request finds it compared.
  expect(await tryTag(set, 'four')).toBe(503)
  expect(await readiness(set)).toEqual({ status: 503, reasons: [reason] })
  await sleep(2_500)
  expect([await listed(set), await checkpointOf(set, log)]).toEqual([[log], checkpoint])
  await set.stop()
  const incidents = set.complaints.filter((line) => line.includes('nothing is changed or signed'))
  expect(incidents.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'error', incidentId: expect.any(String) }),
  ])

  rmSync(journal, { recursive: true })
  cpSync(newest, journal, { recursive: true })
  const again = await startRunningServer({ folder })
  await makeTags(again, ['five'])
  expect(await readiness(again)).toEqual({ status: 200, reasons: [] })
  await again.stop()

  // Without its journal the vault begins another log, and works.
  rmSync(journal, { recursive: true })
  const another = await startRunningServer({ folder })
  expect(await tryTag(another, 'six')).toBe(200)
  await soon(async () => expect(await listed(another)).toHaveLength(2))
  expect((await readiness(another)).status).toBe(200)
  await another.stop()
}, 240_000)
