import { createPrivateKey, createPublicKey, sign as nodeSign } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLoopbackHttp } from './loopback.ts'
import { isWebhookUrl, signWebhook, webhookJwk, webhookUrlCharactersMax } from './webhooks.ts'

/** Computed by the clients' own code, from the seed 0xaa repeated. */
const vector = {
  keyId: 'key-1',
  timestampMs: 1_795_241_023_366,
  eventId: 'evt-1',
  body: '{"id":"act-1","status":"ACTIVITY_STATUS_COMPLETED"}',
  publicKey: 'e734ea6c2b6257de72355e472aa05a4c487e6b463c029ed306df2f01b5636b58',
  signature:
    '2c832fdf4593d5a3f4b09b4ed1431adb7d2ef7cf2a82453202bc8439f52f63d5b88dbd9d3dcedef53938b40c01d32cb7eb169f4f82eae719de317fb6d4aa4c0a',
}

test('the signature is that of the vector', () => {
  const seed = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 0xaa)])
  const privateKey = createPrivateKey({ key: seed, format: 'der', type: 'pkcs8' })
  const { keyId, timestampMs, eventId, body } = vector
  const event = { channel: 'webhook', endpointId: 'e', url: 'https://a.example', organizationId: 'o' } as const
  const { headers } = signWebhook(
    { ...event, eventId, eventType: 'ACTIVITY_UPDATES', body },
    { keyId, timestampMs, sign: (message) => nodeSign(null, message, privateKey) },
  )
  expect(headers).toEqual({
    'Content-Type': 'application/json',
    'X-Turnkey-Organization-Id': 'o',
    'X-Turnkey-Event-Type': 'ACTIVITY_UPDATES',
    'X-Turnkey-Timestamp': '1795241023366',
    'X-Turnkey-Webhook-Version': '1',
    'X-Turnkey-Event-Id': 'evt-1',
    'X-Turnkey-Signature-Key-Id': 'key-1',
    'X-Turnkey-Signature-Algorithm': 'ed25519',
    'X-Turnkey-Signature-Version': 'v1',
    'X-Turnkey-Signature': vector.signature,
  })
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  expect(webhookJwk(Buffer.from(vector.publicKey, 'hex')).x).toBe(x)
})

test.each([
  ['https://hooks.example.com', true],
  ['https://hooks.example.com:8443/a/b?token=1@2', true],
  ['https://127.0.0.1/', true],
  ['https://[2001:db8::1]/', true],
  ['http://hooks.example.com', false],
  ['http://127.0.0.1:8080/hook', true],
  ['http://localhost:8080/hook', true],
  ['http://[::1]/', true],
  ['http://127.0.0.1.example.com/', false],
  ['http://ada@127.0.0.1/', false],
  ['http://@127.0.0.1/', false],
  ['http:///127.0.0.1', false],
  ['ftp://hooks.example.com', false],
  ['https://ada@hooks.example.com', false],
  ['https://:secret@hooks.example.com', false],
  ['https://@hooks.example.com', false],
  ['https://hooks.example.com/#', false],
  ['https://hooks.example.com/#part', false],
  ['https:///hooks.example.com', false],
  ['https:hooks.example.com', false],
  ['https://hooks.example.com/a b', false],
  ['https://hooks.example.com/\n', false],
  ['https://hóoks.example.com/', false],
  ['https://', false],
  ['', false],
  [`https://a.example/${'x'.repeat(webhookUrlCharactersMax - 18)}`, true],
  [`https://a.example/${'x'.repeat(webhookUrlCharactersMax - 17)}`, false],
])('%s can be an address: %s', (text, expected) => {
  expect(isWebhookUrl(text)).toBe(expected)
})

test('an address that is accepted leads by HTTPS to a host, or to this machine, and holds no credentials', () => {
  const part = fc.constantFrom(
    'https://',
    'http://',
    'a.example',
    '127.0.0.1',
    '@',
    ':',
    '/',
    '\\',
    '#',
    '?',
    '%40',
    'x',
    '443',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(part).map((parts) => parts.join('')),
      ),
      (text) => {
        if (!isWebhookUrl(text)) return
        const url = new URL(text)
        if (!isLoopbackHttp(url)) expect(url.protocol).toBe('https:')
        expect([url.username, url.password, url.hash]).toEqual(['', '', ''])
        expect(url.hostname).not.toBe('')
      },
    ),
  )
})
