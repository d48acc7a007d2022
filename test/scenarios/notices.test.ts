import { serializeTransaction, zeroAddress } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { noticesPerMailMax, turnMs } from '../../src/service/delivery/notice_delivery.ts'
import { encodedCall } from '../support/contract_calls.ts'
import { withDatabase } from '../support/database.ts'
import { breakExplanation } from '../support/explanations.ts'
import { ask, code, deliver, prepare, rowsIn, soon, subOrganizationOf } from '../support/notices.ts'
import { newAccount, repeated, startOrganization, type TestOrganization } from '../support/organization.ts'
import { databaseText } from '../support/server_database.ts'
import { startMailServer } from '../support/smtp_server.ts'

/** Users are told of activities by mail, through a real SMTP server. */

const hourMs = 60 * 60 * 1000

test('who may approve is told with the explanation, and who asked is told the outcome', async () => {
  const { organization, bob } = await prepare()
  const server = await deliver(organization)
  const { body } = await ask(organization)
  expect(body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  const [asked] = await server.arrived(1)
  expect(asked?.to).toEqual(['bob@example.org'])
  expect(asked?.mail.subject).toBe('Your approval is asked for: Create private keys: “Treasury”')
  for (const part of [asked?.mail.text, asked?.mail.html]) {
    expect(part).toContain('“Treasury”')
    expect(part).toContain('requested by: “root”')
    expect(part).toContain(`https://keys.example/#/activities/${body.activity.id}`)
    expect(part).not.toContain('/#/inbox')
  }

  const { fingerprint } = body.activity
  await organization.done('approve_activity', { fingerprint }, { apiKey: bob.apiKey }).catch(() => {})
  const [, told] = await server.arrived(2)
  expect(told).toMatchObject({ to: ['root@example.org'] })
  expect(told?.mail.subject).toMatch(/^Your request was approved and is done: /)
  await soon()
  expect(server.received).toHaveLength(2)
})

test('a bug in an explanation stops neither a request nor a vote, and the mail says that it could not be explained', async () => {
  const { organization, bob } = await prepare()
  breakExplanation('ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2')
  const server = await deliver(organization)
  const { body } = await ask(organization)
  const [asked] = await server.arrived(1)
  const title = `WARNING: this request could not be explained. Create private keys: activity ${body.activity.id}`
  expect(asked?.mail.subject).toBe(`Your approval is asked for: ${title}`)
  const { fingerprint } = body.activity
  const voted = await organization.submit('approve_activity', { fingerprint }, { apiKey: bob.apiKey })
  expect(voted.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  const [, told] = await server.arrived(2)
  expect(told?.mail.subject).toBe(`Your request was approved and is done: ${title}`)
  organization.server.incidents.length = 0
})

test('a rejection is told', async () => {
  const { organization, bob } = await prepare()
  const server = await deliver(organization)
  const rejected = await ask(organization)
  const { fingerprint } = rejected.body.activity
  await organization.submit('reject_activity', { fingerprint }, { apiKey: bob.apiKey })
  const mails = await server.arrived(1)
  await expect.poll(() => mails.some(({ mail }) => mail.subject?.startsWith('Your request was rejected'))).toBe(true)
})

test('an approved request that fails is told as failed', async () => {
  const { organization, bob } = await prepare()
  const approve = (fingerprint: string) =>
    organization.submit('approve_activity', { fingerprint }, { apiKey: bob.apiKey })
  const wallet = { walletName: 'same', accounts: [] }
  const first = (await organization.submit('create_wallet', wallet)).body.activity
  const second = (await organization.submit('create_wallet', wallet)).body.activity
  await approve(first.fingerprint)
  expect((await approve(second.fingerprint)).body.activity.status).toBe('ACTIVITY_STATUS_FAILED')
  organization.clock.nowMs += turnMs
  const server = await deliver(organization)
  const mails = await server.arrived(1)
  const told = mails.find(({ to }) => to.includes('root@example.org'))
  expect(told?.mail.subject).toBe('2 notices')
  expect(told?.mail.text).toMatch(/Your request was approved and is done.*Your request was approved and failed/s)
  for (const { id } of [first, second]) expect(told?.mail.text).toContain(`https://keys.example/#/activities/${id}`)
  expect(told?.mail.html).toContain('<a class="action" href="https://keys.example/#/inbox">Open the inbox</a>')
})

test('nobody is told of what is done at once, nor while notices are off', async () => {
  const { organization } = await prepare({ sendsNotices: false })
  await ask(organization)
  expect(rowsIn(organization)).toEqual([])
  const alone = await startOrganization({ sendsNotices: true })
  await alone.done('update_user_email', { userId: alone.rootUserId, userEmail: 'root@example.org' })
  await ask(alone)
  expect(rowsIn(alone)).toEqual([])
})

test('a user who wants none gets none, and may say so without a rule', async () => {
  const { organization, bob } = await prepare()
  const { submit } = organization
  const preferences = { userId: bob.userId, receivesNotices: false }
  const set = await submit('set_notice_preferences', preferences, { apiKey: bob.apiKey })
  expect(set.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  await ask(organization)
  expect(rowsIn(organization)).toEqual([])
  await submit('set_notice_preferences', { ...preferences, receivesNotices: true }, { apiKey: bob.apiKey })
  await ask(organization)
  expect(rowsIn(organization)).not.toEqual([])
})

test('a mailbox of several users is told once', async () => {
  const { organization } = await prepare({ carolsEmail: 'BOB@example.org' })
  await ask(organization)
  expect(rowsIn(organization)).toHaveLength(2)
})

test('the sealed notices tell a reader of the database nothing', async () => {
  const { organization } = await prepare()
  await ask(organization, 'Treasury of Acme')
  expect(rowsIn(organization)).toHaveLength(2)
  expect(databaseText(organization.server.folder)).not.toContain('Treasury of Acme')
})

test('several nodes send one mail a minute to one user, with all that has come in', async () => {
  const { organization } = await prepare()
  const server = await deliver(organization)
  server.startAnother()
  server.startAnother()
  await ask(organization, 'first')
  await server.arrived(1)
  for (const name of ['second', 'third']) await ask(organization, name)
  await soon()
  expect(server.received).toHaveLength(1)
  organization.clock.nowMs += turnMs + 1
  const [, digest] = await server.arrived(2)
  expect(digest?.mail.subject).toBe('2 notices')
  expect(digest?.mail.text).toMatch(/“second”.*“third”/s)
  await soon()
  expect(server.received).toHaveLength(2)
})

test('a turn in which every notice was dropped delays none that comes after it', async () => {
  const { organization, bob } = await prepare()
  const asked = Array.from({ length: noticesPerMailMax + 2 }, (_, index) => `old ${index}`)
  for (const name of asked) {
    const { fingerprint } = (await ask(organization, name)).body.activity
    await organization.submit('reject_activity', { fingerprint }, { apiKey: bob.apiKey })
  }
  const server = await deliver(organization)
  await expect.poll(() => rowsIn(organization, 'bob@example.org')).toHaveLength(asked.length)
  await ask(organization, 'new')
  await expect.poll(() => server.received.filter(({ to }) => to.includes('bob@example.org'))).toHaveLength(1)
  expect(server.received.find(({ to }) => to.includes('bob@example.org'))?.mail.text).toContain('“new”')
})

test('before the approval of a request lapses, who may approve is told again, while it waits', async () => {
  const { organization, bob } = await prepare()
  const server = await deliver(organization)
  await ask(organization, 'waits')
  await server.arrived(1)
  const { body } = await ask(organization, 'decided')
  await organization.submit('reject_activity', { fingerprint: body.activity.fingerprint }, { apiKey: bob.apiKey })
  await server.arrived(2)
  organization.clock.nowMs += 21 * hourMs
  await soon()
  expect(server.received).toHaveLength(2)
  organization.clock.nowMs += hourMs + 60_000
  const mails = await server.arrived(3)
  const last = mails.at(-1)
  expect(last?.mail.subject).toMatch(/^An approval lapses in less than two hours: /)
  expect(last?.mail.text).toContain('“waits”')
  expect(last?.mail.text).not.toContain('“decided”')
  await expect.poll(() => rowsIn(organization)).toEqual([])
})

test('a user who was deleted is told nothing more', async () => {
  const { organization, bob, carol } = await prepare()
  const server = await deliver(organization)
  await ask(organization, 'waits')
  await server.arrived(1)
  const { rootUserId } = organization
  for (const [name, parameters] of [
    ['update_root_quorum', { threshold: 2, userIds: [rootUserId, carol.userId] }],
    ['delete_users', { userIds: [bob.userId] }],
  ] as const) {
    const { fingerprint } = (await organization.submit(name, parameters)).body.activity
    const approved = await organization.submit('approve_activity', { fingerprint }, { apiKey: carol.apiKey })
    expect(approved.status, JSON.stringify(approved.body)).toBe(200)
  }
  const toBob = () => server.received.filter(({ to }) => to.includes('bob@example.org')).length
  const before = toBob()
  organization.clock.nowMs += 23 * hourMs
  await expect.poll(() => rowsIn(organization, 'bob@example.org')).toEqual([])
  expect(toBob()).toBe(before)
})

test('a server for mail that is away keeps notices and stops no request', async () => {
  const { organization } = await prepare()
  const gone = await deliver(organization)
  await gone.close()
  await ask(organization, 'first')
  await expect.poll(() => gone.lines).toContain('notices wait')
  expect(rowsIn(organization)).toHaveLength(2)
  for (const name of repeated(noticesPerMailMax + 10, (index) => `key ${index}`)) {
    expect((await ask(organization, name)).status).toBe(200)
  }
  const back = await startMailServer({}, gone.port)
  onTestFinished(() => back.close())
  organization.clock.nowMs += turnMs + 1
  const [digest] = await back.arrived(1)
  expect(digest?.mail.subject).toBe(`${noticesPerMailMax} notices`)
  await expect.poll(() => gone.lines, { timeout: 10_000 }).toContain('notices were delivered')
  organization.clock.nowMs += turnMs + 1
  expect((await back.arrived(2))[1]?.mail.subject).toBe('11 notices')
})

test('a notice that was changed, or put in the place of another, is not sent', async () => {
  const { organization } = await prepare()
  await ask(organization)
  const [first, second] = rowsIn(organization)
  if (first === undefined || second === undefined) throw new Error('there are two rows')
  withDatabase(organization.server.folder, (hand) =>
    hand.update(
      { table: 'notices', where: { message_id: String(first.message_id) } },
      { sealed: second.sealed ?? null },
    ),
  )
  const server = await deliver(organization)
  await expect.poll(() => server.lines).toContain('a notice is not what the vault sealed: it is dropped')
  expect(server.received).toEqual([])
})

test('texts that users set are no HTML in a notice, and cannot reverse text', async () => {
  const { organization } = await prepare()
  const server = await deliver(organization)
  await ask(organization, '<img src=x onerror=alert(1)>')
  const [mail] = await server.arrived(1)
  expect(mail?.mail.html).toContain('&#60;img src=x')
  expect(mail?.mail.html).not.toContain('<img')
})

test('a warning stands in the subject, also of the one payload of a hundred that has it', async () => {
  const { organization, bob } = await prepare()
  const { submit } = organization
  const { fingerprint } = (await ask(organization)).body.activity
  const approved = await submit('approve_activity', { fingerprint }, { apiKey: bob.apiKey })
  const signWith = Object.values<{ privateKeys?: { privateKeyId: string }[] }>(approved.body.activity.result).at(0)
    ?.privateKeys?.[0]?.privateKeyId
  const server = await deliver(organization)
  organization.clock.nowMs += turnMs + 1
  const payloads = repeated(100, (index) => (index === 97 ? 'c3'.repeat(32) : '48656c6c6f'))
  const rest = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_KECCAK256' }
  await submit('sign_raw_payloads', { signWith, payloads, ...rest })
  const told = () => server.received.find(({ mail }) => mail.text?.includes('payload 98 of 100'))
  await expect.poll(told).toBeDefined()
  const { subject = '', text = '' } = told()?.mail ?? {}
  expect(subject).toMatch(/^Your approval is asked for: WARNING: payload 98 of 100: these 32 bytes may be the hash/)
  expect(text.indexOf('number: 98')).toBeLessThan(text.indexOf('number: 1\n'))
  expect(text).toContain('[The text is cut here; the console shows the rest.]')
})

test('a subject has the worst warning, a high fee and what a Safe pays beside it, each amount whole', async () => {
  const { organization, bob } = await prepare()
  const { submit } = organization
  const wallet = await submit('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
  const { fingerprint } = wallet.body.activity
  const approved = await submit('approve_activity', { fingerprint }, { apiKey: bob.apiKey })
  const [created] = Object.values<{ addresses: string[] }>(approved.body.activity.result)
  const server = await deliver(organization)
  organization.clock.nowMs += turnMs + 1
  const [safe, eve] = ['a1', 'ee'].map((pair) => `0x${pair.repeat(20)}` as const)
  const swap = encodedCall('swapOwner(address,address,address)', [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`, eve])
  const declaration = 'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)'
  const refund = [0n, 10n ** 10n, 10n ** 12n, zeroAddress, eve, '0x']
  const unsignedTransaction = serializeTransaction({
    ...({ type: 'eip1559', chainId: 1, nonce: 7, to: safe } as const),
    ...{ gas: 1_000_000n, maxFeePerGas: 123_456n * 10n ** 12n },
    data: encodedCall(declaration, [safe, 0n, swap, 0, ...refund]),
  })
  const signWith = created?.addresses[0]
  await submit('sign_transaction', { signWith, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction })
  const told = () => server.received.find(({ mail }) => mail.subject?.includes('WARNING'))
  await expect.poll(told).toBeDefined()
  expect(told()?.mail.subject?.toLowerCase()).toMatch(
    /^your approval is asked for: warning: control of 0xa1a1a1a1…a1a1a1 itself goes to 0xeeeeeeee…eeeeee; the fee is up to 123456 eth; for the execution, the safe pays 0xeeeeeeee…eeeeee 0\.000001 eth for each gas, without a bound and at least 10000 eth, and 1 more\. call “exectransaction”/,
  )
})

test('a mail has the effect of a policy, and both ends of a condition that is too long for it', async () => {
  const { organization } = await prepare()
  const server = await deliver(organization)
  const condition = `eth.tx.to in [${repeated(100, (index) => `'0x${String(index).padStart(40, '0')}'`).join(', ')}] || true`
  const policy = { policyName: 'Long', condition, notes: '', consensus: 'true', effect: 'EFFECT_ALLOW' }
  await organization.submit('create_policy', policy)
  const [told] = await server.arrived(1)
  expect(told?.mail.subject).toBe(
    'Your approval is asked for: WARNING: “Long” allows, and has no condition and no consensus that could limit it, and 1 more. Create policy: “Long”, allows, [at most signatures by every user]',
  )
  const text = told?.mail.text ?? ''
  expect(text).toMatch(/ \[[0-9,]+ characters are left out here; the console shows them\] “.*\|\| true”/)
  expect(text.indexOf('effect: allows')).toBeLessThan(text.indexOf('condition: '))
  expect(text.indexOf('effect: allows')).toBeGreaterThan(0)
})

const lure = 'Your wallet is frozen. Unlock it at https://evil.example/unlock'
const strangers = (count: number) => repeated(count, (index) => `stranger${index}@example.org`)

test('users of a sub-organization put no words of theirs into a notice, unless operator and parent allow it', async () => {
  const parent = await startOrganization({ sendsNotices: true })
  const allow = (value: string) =>
    parent.done('set_organization_feature', { name: 'FEATURE_NAME_SUB_ORGANIZATION_MAILS', value })
  await allow('SENDER,https://app.example.com/')
  const child = await subOrganizationOf(parent, strangers(1))
  const server = await deliver(parent)
  const { body } = await ask(child, lure)
  const [plain] = await server.arrived(1)
  expect(plain?.to).toEqual(['stranger0@example.org'])
  expect(plain?.mail.subject).toBe('Your approval is asked for: Create private keys')
  for (const part of [plain?.mail.text, plain?.mail.html]) {
    expect(part).toContain('Create private keys')
    expect(part).toContain(`https://keys.example/#/activities/${body.activity.id}`)
    for (const word of ['frozen', 'evil', 'sub root', 'user 0']) expect(part).not.toContain(word)
  }
  await allow('TEXTS')
  parent.clock.nowMs += turnMs + 1
  await ask(child, 'Treasury')
  expect((await server.arrived(2))[1]?.mail.subject).toBe('Your approval is asked for: Create private keys: “Treasury”')
})

test.each(['plain', 'free'] as const)('the operator decides whose words stand in a notice: %s', async (mailDecider) => {
  const parent = await startOrganization({ sendsNotices: true, mailDecider })
  const value = 'TEXTS'
  await parent.done('set_organization_feature', { name: 'FEATURE_NAME_SUB_ORGANIZATION_MAILS', value })
  const child = await subOrganizationOf(parent, strangers(1))
  const server = await deliver(parent)
  await ask(child, 'Treasury')
  const [told] = await server.arrived(1)
  expect(told?.mail.subject?.includes('“Treasury”')).toBe(mailDecider === 'free')
})

test('notices to users of a sub-organization are among its mails of a day, and none that is left out stops a request', async () => {
  const limits = { subOrganizationMailsADayMax: 5, mailsADayMax: 7 }
  const parent = await startOrganization({ sendsNotices: true, limits })
  const [first, second] = [
    await subOrganizationOf(parent, strangers(3), { codes: 1 }),
    await subOrganizationOf(parent, strangers(3), { codes: 1 }),
  ] as const
  const { status, body } = await ask(first)
  expect([status, body.activity.status]).toEqual([200, 'ACTIVITY_STATUS_CONSENSUS_NEEDED'])
  const dueIn = ({ organizationId }: TestOrganization) =>
    rowsIn(parent)
      .filter(({ organization_id }) => organization_id === organizationId)
      .map(({ due_at_ms }) => Number(due_at_ms) <= parent.clock.nowMs)
  // Who is to approve is told first, and then again before that lapses.
  expect(dueIn(first)).toEqual([true, true, true, false])
  expect(parent.server.warnings).toContain('notices are left out: the mails of a day are used up')
  const again = await ask(first, 'again')
  expect(again.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  expect(dueIn(first)).toHaveLength(4)
  await ask(second)
  expect(dueIn(second)).toHaveLength(1)
  // The parent's own mails are none of these.
  await parent.done('init_otp', code)
  parent.clock.nowMs += 24 * hourMs
  await ask(first, 'a day later')
  expect(dueIn(first).length).toBeGreaterThan(4)
})

test('notices of an organization without a parent have a budget of their own, and keep nobody from a code', async () => {
  const { organization, bob } = await prepare({ limits: { mailsADayMax: 3 } })
  await ask(organization)
  const { fingerprint } = (await organization.submit('init_otp', code)).body.activity
  expect(rowsIn(organization)).toHaveLength(3)
  const approved = await organization.submit('approve_activity', { fingerprint }, { apiKey: bob.apiKey })
  expect(approved.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  expect(rowsIn(organization)).toHaveLength(3)
})

test('a mailbox of many users gets one mail a minute from an organization with its sub-organizations', async () => {
  const parent = await startOrganization({ sendsNotices: true })
  const children = []
  for (const email of ['victim@example.org', 'VICTIM@example.org', 'victim@EXAMPLE.org.']) {
    children.push(await subOrganizationOf(parent, [email]))
  }
  const server = await deliver(parent)
  for (const [index, child] of children.entries()) {
    await ask(child)
    if (index === 0) await server.arrived(1)
  }
  await soon()
  expect(server.received).toHaveLength(1)
  parent.clock.nowMs += turnMs + 1
  const [, second] = await server.arrived(2)
  expect(second?.mail.subject).toBe('2 notices')
  await expect.poll(() => rowsIn(parent).filter(({ due_at_ms }) => Number(due_at_ms) <= parent.clock.nowMs)).toEqual([])
  expect(server.received).toHaveLength(2)
})

test('a notice goes neither to an address that its user no longer has nor to a user who no longer votes', async () => {
  const { organization, bob, carol } = await prepare({ carolsEmail: 'carol@example.org' })
  const { submit, rootUserId } = organization
  const waiting = (await ask(organization, 'waits')).body.activity
  for (const [name, parameters] of [
    ['update_user_email', { userId: bob.userId, userEmail: 'bob@new.example' }],
    ['update_root_quorum', { threshold: 2, userIds: [rootUserId, bob.userId] }],
  ] as const) {
    const { fingerprint } = (await submit(name, parameters)).body.activity
    const approved = await submit('approve_activity', { fingerprint }, { apiKey: carol.apiKey })
    expect(approved.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  }
  const server = await deliver(organization)
  organization.clock.nowMs += 22.5 * hourMs
  await expect
    .poll(() => ['bob', 'carol'].flatMap((name) => rowsIn(organization, `${name}@example.org`)), { timeout: 20_000 })
    .toEqual([])
  expect(server.received.map(({ to }) => to).filter(([to]) => to !== 'root@example.org')).toEqual([])
  // Who has the new address and may vote is told of what comes now.
  const rejected = await submit('reject_activity', { fingerprint: waiting.fingerprint }, { apiKey: bob.apiKey })
  expect(rejected.body.activity.status).toBe('ACTIVITY_STATUS_REJECTED')
  await ask(organization, 'later')
  await expect.poll(() => server.received.map(({ to }) => to[0]), { timeout: 20_000 }).toContain('bob@new.example')
})

test('a user who switches notices off gets none of those that wait', async () => {
  const { organization, bob } = await prepare()
  await ask(organization)
  const preferences = { userId: bob.userId, receivesNotices: false }
  await organization.submit('set_notice_preferences', preferences, { apiKey: bob.apiKey })
  const server = await deliver(organization)
  organization.clock.nowMs += 22.5 * hourMs
  await expect.poll(() => rowsIn(organization), { timeout: 20_000 }).toEqual([])
  expect(server.received).toEqual([])
})
