import { expect, test } from 'vitest'
import { type Hand, type Place, withDatabase } from '../support/database.ts'
import { expectIncident } from '../support/incidents.ts'
import { startOrganization } from '../support/organization.ts'

/** Whoever has the database puts back an activity as it was before a vote: the head says in which version it waits. */

async function startWaiting() {
  const organization = await startOrganization()
  const { server, organizationId, rootUserId, anotherUser, done, submit } = organization
  const [second, third] = [await anotherUser('second'), await anotherUser('third')]
  await done('update_root_quorum', { threshold: 3, userIds: [rootUserId, second.userId, third.userId] })
  const { body } = await submit('update_organization_name', { organizationName: 'Renamed' })
  const { id, fingerprint } = body.activity
  const place: Place = { table: 'activities', where: { organization_id: organizationId, activity_id: id } }
  const { status, version, sealed } = withDatabase(server.folder, (hand) => hand.one(place))
  const putBack = (hand: Hand) =>
    hand.update(place, { status: status ?? null, version: version ?? null, sealed: sealed ?? null })
  return { ...organization, second, third, fingerprint, putBack }
}

for (const [vote, status] of [
  ['reject_activity', 'ACTIVITY_STATUS_REJECTED'],
  ['approve_activity', 'ACTIVITY_STATUS_CONSENSUS_NEEDED'],
] as const) {
  test(`after ${vote}: nobody can vote on it any more, and nothing of it is run`, async () => {
    const { server, submit, found, second, third, fingerprint, putBack } = await startWaiting()
    const voted = await submit(vote, { fingerprint }, second)
    expect(voted.body.activity).toMatchObject({ status })
    withDatabase(server.folder, putBack)
    for (const name of ['approve_activity', 'reject_activity'] as const) {
      expectIncident(server, await submit(name, { fingerprint }, third), name)
    }
    expect((await found('whoami')).organizationName).toBe('First')
    server.incidents.splice(0) // each of them was looked at
  })
}
