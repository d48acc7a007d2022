import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { mailboxOfLine } from '../../src/protocol/wire/notices.ts'
import { noticesPerMailMax, turnMs } from '../../src/service/delivery/notice_delivery.ts'
import { VaultError } from '../../src/service/vault/client.ts'
import { withDatabase } from '../support/database.ts'
import { ask, deliver, prepare, rowsIn, soon, subOrganizationOf } from '../support/notices.ts'
import {
  newPrivateKey,
  organizationOf,
  repeated,
  startOrganization,
  type TestOrganization,
} from '../support/organization.ts'

/** Nobody keeps back what others are told by mail. */

const hourMs = 60 * 60 * 1000

/** Bob and the root user decide together, and Bob alone has a mailbox. */
async function withBob(organization: TestOrganization): Promise<TestOrganization> {
  const bob = await organization.anotherUser('Bob')
  await organization.done('update_user_email', { userId: bob.userId, userEmail: 'bob@example.org' })
  await organization.done('update_root_quorum', { threshold: 2, userIds: [organization.rootUserId, bob.userId] })
  return organization
}

/** Resolves when so many mails have been delivered and their notices are gone: then the clock may go on. */
async function delivered(server: Awaited<ReturnType<typeof deliver>>, count: number) {
  await expect.poll(() => server.lines.filter((line) => line === 'notices were delivered').length).toBe(count)
  return server.received
}

test('a sub-organization whose user has the mailbox of an approver keeps no notice of the parent back', async () => {
  const parent = await startOrganization({ sendsNotices: true })
  const mallory = await subOrganizationOf(parent, ['BOB@example.org'])
  await withBob(parent)
  const server = await deliver(parent)
  await ask(mallory, 'x')
  await delivered(server, 1)
  parent.clock.nowMs += 5_000
  const { body } = await ask(parent)
  for (let turn = 1; turn <= 3; turn += 1) {
    await ask(mallory, `x${turn}`)
    parent.clock.nowMs += turnMs - 5_000
    await delivered(server, 1 + turn)
    parent.clock.nowMs += 5_000
  }
  const ofParent = server.received.map(({ mail }) => mail.text?.includes(body.activity.id))
  expect(ofParent).toEqual([false, true, false, false])
})

test('organizations take turns with their notices, whichever is older', async () => {
  const parent = await startOrganization({ sendsNotices: true })
  const emails = (index: number) => repeated(30, (at) => `u${index}x${at}@example.com`)
  const children: TestOrganization[] = []
  for (let index = 0; index < 4; index += 1) children.push(await subOrganizationOf(parent, emails(index)))
  const made = await parent.server.createOrganization()
  const other = await withBob(organizationOf(parent, { ...made, rootUserId: made.userId }))
  for (const child of children) await ask(child)
  await ask(other)
  const server = await deliver(parent)
  const place = () => server.received.findIndex(({ to }) => to.includes('bob@example.org'))
  await expect.poll(place, { timeout: 30_000 }).toBeGreaterThan(-1)
  expect(place()).toBeLessThan(40)
})

test('of two approvers with one mailbox, the vote of one takes the other no notice and no reminder', async () => {
  const organization = await startOrganization({ sendsNotices: true })
  const { done, submit, anotherUser, rootUserId } = organization
  const [ada, bob] = [await anotherUser('Ada'), await anotherUser('Bob')]
  for (const { userId } of [ada, bob]) await done('update_user_email', { userId, userEmail: 'team@example.org' })
  await done('update_root_quorum', { threshold: 3, userIds: [rootUserId, ada.userId, bob.userId] })
  const { fingerprint } = (await ask(organization)).body.activity
  expect(rowsIn(organization)).toHaveLength(2)
  await submit('approve_activity', { fingerprint }, { apiKey: ada.apiKey })
  const server = await deliver(organization)
  await delivered(server, 1)
  organization.clock.nowMs += 22.1 * hourMs
  const [, reminder] = await delivered(server, 2)
  expect(reminder?.mail.subject).toMatch(/^An approval lapses/)
  await submit('approve_activity', { fingerprint }, { apiKey: bob.apiKey })
  await expect.poll(() => rowsIn(organization)).toEqual([])
})

test('a user who switches notices off takes none from others with the same mailbox', async () => {
  const organization = await startOrganization({ sendsNotices: true })
  const { done, submit, anotherUser } = organization
  const [mallory, bob, eve] = [await anotherUser('Mallory'), await anotherUser('Bob'), await anotherUser('Eve')]
  for (const { userId } of [mallory, bob]) await done('update_user_email', { userId, userEmail: 'team@example.org' })
  const condition = "activity.resource == 'PRIVATE_KEY'"
  const policy = {
    policyName: 'two',
    effect: 'EFFECT_ALLOW',
    condition,
    consensus: 'approvers.count() >= 2',
    notes: '',
  }
  await done('create_policy', policy)
  await submit('create_private_keys', { privateKeys: [newPrivateKey()] }, { apiKey: eve.apiKey })
  const switchOff = ({ userId, apiKey }: typeof bob) =>
    submit('set_notice_preferences', { userId, receivesNotices: false }, { apiKey })
  await switchOff(mallory)
  const server = await deliver(organization)
  expect((await delivered(server, 1))[0]?.to).toEqual(['team@example.org'])
  await switchOff(bob)
  organization.clock.nowMs += 22.1 * hourMs
  await expect.poll(() => rowsIn(organization)).toEqual([])
  expect(server.received).toHaveLength(1)
})

test('no number of other requests pushes a request out of the mails to its approver', async () => {
  const { organization } = await prepare()
  const server = await deliver(organization)
  const texts = () => server.received.map(({ mail }) => mail.text ?? '')
  await ask(organization, 'first')
  await delivered(server, 1)
  await ask(organization, 'HARMFUL')
  for (const name of repeated(101, (index) => `harmless ${index}`)) await ask(organization, name)
  organization.clock.nowMs += turnMs + 1
  await delivered(server, 2)
  expect(texts()[1]).toContain('HARMFUL')
  expect(texts()[1]).toContain('More notices wait for the next mails.')
  for (let mails = 3; mails <= 4; mails += 1) {
    organization.clock.nowMs += turnMs + 1
    await delivered(server, mails)
  }
  expect(texts()[3]).not.toContain('More notices wait')
  organization.clock.nowMs += 22 * hourMs
  await delivered(server, 5)
  expect(texts()[4]).toMatch(/^An approval lapses/)
  expect(texts()[4]).toContain('HARMFUL')
}, 60_000)

test('users who ask share a mail, however much one of them asks for', async () => {
  const { organization, carol } = await prepare()
  const server = await deliver(organization)
  await ask(organization, 'first')
  await delivered(server, 1)
  const many = noticesPerMailMax + 10
  for (const name of repeated(many, (index) => `many ${index}`)) await ask(organization, name, carol.apiKey)
  await ask(organization, 'single')
  organization.clock.nowMs += turnMs + 1
  const toBob = () => server.received.filter(({ to }) => to.includes('bob@example.org'))
  await expect.poll(() => toBob().length).toBe(2)
  expect(toBob()[1]?.mail.subject).toBe(`${noticesPerMailMax} notices`)
  expect(toBob()[1]?.mail.text).toContain('“single”')
})

test.each([550, 451])('a text that a mailbox answers with %i takes nobody else the notices', async (responseCode) => {
  const { organization, carol } = await prepare()
  await ask(organization, 'GTUBE', carol.apiKey)
  await ask(organization, 'honest')
  const toBob: { isSpam: boolean; text: string }[] = []
  const server = await deliver(organization, {
    onData: (stream, { envelope }, done) => {
      void buffer(stream).then((content) => {
        const isSpam = content.includes('GTUBE')
        done(isSpam ? Object.assign(new Error('spam'), { responseCode }) : null)
        if (envelope.rcptTo.some(({ address }) => address === 'bob@example.org')) {
          toBob.push({ isSpam, text: String(content) })
        }
      })
    },
  })
  const taken = () => toBob.find(({ isSpam }) => !isSpam)
  for (let turn = 1; taken() === undefined; turn += 1) {
    await expect.poll(() => toBob.length).toBeGreaterThanOrEqual(turn)
    await soon()
    organization.clock.nowMs += turnMs + 1
  }
  expect(toBob[0]?.isSpam).toBe(true)
  expect(taken()?.text).toContain('honest')
  expect(server.lines).toContain('notices wait')
})

test('lines of which nothing is due leave the places of a mail to others', async () => {
  const parent = await startOrganization({ sendsNotices: true })
  const child = await subOrganizationOf(parent, ['bob@example.org'])
  await withBob(parent)
  const server = await deliver(parent)
  await ask(parent)
  await delivered(server, 1)
  await expect.poll(() => rowsIn(parent)).toHaveLength(1)
  // Reminders of more users who ask than one mail has lines.
  withDatabase(parent.server.folder, (hand) => {
    const reminder = hand.one({ table: 'notices', where: {} })
    for (const message_id of repeated(noticesPerMailMax + 1, String)) {
      const user_id = `${mailboxOfLine(String(reminder.user_id))}${message_id}`
      hand.insert('notices', { ...reminder, message_id, user_id })
    }
  })
  parent.clock.nowMs += turnMs + 1
  const { body } = await ask(child)
  expect((await delivered(server, 2))[1]?.mail.text).toContain(body.activity.id)
})

test.each(['asks for more each time', 'throws'] as const)(
  'notices that the vault does not open, because it %s, keep back no others of their mailbox and are not lost',
  async (failure) => {
    const { organization } = await prepare()
    const { vault } = organization.server
    for (const name of repeated(noticesPerMailMax, (index) => `stuck ${index}`)) await ask(organization, name)
    const stuck = new Set(rowsIn(organization).map(({ message_id }) => message_id))
    let calls = 0
    const server = await deliver(organization, {
      vault: {
        async openMessage(request) {
          if (!stuck.has(request.messageId)) return vault.openMessage(request)
          calls += 1
          if (failure === 'throws') throw new VaultError({ name: 'Error', message: 'a bug' })
          return { kind: 'moreReads', reads: [] }
        },
      },
    })
    await expect.poll(() => new Set(server.lines)).toEqual(new Set(['the vault cannot open a notice now: it waits']))
    await soon()
    const callsOfTurn = calls
    await soon()
    expect(calls).toBe(callsOfTurn)
    await ask(organization, 'fine')
    organization.clock.nowMs += turnMs + 1
    expect((await delivered(server, 1))[0]?.mail.text).toContain('“fine”')
    expect(server.received[0]?.mail.text).toContain('More notices wait for the next mails.')
    stuck.clear()
    organization.clock.nowMs += turnMs + 1
    expect((await delivered(server, 2))[1]?.mail.subject).toBe(`${noticesPerMailMax} notices`)
  },
)
