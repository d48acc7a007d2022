import { describe, expect, test } from 'vitest'
import { expectRefused, type Parameters, repeated, startOrganization } from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const { clock, organizationId, rootKey, submit, found, done, anotherUser } = await startOrganization()
/** The list is not enabled, so it does not refuse the requests of other tests. */
const set = (given: Parameters) => done('set_ip_allowlist', { enabled: false, ...given })
const shown = async () => (await found('get_ip_allowlist')).allowlist

test('ranges are kept in their usual form, each once, with its first label', async () => {
  const rules = [
    { cidr: '203.0.113.77/24', label: 'office' },
    { cidr: '2001:DB8:0:0::7/48' },
    { cidr: '203.0.113.0/24', label: 'again' },
    { cidr: '::ffff:198.51.100.1/128', label: 'gateway' },
    { cidr: '203.0.113.0/25' },
  ]
  expect(await set({ rules })).toStrictEqual({})
  const createdAt = String(clock.nowMs)
  expect(await shown()).toStrictEqual({
    organizationId,
    rules: [
      { cidr: '203.0.113.0/24', label: 'office', createdAt },
      { cidr: '2001:db8::/48', createdAt },
      { cidr: '198.51.100.1/32', label: 'gateway', createdAt },
      { cidr: '203.0.113.0/25', createdAt },
    ],
    enabled: false,
    onEvaluationError: 'DENY',
  })
})

test('a new list replaces the old one', async () => {
  await set({ rules: [{ cidr: '203.0.113.0/24' }], onEvaluationError: 'ALLOW' })
  expect(await shown()).toMatchObject({ rules: [{ cidr: '203.0.113.0/24' }], onEvaluationError: 'ALLOW' })
  await set({})
  expect(await shown()).toStrictEqual({ organizationId, rules: [], enabled: false, onEvaluationError: 'DENY' })
})

test('a list is enabled by default', async () => {
  await done('set_ip_allowlist', { rules: [{ cidr: '127.0.0.1/32' }] })
  expect(await shown()).toMatchObject({ enabled: true })
  await set({})
})

test('an API key has its own list, without `enabled`', async () => {
  const { apiKey } = await anotherUser()
  const { publicKey } = apiKey
  await done('set_ip_allowlist', { publicKey: publicKey.toUpperCase(), rules: [{ cidr: '10.0.0.0/20', label: 'x' }] })
  const rules = [{ cidr: '10.0.0.0/20', label: 'x', createdAt: String(clock.nowMs) }]
  expect(await found('get_ip_allowlist', { publicKey })).toStrictEqual({
    allowlist: { organizationId, rules, publicKey, onEvaluationError: 'DENY' },
  })
  expect(await found('get_ip_allowlist', { publicKey: rootKey.publicKey })).toStrictEqual({
    allowlist: { organizationId, rules: [], publicKey: rootKey.publicKey },
  })
})

test('a list is deleted with its key: the same key of another user has no list', async () => {
  const { userId, apiKey } = await anotherUser()
  const { publicKey } = apiKey
  await done('set_ip_allowlist', { publicKey, rules: [{ cidr: '10.0.0.0/20' }] })
  const [{ apiKeyId }] = (await found('get_api_keys', { userId })).apiKeys
  await done('delete_api_keys', { userId, apiKeyIds: [apiKeyId] })
  const apiKeys = [{ apiKeyName: 'again', publicKey, curveType: 'API_KEY_CURVE_P256' }]
  await done('create_api_keys', { userId: (await anotherUser()).userId, apiKeys })
  expect((await found('get_ip_allowlist', { publicKey })).allowlist.rules).toEqual([])
})

describe('invalid requests are refused', () => {
  const cidr = (text: unknown) => ({ rules: [{ cidr: '10.0.0.0/24' }, { cidr: text }] })
  const range =
    'parameters.rules[1].cidr must be a range such as 203.0.113.0/24, from /20 for IPv4 and from /48 for IPv6'
  const ranges = (count: number, of: (index: number) => string) => ({
    rules: repeated(count, (index) => ({ cidr: of(index) })),
  })
  test.each<[string, Parameters, number, string]>([
    ['an address alone', cidr('10.0.0.1'), 400, `${range}: not 10.0.0.1`],
    ['a name', cidr('localhost'), 400, range],
    ['a range that is too wide', cidr('10.0.0.0/19'), 400, range],
    ['all of IPv4', cidr('0.0.0.0/0'), 400, range],
    ['all of IPv4, mapped into IPv6', cidr('::ffff:0:0/96'), 400, range],
    ['all of IPv6', cidr('::/0'), 400, range],
    ['a range of IPv6 that is too wide', cidr('2001:db8::/47'), 400, range],
    ['a prefix of 33 bits', cidr('10.0.0.0/33'), 400, range],
    ['octal digits', cidr('010.0.0.0/24'), 400, range],
    ['a number', cidr(10), 400, 'parameters.rules[1].cidr must be a range of IP addresses'],
    [
      'a label of two lines',
      { rules: [{ cidr: '10.0.0.0/24', label: 'a\nb' }] },
      400,
      'parameters.rules[0].label must be',
    ],
    [
      'eleven ranges of IPv4',
      ranges(11, (index) => `10.0.${index}.0/24`),
      400,
      'at most 10 ranges of IPv4 and 10 of IPv6',
    ],
    [
      'eleven ranges of IPv6',
      ranges(11, (index) => `2001:db8:${index}::/48`),
      400,
      'at most 10 ranges of IPv4 and 10 of IPv6',
    ],
    ['101 rules', ranges(101, () => '10.0.0.0/24'), 400, 'parameters.rules must be a list of at most 100'],
    [
      'an unknown value of `onEvaluationError`',
      { onEvaluationError: 'allow' },
      400,
      'onEvaluationError must be one of ALLOW, DENY',
    ],
    [
      'neither rules nor `enabled`',
      {},
      400,
      'parameters.enabled must be given where there are no rules: an enabled list without rules blocks everybody',
    ],
    ['`onEvaluationError` alone', { onEvaluationError: 'ALLOW' }, 400, 'parameters.enabled must be given'],
    ['an invalid key', { publicKey: '02' }, 400, 'parameters.publicKey must be the public key of an API key'],
    ['an unknown key', { publicKey: generateApiKey().publicKey }, 404, 'there is no api key'],
    [
      '`enabled` in the list of a key',
      { publicKey: rootKey.publicKey, enabled: true },
      400,
      'parameters.enabled must be left out for an API key',
    ],
  ])('%s', async (_name, given, status, text) => {
    expectRefused(await submit('set_ip_allowlist', given), status, text)
  })

  test("a request by a user outside of the root quorum, also for the user's own key", async () => {
    const { apiKey } = await anotherUser()
    const { publicKey } = apiKey
    expectRefused(await submit('set_ip_allowlist', { rules: [] }, { apiKey }), 403)
    expectRefused(await submit('set_ip_allowlist', { publicKey, rules: [] }, { apiKey }), 403)
  })
})

test('a list may have ten ranges of each version', async () => {
  const rules = repeated(20, (index) => ({ cidr: index < 10 ? `10.0.${index}.0/24` : `2001:db8:${index}::/48` }))
  await set({ rules })
  expect((await shown()).rules).toHaveLength(20)
})
