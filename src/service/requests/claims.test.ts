import { strict as assert } from 'node:assert'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { VaultRequest } from '../../link/verbs.ts'
import { operations } from '../../operations/catalogue.ts'
import { fingerprintOf, requestKeyOf } from '../../protocol/wire/fingerprint.ts'
import { exampleBody } from '../http/openapi/examples.ts'
import { claimsOf, prefetchBytesMax, prefetchReadsMax } from './claims.ts'
import { prefetch } from './prefetch.ts'
import { whenToRun } from './when_to_run.ts'

const organizationId = '01980000-0000-7000-8000-000000000001'
const publicKey = '02AB'

const stampOf = (value: unknown) =>
  [{ header: 'x-stamp', value: Buffer.from(JSON.stringify(value)).toString('base64url') }] as const

function prefetched(path: string, body: unknown, stamps: VaultRequest['stamps'] = stampOf({ publicKey })) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const claims = claimsOf({ path, body: bytes, stamps })
  return { ...whenToRun(claims), reads: claims === undefined ? [] : prefetch(claims, fingerprintOf(bytes)) }
}

const headTag = { read: 'headTag', organizationId }
const credential = { read: 'lookup', organizationId, lookup: 'credential', key: '02ab' }
const claimed = { ...credential, lookup: 'claimed_credential' }

test('for a query the head and the credential are prefetched, and it does not wait', () => {
  const expected = {
    reads: [headTag, credential, claimed],
    queue: organizationId,
    credential: credential.key,
    waits: false,
    mayRecall: false,
    takesLong: false,
  }
  expect(prefetched('/public/v1/query/whoami', { organizationId })).toEqual(expected)
  expect(prefetched('/public/v1/query/whoami', { organizationId: organizationId.toUpperCase() })).toEqual(expected)
})

test('for an activity its earlier submission and its operation’s reads are prefetched, and it waits', () => {
  const type = 'ACTIVITY_TYPE_CREATE_WALLET'
  const body = JSON.stringify({
    type,
    timestampMs: '1787000000000',
    organizationId,
    parameters: { walletName: 'First', accounts: [] },
  })
  const { reads, queue, waits } = prefetched('/public/v1/submit/create_wallet', body)
  expect(queue).toBe(organizationId)
  expect(waits).toBe(true)
  expect(reads.slice(0, 4)).toEqual([
    headTag,
    credential,
    claimed,
    { read: 'request', organizationId, requestKey: requestKeyOf(1_787_000_000_000, fingerprintOf(Buffer.from(body))) },
  ])
  expect(JSON.stringify(reads.slice(4))).toContain('First')
})

test('a signature does not wait, because it changes no record, and may be decided from memory', () => {
  const body = { organizationId, parameters: { signWith: '0xabc' } }
  expect(prefetched('/public/v1/submit/sign_raw_payload', body)).toMatchObject({ waits: false, mayRecall: true })
})

test('no other request is decided from memory, and no signature whose stamp uses up a token', () => {
  const body = { organizationId, parameters: { signWith: '0xabc' } }
  const attested = [{ header: 'x-stamp-attested', value: '{}' }] as const
  const path = '/public/v1/submit/sign_raw_payload'
  expect(whenToRun(claimsOf({ path, body: Buffer.from(JSON.stringify(body)), stamps: attested })).mayRecall).toBe(false)
  const recalling = operations.filter((operation) => prefetched(operation.path, body).mayRecall)
  expect(recalling.map(({ name }) => name).sort()).toEqual([
    'sign_raw_payload',
    'sign_raw_payloads',
    'sign_transaction',
    'spark_prepare_lightning_receive',
  ])
})

test('queries whose work does not show in their size take long', () => {
  const long = operations.filter((operation) => prefetched(operation.path, { organizationId }).takesLong)
  expect(long.map(({ name }) => name).sort()).toEqual([
    'check_policies',
    'explain_activity',
    'get_activity_proof',
    'list_activities',
    'list_log_documents',
    'list_log_entries',
    'simulate',
  ])
})

test('an activity with an ID token does not wait, because its issuer may have to be asked', () => {
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: 'e30.e30.' }]
  const type = 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS'
  const body = { type, organizationId, parameters: { userId: organizationId, oauthProviders } }
  expect(prefetched('/public/v1/submit/create_oauth_providers', body).waits).toBe(false)
})

describe('for a large body', () => {
  const keys = (count: number) => Array.from({ length: count }, () => ({ publicKey: `02${'ab'.repeat(32)}` }))

  test('only the first reads are prefetched, because strangers send such bodies too', () => {
    const body = { organizationId, parameters: { userId: organizationId, apiKeys: keys(10_000) } }
    expect(JSON.stringify(body).length).toBeGreaterThan(prefetchBytesMax)
    expect(prefetched('/public/v1/submit/create_api_keys', body).reads).toHaveLength(4)
  })

  test('an activity does not wait where its operation takes ID tokens, and waits in the queue elsewhere', () => {
    const body = ' '.repeat(prefetchBytesMax) + JSON.stringify({ organizationId, parameters: {} })
    for (const name of ['create_oauth_providers', 'create_users', 'create_sub_organization', 'oauth_login']) {
      expect(prefetched(`/public/v1/submit/${name}`, body).waits, name).toBe(false)
    }
    expect(prefetched('/public/v1/submit/create_api_keys', body).waits).toBe(true)
  })

  test('of just the maximum everything is prefetched, and of one byte more only the first reads', () => {
    const type = 'ACTIVITY_TYPE_CREATE_WALLET'
    const body = JSON.stringify({
      type,
      timestampMs: '1787000000000',
      organizationId,
      parameters: { walletName: 'First', accounts: [] },
    })
    const padded = (bytes: number) => body + ' '.repeat(bytes - body.length)
    const path = '/public/v1/submit/create_wallet'
    expect(prefetched(path, padded(prefetchBytesMax)).reads.length).toBeGreaterThan(3)
    expect(prefetched(path, padded(prefetchBytesMax + 1)).reads).toHaveLength(4)
  })
})

describe('of the values of a body', () => {
  const path = '/public/v1/submit/create_wallet'
  const names = { type: 'ACTIVITY_TYPE_CREATE_WALLET', organizationId, timestampMs: '1787000000000' }
  const bodyOf = (items: number) => ({ ...names, parameters: { accounts: Array.from({ length: items }, () => ({})) } })
  afterEach(() => void vi.restoreAllMocks())

  test('none is made while the body is large: only the texts that are looked for are parsed', () => {
    const parse = vi.spyOn(JSON, 'parse')
    expect(prefetched(path, bodyOf(300_000)).reads).toHaveLength(4)
    expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(200)
  })

  test('none is kept, also of a small one', async () => {
    const parsed: WeakRef<object>[] = []
    const { parse } = JSON
    vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
      const value: unknown = parse(text, reviver)
      if (typeof value === 'object' && value !== null) parsed.push(new WeakRef(value))
      return value
    })
    const body = Buffer.from(JSON.stringify(bodyOf(10)))
    const kept = claimsOf({ path, body, stamps: stampOf({ publicKey }) })
    assert(kept !== undefined)
    expect(prefetch(kept, fingerprintOf(body))).not.toEqual([])
    expect(parsed).toHaveLength(2) // the stamp and the body
    vi.restoreAllMocks()
    await nextTurn() // a `WeakRef` that was made or read in this turn holds its value
    setFlagsFromString('--expose-gc')
    runInNewContext('gc')()
    expect(parsed.map((value) => value.deref())).toEqual([undefined, undefined])
    expect(kept.organizationId).toBe(organizationId)
  })
})

test('lists that the operation would refuse are not prefetched, and neither are more reads than the maximum', () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `ACTIVITY_TYPE_${index}`)
  const many = { organizationId, filterByStatus: names.slice(0, 100), filterByType: names.slice(0, 100) }
  expect(prefetched('/public/v1/query/list_activities', many).reads).toEqual([headTag, credential, claimed])
  const type = 'ACTIVITY_TYPE_CREATE_WALLET'
  const accounts = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      curve: 'CURVE_ED25519',
      pathFormat: 'PATH_FORMAT_BIP32',
      path: 'm',
      addressFormat: 'ADDRESS_FORMAT_SOLANA',
      name: `a ${index}`,
    }))
  const wallet = (count: number) => ({
    type,
    organizationId,
    parameters: { walletName: 'w', accounts: accounts(count) },
  })
  const path = '/public/v1/submit/create_wallet'
  expect(prefetched(path, wallet(prefetchReadsMax - 1)).reads).toHaveLength(4 + prefetchReadsMax)
  expect(prefetched(path, wallet(prefetchReadsMax)).reads).toHaveLength(4)
})

describe('nothing is prefetched, and nothing thrown, for', () => {
  for (const [name, path, body] of [
    ['an operation that does not exist', '/public/v1/query/constructor', { organizationId }],
    ['no JSON', '/public/v1/query/whoami', '{'],
    ['a list', '/public/v1/query/whoami', [organizationId]],
    ['no organization', '/public/v1/query/whoami', {}],
    ['an inherited organization', '/public/v1/query/whoami', '{"__proto__":{"organizationId":"x"}}'],
    ['an organization that is no UUID', '/public/v1/query/whoami', { organizationId: 'a' }],
    ['an organization that is no text', '/public/v1/query/whoami', { organizationId: [organizationId] }],
  ] as const) {
    test(name, () => {
      expect(prefetched(path, body)).toEqual({
        reads: [],
        queue: undefined,
        credential: undefined,
        waits: false,
        mayRecall: false,
        takesLong: false,
      })
    })
  }
})

for (const [name, stamps] of [
  ['no stamp', []],
  ['a stamp that is no JSON', [{ header: 'x-stamp', value: '!!!' }]],
  ['a stamp without a key', stampOf({})],
  ['a stamp whose key is no text', stampOf({ publicKey: [1] })],
] as const) {
  test(`with ${name} no credential is prefetched`, () => {
    expect(prefetched('/public/v1/query/whoami', { organizationId }, [...stamps]).reads).toEqual([headTag])
  })
}

test('whatever the parameters are, nothing is thrown and every read is in the organization', () => {
  fc.assert(
    fc.property(fc.constantFrom(...operations), fc.jsonValue(), fc.string(), (operation, parameters, key) => {
      const flat = typeof parameters === 'object' && !Array.isArray(parameters) ? parameters : {}
      const { reads } = prefetched(operation.path, { ...flat, organizationId, parameters }, stampOf({ publicKey: key }))
      for (const read of reads) expect('parentId' in read ? read.parentId : read.organizationId).toBe(organizationId)
    }),
  )
})

/** Texts that are long to read for a pattern, or to bring into a normal form. */
const longTexts = [
  `a${'\u0300'.repeat(3_500)}${'\u0316'.repeat(3_500)}@b.c`,
  ...['a', 'a@', 'a.', ' ', '1', '/', '\\', '"', '=', "1'/", '['].map((run) => run.repeat(15_000 / run.length)),
  `0x${'a'.repeat(15_000)}`,
  `${'a.'.repeat(7_000)}a`,
]

/** All texts of a value, each replaced in turn. */
function* withText(value: unknown, text: string): Generator<unknown> {
  if (typeof value === 'string') yield text
  if (typeof value !== 'object' || value === null) return
  for (const [name, one] of Object.entries(value)) {
    for (const other of withText(one, text)) {
      yield Array.isArray(value) ? value.with(Number(name), other) : { ...value, [name]: other }
    }
  }
}

test('what any operation foresees of a body that nobody has verified takes a time that grows with its length alone', {
  timeout: 60_000,
}, () => {
  const slow = operations.flatMap((operation) => {
    const { organizationId: _, ...example } = exampleBody(operation)
    const filters =
      operation.name === 'list_suborgs' ? filterTypes.map((filterType) => ({ filterType, filterValue: 'a' })) : []
    return [example, ...filters].flatMap((one) =>
      longTexts.flatMap((text) =>
        [...withText(one, text)].flatMap((changed) => {
          const before = process.threadCpuUsage()
          prefetched(operation.path, { ...Object(changed), organizationId })
          const { user, system } = process.threadCpuUsage(before)
          // The marks alone took more than 100 ms.
          return (user + system) / 1000 < 60 ? [] : [`${operation.name} ${text.slice(0, 9)}`]
        }),
      ),
    )
  })
  expect(slow).toEqual([])
})

const filterTypes = [
  'NAME',
  'USERNAME',
  'EMAIL',
  'PHONE_NUMBER',
  'PUBLIC_KEY',
  'CREDENTIAL_ID',
  'WALLET_ACCOUNT_ADDRESS',
  'OIDC_TOKEN',
]
