import { expect, test } from 'vitest'
import { type Hand, type Place, withDatabase } from '../support/database.ts'
import { expectIncident } from '../support/incidents.ts'
import { organizationOf } from '../support/organization.ts'
import { start } from '../support/start.ts'

/** A database that puts an activity back as it was before a vote. The head says in which version the activity waits. */

type Waiting = Awaited<ReturnType<typeof startWaiting>>

async function startWaiting() {
  const clock = { nowMs: Date.UTC(2026, 0, 1) }
  const server = await start({ nowMs: () => clock.nowMs })
  const { organizationId, userId: rootUserId, apiKey } = await server.createOrganization()
  const root = { organizationId, rootUserId, apiKey }
  const { anotherUser, done, submit } = organizationOf({ server, clock }, root)
  const [second, third] = [await anotherUser('second'), await anotherUser('third')]
  await done('update_root_quorum', { threshold: 3, userIds: [rootUserId, second.userId, third.userId] })
  const { body } = await submit('update_organization_name', { organizationName: 'Renamed' })
  const { id, fingerprint } = body.activity
  const place: Place = { table: 'activities', where: { organization_id: organizationId, activity_id: id } }
  const { status, version, sealed } = withDatabase(server.folder, (hand) => hand.one(place))
  const putBack = (hand: Hand) =>
    hand.update(place, { status: status ?? null, version: version ?? null, sealed: sealed ?? null })
  return { server, clock, root, submit, second, third, fingerprint, putBack }
}

const moments = {
  'while the server runs': async ({ server, putBack }: Waiting) => {
    withDatabase(server.folder, putBack)
    return server
  },
  'before it starts again': async ({ server, clock, putBack }: Waiting) => {
    await server.close()
    withDatabase(server.folder, putBack)
    return start({ folder: server.folder, nowMs: () => clock.nowMs })
  },
} as const

for (const [moment, go] of Object.entries(moments)) {
  for (const [vote, status] of [
    ['reject_activity', 'ACTIVITY_STATUS_REJECTED'],
    ['approve_activity', 'ACTIVITY_STATUS_CONSENSUS_NEEDED'],
  ] as const) {
    test(`${vote}, taken back ${moment}: nobody can vote on the activity any more, and it is not run`, async () => {
      const waiting = await startWaiting()
      const { clock, root, submit, second, third, fingerprint } = waiting
      const voted = await submit(vote, { fingerprint }, second)
      expect(voted.body.activity).toMatchObject({ status })
      const server = await go(waiting)
      const later = organizationOf({ server, clock }, root)
      for (const name of ['approve_activity', 'reject_activity'] as const) {
        expectIncident(server, await later.submit(name, { fingerprint }, third), name)
      }
      expect((await later.found('whoami')).organizationName).toBe('First')
    })
  }
}
