import { describe, expect, test } from 'vitest'
import { type Answer, expectRefused, newApiKey, startOrganization } from '../support/organization.ts'
import { generateApiKey, stampWith } from '../support/stamping.ts'

/** IP allowlists are enforced. The ranges that a list allows have their own test beside the rule. */
const [office, home, elsewhere] = ['203.0.113.7', '198.51.100.7', '192.0.2.7']
const officeOnly = { rules: [{ cidr: '203.0.113.0/24' }] }
const fromOffice = { sourceAddress: office }
const from = (sourceAddress: string) => ({ sourceAddress })

function expectBlocked(answer: Answer, organizationId: string, address: string = elsewhere): void {
  expectRefused(
    answer,
    403,
    `request not authorized: ${address} is not in the IP allowlist of organization ${organizationId}`,
  )
  expect(answer.body.turnkeyErrorCode).toBe('REQUEST_NOT_AUTHORIZED')
}

/** Starts an organization that allows only the address of its office. */
async function startOffice() {
  const started = await startOrganization()
  const lock = (given = officeOnly) => started.done('set_ip_allowlist', given, fromOffice)
  return { ...started, lock }
}

describe('the list of the organization', async () => {
  const { organizationId, query, submit, found, done, lock } = await startOffice()

  test('is asked before every read and change, from the first request after it was set', async () => {
    await lock()
    expect((await found('whoami', {}, fromOffice)).organizationId).toBe(organizationId)
    expect((await found('whoami', {}, from('::ffff:203.0.113.9'))).organizationId).toBe(organizationId)
    await done('update_organization_name', { organizationName: 'From the office' }, fromOffice)
    expectBlocked(await query('whoami', {}, from(elsewhere)), organizationId)
    const renamed = await submit('update_organization_name', { organizationName: 'Mine' }, from(elsewhere))
    expectBlocked(renamed, organizationId)
    expect((await found('whoami', {}, fromOffice)).organizationName).toBe('From the office')
  })

  test('cannot be taken away from elsewhere', async () => {
    expectBlocked(await submit('remove_ip_allowlist', {}, from(elsewhere)), organizationId)
    expectBlocked(await submit('set_ip_allowlist', { enabled: false }, from(elsewhere)), organizationId)
  })

  test('admits requests from everywhere while it is not enabled, and once it is removed', async () => {
    await done('set_ip_allowlist', { ...officeOnly, enabled: false }, fromOffice)
    expect((await query('whoami', {}, from(elsewhere))).status).toBe(200)
    await lock()
    expect((await query('whoami', {}, from(elsewhere))).status).toBe(403)
    await done('remove_ip_allowlist', {}, fromOffice)
    expect((await query('whoami', {}, from(elsewhere))).status).toBe(200)
  })

  test('does not hold for other organizations', async () => {
    await lock()
    const { server } = await startOrganization()
    const other = await server.createOrganization()
    const body = { organizationId: other.organizationId }
    expect((await server.post('/public/v1/query/whoami', body, other.apiKey, from(elsewhere))).status).toBe(200)
  })
})

test('the operator lifts a list for a while; it is not changed, and holds again afterwards', async () => {
  const { organizationId, server, clock, query, found, done, submit } = await startOrganization()
  await done('set_ip_allowlist', { ...officeOnly, allowLockout: true }, from(elsewhere))
  const list = (await found('get_ip_allowlist', {}, fromOffice)).ipAllowlist
  expectBlocked(await submit('remove_ip_allowlist', {}, from(elsewhere)), organizationId)
  await server.vault.operator.liftIpAllowlist({ organizationId, minutes: 1 })
  expect((await found('get_ip_allowlist', {}, from(elsewhere))).ipAllowlist).toEqual(list)
  clock.nowMs += 60_000
  expectBlocked(await query('whoami', {}, from(elsewhere)), organizationId)

  await server.vault.operator.liftIpAllowlist({ organizationId, minutes: 1 })
  await done('remove_ip_allowlist', {}, from(elsewhere))
  clock.nowMs += 60_000
  expect((await query('whoami', {}, from(elsewhere))).status).toBe(200)
})

test('a list is lifted after a restore was accepted, once a refused request has shown the organization', async () => {
  const { organizationId, server, query, done } = await startOrganization()
  await done('set_ip_allowlist', { ...officeOnly, allowLockout: true }, from(elsewhere))
  const lift = () => server.vault.operator.liftIpAllowlist({ organizationId, minutes: 1 })
  await server.vault.operator.acceptRestore()
  await expect(lift()).rejects.toThrow('send any request for it first')
  expectBlocked(await query('whoami', {}, from(elsewhere)), organizationId)
  await lift()
  await done('remove_ip_allowlist', {}, from(elsewhere))
})

test('a list that the operator lifted lifts no other one', async () => {
  const { organizationId, server, query, done } = await startOrganization()
  const other = await server.createOrganization()
  await done('set_ip_allowlist', officeOnly, fromOffice)
  await server.vault.operator.liftIpAllowlist({ organizationId: other.organizationId, minutes: 60 })
  expectBlocked(await query('whoami', {}, from(elsewhere)), organizationId)
})

test('an enabled list without rules blocks everything, its own removal too', async () => {
  const { organizationId, query, submit, done } = await startOrganization()
  await done('set_ip_allowlist', { enabled: true, allowLockout: true }, fromOffice)
  expectBlocked(await query('whoami', {}, fromOffice), organizationId, office)
  expectBlocked(await submit('remove_ip_allowlist', {}, fromOffice), organizationId, office)
})

describe('a list that shuts out the address that it comes from', async () => {
  const { rootKey, rootUserId, organizationId, server, query, submit, found, done, anotherUser } = await startOffice()
  const { publicKey } = rootKey
  const homeOnly = { rules: [{ cidr: `${home}/32` }] }
  const text = `invalid request: parameters.rules: this would shut out ${office}, the address of this request`

  test('is refused, and changes nothing', async () => {
    for (const given of [{ enabled: true }, { rules: [] }, homeOnly, { ...homeOnly, enabled: true }]) {
      expectRefused(await submit('set_ip_allowlist', given, fromOffice), 400, text)
    }
    expect((await query('whoami', {}, from(elsewhere))).status).toBe(200)
  })

  test('is refused for the key that stamps it too, once the organization has an enabled list', async () => {
    const other = (await anotherUser()).apiKey.publicKey
    await done('set_ip_allowlist', { publicKey, ...homeOnly }, fromOffice)
    expectRefused(await submit('set_ip_allowlist', officeOnly, fromOffice), 400, text)
    await done('set_ip_allowlist', { publicKey, rules: [] }, fromOffice)
    await done('set_ip_allowlist', officeOnly, fromOffice)
    expectRefused(await submit('set_ip_allowlist', { publicKey, ...homeOnly }, fromOffice), 400, text)
    await done('set_ip_allowlist', { publicKey: other, ...homeOnly }, fromOffice)
    await done('remove_ip_allowlist', {}, fromOffice)
  })

  test('is refused from an unknown address unless it admits those', async () => {
    const send = async (parameters: object) => {
      const type = 'ACTIVITY_TYPE_SET_IP_ALLOWLIST'
      const body = Buffer.from(
        JSON.stringify({ type, timestampMs: String(Date.UTC(2026, 0, 1)), organizationId, parameters }),
      )
      const stamps = [{ header: 'x-stamp', value: stampWith(rootKey, body) }] as const
      const path = '/public/v1/submit/set_ip_allowlist'
      const answer = await server.submit({ path, body, stamps, dialect: 'spec', sourceAddress: undefined })
      return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString('utf8')) }
    }
    expectRefused(await send(officeOnly), 400, 'this would shut out an unknown address')
    expect((await send({ ...officeOnly, onEvaluationError: 'ALLOW' })).status).toBe(200)
    await done('remove_ip_allowlist', {}, fromOffice)
  })

  test('is kept while it is not enabled, and with allowLockout', async () => {
    await done('set_ip_allowlist', { ...homeOnly, enabled: false }, fromOffice)
    await done('set_ip_allowlist', { ...homeOnly, allowLockout: true }, fromOffice)
    expectBlocked(await query('whoami', {}, fromOffice), organizationId, office)
    await done('remove_ip_allowlist', {}, from(home))
  })

  test('is not left by the removal of the list of the key', async () => {
    await done('set_ip_allowlist', { publicKey, rules: [{ cidr: `${office}/32` }] }, fromOffice)
    await done('set_ip_allowlist', homeOnly, fromOffice)
    const removal = await submit('remove_ip_allowlist', { publicKey }, fromOffice)
    expectRefused(removal, 400, `parameters.publicKey: this would shut out ${office}, the address of this request`)
    expect((await query('whoami', {}, fromOffice)).status).toBe(200)
    await done('remove_ip_allowlist', {}, fromOffice)
    await done('remove_ip_allowlist', { publicKey }, fromOffice)
  })

  test('is refused when the last vote comes from there', async () => {
    const { userId, apiKey } = await anotherUser()
    await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] }, fromOffice)
    const { body } = await submit('set_ip_allowlist', homeOnly, from(home))
    const { fingerprint } = body.activity
    const vote = await submit('approve_activity', { fingerprint }, { apiKey, ...fromOffice })
    expect(vote.body.activity).toMatchObject({
      status: 'ACTIVITY_STATUS_FAILED',
      failure: { message: expect.stringContaining(text) },
    })
    expect((await found('get_ip_allowlist', {}, fromOffice)).allowlist.rules).toEqual([])
  })
})

describe('an unknown source', async () => {
  const { server, organizationId, rootKey, done } = await startOffice()
  const whoami = async (sourceAddress: string | undefined) => {
    const body = Buffer.from(JSON.stringify({ organizationId }))
    const stamps = [{ header: 'x-stamp', value: stampWith(rootKey, body) }] as const
    const path = '/public/v1/query/whoami'
    const answer = await server.submit({ path, body, stamps, dialect: 'spec', sourceAddress })
    return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString('utf8')) }
  }

  test('passes while there is no list, and is blocked by one', async () => {
    expect((await whoami(undefined)).status).toBe(200)
    await done('set_ip_allowlist', officeOnly, fromOffice)
    expectBlocked(await whoami(undefined), organizationId, 'an unknown address')
    expectBlocked(await whoami('unix socket'), organizationId, 'unix socket')
  })

  test('passes a list that admits unknown sources', async () => {
    await done('set_ip_allowlist', { ...officeOnly, onEvaluationError: 'ALLOW' }, fromOffice)
    expect((await whoami(undefined)).status).toBe(200)
    expectBlocked(await whoami(elsewhere), organizationId)
  })
})

describe('the list of an API key', async () => {
  const { organizationId, rootUserId, query, done, lock } = await startOffice()
  const key = generateApiKey()
  await done('create_api_keys', { userId: rootUserId, apiKeys: [newApiKey({ publicKey: key.publicKey })] })
  const { publicKey } = key
  const whoami = (sourceAddress: string, apiKey = key) => query('whoami', {}, { apiKey, sourceAddress })
  await done('set_ip_allowlist', { publicKey, rules: [{ cidr: `${home}/32` }] })

  test('counts only while the organization has one that is enabled', async () => {
    expect((await whoami(elsewhere)).status).toBe(200)
    await done('set_ip_allowlist', { ...officeOnly, enabled: false })
    expect((await whoami(elsewhere)).status).toBe(200)
  })

  test('then replaces the organization’s list, for that key alone', async () => {
    await lock()
    expect((await whoami(home)).status).toBe(200)
    expectBlocked(await whoami(office), organizationId, office)
    expectBlocked(await query('whoami', {}, from(home)), organizationId, home)
    expect((await query('whoami', {}, fromOffice)).status).toBe(200)
  })

  test('gives way to the organization’s list once it has no rules, or is removed', async () => {
    await done('set_ip_allowlist', { publicKey, rules: [] }, fromOffice)
    expect([(await whoami(home)).status, (await whoami(office)).status]).toEqual([403, 200])
    await done('set_ip_allowlist', { publicKey, rules: [{ cidr: `${home}/32` }] }, fromOffice)
    expect([(await whoami(home)).status, (await whoami(office)).status]).toEqual([200, 403])
    await done('remove_ip_allowlist', { publicKey }, fromOffice)
    expect([(await whoami(home)).status, (await whoami(office)).status]).toEqual([403, 200])
  })
})

describe('a parent and its sub-organization', async () => {
  const { organizationId: parentId, query, done, lock, subOrganization } = await startOffice()
  const sub = await subOrganization()
  const inSub = { organizationId: sub.organizationId }
  const bySub = { ...inSub, apiKey: sub.apiKey }

  test('the list of the parent does not hold for the sub-organization’s own users', async () => {
    await lock()
    expect((await query('whoami', {}, { ...bySub, ...from(elsewhere) })).status).toBe(200)
    // The parent's id stands for the sub-organization here.
    const resolved = await query('whoami', {}, { apiKey: sub.apiKey, ...from(elsewhere) })
    expect([resolved.status, resolved.body.organizationId]).toEqual([200, sub.organizationId])
  })

  test('the list of the parent holds for the parent’s users, also in the sub-organization', async () => {
    expect((await query('list_wallets', {}, { ...inSub, ...fromOffice })).status).toBe(200)
    expectBlocked(await query('list_wallets', {}, { ...inSub, ...from(elsewhere) }), parentId)
  })

  test('the list of the sub-organization holds for its own users and for the parent’s', async () => {
    await done('remove_ip_allowlist', {}, fromOffice)
    await done('set_ip_allowlist', { rules: [{ cidr: `${home}/32` }] }, { ...bySub, ...from(home) })
    expect((await query('list_wallets', {}, { ...bySub, ...from(home) })).status).toBe(200)
    expectBlocked(await query('list_wallets', {}, { ...bySub, ...fromOffice }), sub.organizationId, office)
    expectBlocked(await query('list_wallets', {}, { ...inSub, ...fromOffice }), sub.organizationId, office)
    const resolved = await query('whoami', {}, { apiKey: sub.apiKey, ...fromOffice })
    expectBlocked(resolved, sub.organizationId, office)
    expect((await query('whoami', {}, fromOffice)).status).toBe(200)
  })
})

describe('the order of the checks', async () => {
  const { clock, server, organizationId, rootKey, query, submit, lock } = await startOffice()
  await lock()
  const path = '/public/v1/submit/update_organization_name'
  const body = {
    type: 'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME',
    timestampMs: String(clock.nowMs),
    organizationId,
    parameters: { organizationName: 'Once' },
  }

  test('after the stamp', async () => {
    const stranger = { apiKey: generateApiKey(), ...from(elsewhere) }
    expectRefused(await query('whoami', {}, stranger), 401, 'could not find public key')
  })

  test('before the same bytes seen before', async () => {
    expect((await server.post(path, body, rootKey, from(office))).status).toBe(200)
    expectBlocked(await server.post(path, body, rootKey, from(elsewhere)), organizationId)
    expect((await server.post(path, body, rootKey, from(office))).status).toBe(200)
  })

  test('before freshness, parameters and existence', async () => {
    const stale = { ...body, timestampMs: '1' }
    expectBlocked(await server.post(path, stale, rootKey, from(elsewhere)), organizationId)
    expectBlocked(await submit('update_organization_name', { surprise: 1 }, from(elsewhere)), organizationId)
    expectBlocked(await query('get_wallet', {}, from(elsewhere)), organizationId)
  })

  test('a vote is refused from where requests are refused', async () => {
    const fingerprint = `sha256:${'0'.repeat(64)}`
    expectBlocked(await submit('approve_activity', { fingerprint }, from(elsewhere)), organizationId)
    expectRefused(await submit('approve_activity', { fingerprint }, fromOffice), 404)
  })
})
