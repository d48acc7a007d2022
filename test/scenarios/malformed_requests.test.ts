import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openDatabaseDigest } from '../support/database_digest.ts'
import { type Answer, expectRefused, startOrganization } from '../support/organization.ts'
import { stampWith } from '../support/stamping.ts'

/** Malformed requests with a valid stamp: each gets its 4xx, and none changes anything. */
const { server, clock, organizationId, rootKey } = await startOrganization()
const digest = openDatabaseDigest(server)
afterAll(() => digest.close())

const path = '/public/v1/submit/create_wallet'

async function post(at: string, body: string | Uint8Array): Promise<Answer> {
  const bytes = Buffer.from(body)
  const stamps = [{ header: 'x-stamp', value: stampWith(rootKey, bytes) }] as const
  const answer = await server.submit({ path: at, body: bytes, stamps, dialect: 'spec' })
  return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString('utf8')) }
}

/** Expects a refusal whose details name the field too, and an unchanged database. */
async function expectRefusedWithoutChange(answer: () => Promise<Answer>, status: number, ...texts: readonly string[]) {
  const before = digest.read()
  const refused = await answer()
  expectRefused(refused, status, ...texts)
  expect(digest.read()).toBe(before)
  return refused
}

beforeEach(() => {
  clock.nowMs += 1
})

function envelope(change: object = {}): string {
  return JSON.stringify({
    type: 'ACTIVITY_TYPE_CREATE_WALLET',
    timestampMs: String(clock.nowMs),
    organizationId,
    parameters: { walletName: `wallet ${clock.nowMs}`, accounts: [] },
    ...change,
  })
}

describe('a body that is not one JSON object', () => {
  const levels = (count: number) => `{"a":${'['.repeat(count - 1)}${']'.repeat(count - 1)}}`
  for (const [claim, body, text] of [
    ['empty', '', 'it is empty'],
    ['a blank', ' ', 'it is not valid JSON'],
    ['cut off', () => envelope().slice(0, -1), 'it is not valid JSON'],
    ['a comma too many', () => envelope().replace('}}', '},}'), 'it is not valid JSON'],
    ['a bracket behind it', () => `${envelope()}}`, 'it is not valid JSON'],
    ['a second object behind it', () => `${envelope()}{}`, 'it is not valid JSON'],
    ['a NUL behind it', () => `${envelope()}\0`, 'it is not valid JSON'],
    ['a byte order mark before it', () => `\ufeff${envelope()}`, 'it starts with a byte order mark'],
    ['UTF-16', () => Buffer.from(envelope(), 'utf16le'), 'it is not valid JSON'],
    [
      'bytes that are not UTF-8',
      () => Buffer.from(envelope().replace('wallet ', 'wället '), 'latin1'),
      'it must be UTF-8',
    ],
    ['an array', () => `[${envelope()}]`, 'it must be one JSON object'],
    ['null', 'null', 'it must be one JSON object'],
    ['a number', '1', 'it must be one JSON object'],
    ['a string', '"{}"', 'it must be one JSON object'],
    ['NaN', '{"a":NaN}', 'it is not valid JSON'],
    ['a comment', '{/**/}', 'it is not valid JSON'],
    [
      'a key twice',
      () => envelope().replace('{', '{"type":"ACTIVITY_TYPE_CREATE_WALLET",'),
      'the field type occurs twice',
    ],
    ['a key twice, once escaped', () => envelope().replace('{', '{"t\\u0079pe":1,'), 'the field type occurs twice'],
    [
      'a key twice inside',
      () => envelope().replace('"accounts"', '"walletName":"x","accounts"'),
      'the field parameters.walletName occurs twice',
    ],
    ['33 levels', levels(33), 'it is nested deeper than 32 levels'],
    ['20,000 levels', levels(20_000), 'it is nested deeper than 32 levels'],
    ['100,000 levels', levels(100_000), 'it has more than 50000 values'],
  ] as const) {
    test(claim, async () => {
      const answer = () => post(path, typeof body === 'function' ? body() : body)
      const { body: error } = await expectRefusedWithoutChange(answer, 400, 'bad request body', text)
      expect(error).toMatchObject({ code: 3, turnkeyErrorCode: 'REQUEST_INVALID' })
    })
  }

  test('32 levels are read, and refused for their content', async () => {
    await expectRefusedWithoutChange(
      () => post(path, levels(32)),
      400,
      'a must be left out: there is no such field here',
    )
  })

  test('blanks around it are stamped too, and accepted', async () => {
    expect((await post(path, `\n ${envelope()} \r\n\t`)).status).toBe(200)
  })
})

describe('an envelope that is not right', () => {
  for (const [claim, change, text] of [
    [
      'the type of another path',
      { type: 'ACTIVITY_TYPE_CREATE_USERS_V4' },
      'type must be ACTIVITY_TYPE_CREATE_WALLET on this path',
    ],
    [
      'a type that does not exist',
      { type: 'ACTIVITY_TYPE_CREATE_WALLET_V2' },
      'type must be ACTIVITY_TYPE_CREATE_WALLET on this path',
    ],
    ['a type that is a list', { type: ['ACTIVITY_TYPE_CREATE_WALLET'] }, 'type must be an activity type'],
    ['an id that is none', { organizationId: 'first' }, 'organizationId must be a UUID'],
    ['an id with braces', { organizationId: `{${organizationId}}` }, 'organizationId must be a UUID'],
    ['an id with a line behind it', { organizationId: `${organizationId}\n` }, 'organizationId must be a UUID'],
    ['parameters that are a list', { parameters: [] }, 'parameters must be an object'],
    ['parameters that are null', { parameters: null }, 'parameters must be present: missing field `parameters`'],
    ['parameters that are a text', { parameters: '{}' }, 'parameters must be an object'],
    ['a field of its own', { nonce: 1 }, 'nonce must be left out: there is no such field here'],
    [
      'a field of the parameters',
      { walletName: 'w' },
      'walletName must be inside: put these into `parameters`: walletName',
    ],
    [
      'the parameters beside the envelope',
      { parameters: undefined, walletName: 'w', accounts: [], other: 1 },
      'walletName must be inside: put these into `parameters`: walletName, accounts',
    ],
    ['a very long field of its own', { ['x'.repeat(100_000)]: 1 }, `${'x'.repeat(64)}… must be left out`],
  ] as const) {
    test(claim, async () => {
      const { body } = await expectRefusedWithoutChange(() => post(path, envelope(change)), 400, text)
      const [field] = text.split(' ')
      expect(body.details).toContainEqual({
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field, description: expect.stringMatching(/./) }],
      })
    })
  }

  test('a query has no envelope', async () => {
    const body = JSON.stringify({ organizationId, timestampMs: String(clock.nowMs) })
    const answer = () => post('/public/v1/query/whoami', body)
    await expectRefusedWithoutChange(answer, 400, 'timestampMs must be left out: there is no such field here')
  })
})

describe('the time of a request', () => {
  const [hourMs, minuteMs] = [3_600_000, 60_000]
  for (const [claim, offsetMs, status] of [
    ['an hour old', -hourMs, 200],
    ['a millisecond older', -hourMs - 1, 400],
    ['a year old', -365 * 24 * hourMs, 400],
    ['five minutes ahead', 5 * minuteMs, 200],
    ['a millisecond further ahead', 5 * minuteMs + 1, 400],
    ['a year ahead', 365 * 24 * hourMs, 400],
  ] as const) {
    test(`${claim}: ${status}`, async () => {
      const body = envelope({ timestampMs: String(clock.nowMs + offsetMs) })
      if (status === 200) {
        expect((await post(path, body)).status).toBe(200)
        return
      }
      const refused = await expectRefusedWithoutChange(
        () => post(path, body),
        400,
        'timestampMs is outside the accepted window: timestampMs must be at most 1 hour old and at most 5 minutes ahead',
        `the time here is ${clock.nowMs}`,
      )
      expect(refused.body.turnkeyErrorCode).toBe('INVALID_TIME')
    })
  }

  for (const timestampMs of [
    '',
    '-1',
    '1e12',
    '1767225600000.5',
    ' 1767225600000',
    '9'.repeat(16),
    'now',
    1_767_225_600_000,
    true,
  ]) {
    test(`${JSON.stringify(timestampMs)} is none`, async () => {
      const answer = () => post(path, envelope({ timestampMs }))
      await expectRefusedWithoutChange(answer, 400, 'timestampMs must be milliseconds since 1970, as a string')
    })
  }
})

describe('a path that is none', () => {
  for (const at of [
    '/public/v1/submit/create_wallets',
    '/public/v1/query/create_wallet',
    '/public/v1/submit/constructor',
    '/public/v1/submit/__proto__',
    '/public/v1/submit/create_wallet/',
    '/public/v1/submit/CREATE_WALLET',
    '',
  ]) {
    test(`'${at}'`, async () => {
      await expectRefusedWithoutChange(() => post(at, envelope()), 404, 'there is no such operation')
    })
  }
})
