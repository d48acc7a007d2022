import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { oauth2EndpointsKnown } from '../../contract/oauth2.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import type { JsonObject } from '../../protocol/wire/json.ts'
import { createExchangeCode } from './exchange_code.ts'
import type { FetchJson } from './fetch_json.ts'

const provider = 'OAUTH2_PROVIDER_PROVIDER_A'
const { tokenUrl } = oauth2EndpointsKnown[provider]

/** A provider that answers when it is told to. */
function startExchanges() {
  const warnings: string[] = []
  const asked: { readonly answer: () => void; readonly fail: () => void }[] = []
  const fetchJson: FetchJson = ({ url }) =>
    new Promise((resolve, reject) => {
      const json: JsonObject =
        url === tokenUrl ? { access_token: 'token', token_type: 'bearer' } : { data: { id: '7' } }
      const answer = () => resolve({ status: 200, json, cacheControl: undefined })
      if (url === tokenUrl) asked.push({ answer, fail: () => reject(new Error('gone')) })
      else answer()
    })
  const exchangeCode = createExchangeCode({
    endpoints: oauth2EndpointsKnown,
    fetchJson,
    log: { warn: (_fields, text) => warnings.push(text) },
  })
  const texts = { clientId: 'client', authCode: 'code', codeVerifier: 'verifier', redirectUri: 'https://app.example' }
  const exchange = (organizationId: string, fingerprint = `request ${asked.length}`, parentId?: string) =>
    exchangeCode(
      { provider, ...texts, clientSecret: new SecretBytes(Buffer.from('hush')) },
      { organizationId, parentId, fingerprint },
    )
  return { asked, exchange, warnings }
}

describe('the bearer token of an exchange', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('is kept for the same request for a minute, and then zeroed, whether or not another request comes', async () => {
    const { asked, exchange } = startExchanges()
    const first = exchange('one', 'request')
    asked[0]?.answer()
    const { accessToken } = await first
    vi.advanceTimersByTime(59_999)
    expect((await exchange('one', 'request')).accessToken).toBe(accessToken)
    expect(Buffer.from(accessToken.reveal()).toString()).toBe('token')
    vi.advanceTimersByTime(1)
    expect([...accessToken.reveal()]).toEqual([0, 0, 0, 0, 0])
    void exchange('one', 'request')
    expect(asked).toHaveLength(2)
  })
})

describe('the limit on running exchanges', () => {
  const refused = { code: 'UNAVAILABLE', httpStatus: 503 }

  test('is eight for one organization, which leaves connections to others; one that ends makes room', async () => {
    const { asked, exchange } = startExchanges()
    const eight = Array.from({ length: 8 }, () => exchange('one'))
    await expect(exchange('one')).rejects.toMatchObject(refused)
    expect(asked).toHaveLength(8)
    const other = exchange('other')
    asked[8]?.answer()
    expect((await other).subject).toBe('x:7')

    const again = exchange('one', 'request 0') // the same request is the same exchange
    asked[0]?.answer()
    expect(await again).toBe(await eight[0])
    void exchange('one')
    expect(asked).toHaveLength(10)
    await expect(exchange('one')).rejects.toMatchObject(refused)
    asked[1]?.fail()
    await expect(eight[1]).rejects.toThrow('gone')
    void exchange('one')
    expect(asked).toHaveLength(11)
  })

  test('is as many for the sub-organizations of one parent as they leave free, and none of the parent', async () => {
    const { asked, exchange, warnings } = startExchanges()
    const below = (count: number) => exchange(`child ${count}`, `request of child ${count}`, 'parent')
    for (let count = 0; count < 24; count += 1) void below(count)
    await expect(below(24)).rejects.toMatchObject(refused)
    await expect(below(25)).rejects.toMatchObject(refused)
    expect(warnings).toEqual(['OAuth 2.0 logins are refused: too many are under way'])
    for (const one of ['parent', 'other']) for (let count = 0; count < 8; count += 1) void exchange(one)
    expect(asked).toHaveLength(40)
    // 8 places are free, of which another family leaves 4.
    for (let count = 0; count < 4; count += 1) void exchange(`cousin ${count}`, `request of cousin ${count}`, 'aunt')
    await expect(exchange('cousin 4', 'request of cousin 4', 'aunt')).rejects.toMatchObject(refused)
    expect(asked).toHaveLength(44)
  })

  test('of all organizations together leaves connections for fetching the keys of issuers', async () => {
    const { asked, exchange } = startExchanges()
    for (let count = 0; count < 48; count += 1) void exchange(`organization ${count}`)
    await expect(exchange('another')).rejects.toMatchObject(refused)
    expect(asked).toHaveLength(48)
  })
})
