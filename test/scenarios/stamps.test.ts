import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Curve,
  der,
  edited,
  hex32,
  newPair,
  orders,
  type Pair,
  type Scheme,
  schemes,
  signatureOf,
  stampCarrying,
  stampOf,
} from '../support/api_stamps.ts'
import { activityRequest, clientOf } from '../support/client.ts'
import { type Server, startInProcess } from '../support/in_process.ts'
import { resultOf } from '../support/two_organizations.ts'

/** Stamps of every curve and scheme of API keys, as clients make them, and headers that are no valid stamp. */

const schemeNames = Object.keys(schemes).filter((name): name is Scheme => Object.hasOwn(schemes, name))
const ecdsaSchemes = schemeNames.filter((name) => schemes[name] !== 'API_KEY_CURVE_ED25519')

let server: Server
let organizationId: string
let userId: string
let keys: Readonly<Record<Curve, Pair>>

beforeAll(async () => {
  server = await startInProcess()
  const made = await server.createOrganization()
  organizationId = made.organizationId
  userId = made.userId
  keys = {
    API_KEY_CURVE_P256: newPair('API_KEY_CURVE_P256'),
    API_KEY_CURVE_SECP256K1: newPair('API_KEY_CURVE_SECP256K1'),
    API_KEY_CURVE_ED25519: newPair('API_KEY_CURVE_ED25519'),
  }
  const apiKeys = Object.entries(keys).map(([curveType, { publicKey }]) => ({
    apiKeyName: curveType,
    publicKey,
    curveType,
  }))
  await resultOf(clientOf(server, made).activity('create_api_keys', { userId, apiKeys }))
})
afterAll(async () => {
  await server.close()
  expect(server.incidents).toEqual([])
})

for (const scheme of schemeNames) {
  describe(`a stamp of ${scheme}`, () => {
    const pair = () => keys[schemes[scheme]]

    test('is accepted on queries and activities, and an activity shows it in its vote', async () => {
      const who = await ask({ stamp: (body) => stampOf(scheme, pair(), body) })
      expect(who).toMatchObject({ status: 200, body: { userId } })
      const { path, body } = walletRequest()
      const stamp = stampOf(scheme, pair(), Buffer.from(body))
      const made = await send(path, body, [stamp])
      expect(made.status, JSON.stringify(made.body)).toBe(200)
      const { scheme: shown, publicKey, signature, message } = made.body.activity.votes[0]
      expect({ shown, publicKey, message }).toEqual({ shown: scheme, publicKey: pair().publicKey, message: body })
      expect({ scheme: shown, publicKey, signature }).toEqual(JSON.parse(Buffer.from(stamp, 'base64url').toString()))
    })

    test('over another body is refused', async () => {
      const answer = await ask({
        stamp: () => stampOf(scheme, pair(), Buffer.from(JSON.stringify({ organizationId: '' }))),
      })
      expectCategory(answer, 401, 'SIGNATURE_INVALID')
    })

    test('that was accepted over one body is refused over another', async () => {
      const body = JSON.stringify({ organizationId })
      const stamp = stampOf(scheme, pair(), Buffer.from(body))
      expect(await send('/public/v1/query/whoami', body, [stamp])).toMatchObject({ status: 200 })
      expectCategory(await send('/public/v1/query/whoami', `${body} `, [stamp]), 401, 'SIGNATURE_INVALID')
    })

    test('over the same text with one blank more is refused', async () => {
      const answer = await ask({ stamp: (body) => stampOf(scheme, pair(), Buffer.concat([body, Buffer.from(' ')])) })
      expectCategory(answer, 401, 'SIGNATURE_INVALID')
    })

    test("that names a registered key and was made with another one's secret is refused", async () => {
      const thief = { ...newPair(schemes[scheme]), publicKey: pair().publicKey }
      const answer = await ask({ stamp: (body) => stampOf(scheme, thief, body) })
      expectCategory(answer, 401, 'SIGNATURE_INVALID')
    })

    test('of a key that nobody registered is refused', async () => {
      const stranger = newPair(schemes[scheme])
      expectCategory(await ask({ stamp: (body) => stampOf(scheme, stranger, body) }), 401, 'PUBLIC_KEY_NOT_FOUND')
    })

    test('with its public key in capitals is accepted', async () => {
      const shouting = { ...pair(), publicKey: pair().publicKey.toUpperCase() }
      expect((await ask({ stamp: (body) => stampOf(scheme, shouting, body) })).status).toBe(200)
    })

    test('for one activity is useless on the path of another', async () => {
      const { body } = walletRequest()
      const stamp = stampOf(scheme, pair(), Buffer.from(body))
      expectCategory(await send('/public/v1/submit/create_private_keys', body, [stamp]), 400, 'REQUEST_INVALID')
    })

    for (const other of schemeNames) {
      if (other === scheme) continue
      test(`that calls itself ${other} is refused`, async () => {
        const answer = await ask({ stamp: (body) => edited(stampOf(scheme, pair(), body), { scheme: other }) })
        expect(answer.status).toBe(401)
      })
    }
  })
}

for (const scheme of ecdsaSchemes) {
  const curve = schemes[scheme]
  if (curve === 'API_KEY_CURVE_ED25519') throw new Error('not an ECDSA scheme')
  const pair = () => keys[curve]

  for (const isHigh of [false, true]) {
    test(`a stamp of ${scheme} with a ${isHigh ? 'high' : 'low'} S is accepted`, async () => {
      const answer = await ask({
        stamp: (body) => {
          const { r, s } = signatureOf(scheme, pair(), body)
          const isNowHigh = s > orders[curve] / 2n
          return stampCarrying(scheme, pair(), der(r, isNowHigh === isHigh ? s : orders[curve] - s))
        },
      })
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    })
  }

  test(`a stamp of ${scheme} whose DER integers have superfluous zeros is accepted`, async () => {
    const answer = await ask({
      stamp: (body) => {
        const { r, s } = signatureOf(scheme, pair(), body)
        return stampCarrying(scheme, pair(), der(r, s, { padding: 1 }))
      },
    })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  })

  const malformed: Readonly<Record<string, (r: bigint, s: bigint) => Uint8Array>> = {
    'with bytes after its DER': (r, s) => Buffer.concat([der(r, s), Buffer.of(0)]),
    'as r and s without DER': (r, s) => Buffer.from(hex32(r) + hex32(s), 'hex'),
    'with an r of zero': (_, s) => der(0n, s),
    'with an s of zero': (r) => der(r, 0n),
    'with an r of the order': (_, s) => der(orders[curve], s),
    'with an s of the order': (r) => der(r, orders[curve]),
    'with r and s exchanged': (r, s) => der(s, r),
  }
  for (const [name, make] of Object.entries(malformed)) {
    test(`a stamp of ${scheme} ${name} is refused`, async () => {
      const answer = await ask({
        stamp: (body) => {
          const { r, s } = signatureOf(scheme, pair(), body)
          return stampCarrying(scheme, pair(), make(r, s))
        },
      })
      expectCategory(answer, 401, 'SIGNATURE_INVALID')
    })
  }
}

describe('the stamp header', () => {
  test('that is missing is a 401 with the text that clients look for', async () => {
    const answer = await send('/public/v1/query/whoami', JSON.stringify({ organizationId }), [])
    expectCategory(answer, 401, 'SIGNATURE_MISSING')
    expect(answer.body.message).toContain('no valid authentication signature found for request')
  })

  test('that comes twice is a 400, even when both are right', async () => {
    const body = JSON.stringify({ organizationId })
    const stamps = [1, 2].map(() => stampOf('SIGNATURE_SCHEME_TK_API_P256', keys.API_KEY_CURVE_P256, Buffer.from(body)))
    expectCategory(await send('/public/v1/query/whoami', body, stamps), 400, 'REQUEST_INVALID')
  })

  const forms: Readonly<Record<string, (value: string) => string>> = {
    'base64url with padding': (value) => value + '='.repeat((4 - (value.length % 4)) % 4),
    base64: (value) => Buffer.from(value, 'base64url').toString('base64'),
    'members in another order': (value) => {
      const { publicKey, scheme, signature } = JSON.parse(Buffer.from(value, 'base64url').toString())
      return Buffer.from(JSON.stringify({ signature, publicKey, scheme })).toString('base64url')
    },
  }
  for (const [name, reform] of Object.entries(forms)) {
    test(`as ${name} is accepted`, async () => {
      const answer = await ask({
        stamp: (body) => reform(stampOf('SIGNATURE_SCHEME_TK_API_P256', keys.API_KEY_CURVE_P256, body)),
      })
      expect(answer.status).toBe(200)
    })
  }

  const broken: Readonly<Record<string, (value: string) => string>> = {
    'that is empty': () => '',
    'that is not base64': () => '{}',
    'that holds no JSON': () => Buffer.from('stamp').toString('base64url'),
    'that holds null': () => Buffer.from('null').toString('base64url'),
    'with a member more': (value) => edited(value, { extra: '' }),
    'with a scheme that does not exist': (value) => edited(value, { scheme: 'constructor' }),
    'with a number for a signature': (value) => edited(value, { signature: 1 }),
    'with an uncompressed public key': (value) => edited(value, { publicKey: `04${'11'.repeat(64)}` }),
  }
  for (const [name, make] of Object.entries(broken)) {
    test(`${name} is a 401`, async () => {
      const answer = await ask({
        stamp: (body) => make(stampOf('SIGNATURE_SCHEME_TK_API_P256', keys.API_KEY_CURVE_P256, body)),
      })
      expectCategory(answer, 401, 'SIGNATURE_INVALID')
    })
  }
})

async function ask({ stamp }: { stamp: (body: Uint8Array) => string }) {
  const body = JSON.stringify({ organizationId })
  return send('/public/v1/query/whoami', body, [stamp(Buffer.from(body))])
}

async function send(path: string, body: string, values: readonly string[]) {
  const stamps = values.map((value) => ({ header: 'x-stamp', value }) as const)
  const answer = await server.submit({ path, body: Buffer.from(body), stamps, dialect: 'spec' })
  return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString('utf8')) }
}

let wallets = 0
function walletRequest() {
  wallets += 1
  const parameters = { walletName: `wallet ${wallets}`, accounts: [] }
  return activityRequest('create_wallet', { organizationId, parameters, timestampMs: Date.now() })
}

function expectCategory(answer: Awaited<ReturnType<typeof send>>, status: number, turnkeyErrorCode: string): void {
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status, body: { turnkeyErrorCode } })
}
