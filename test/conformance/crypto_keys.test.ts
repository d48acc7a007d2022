import { createPublicKey, ECDH } from 'node:crypto'
import { uncompressRawPublicKey } from '@turnkey/crypto'
import { beforeAll, expect, test } from 'vitest'
import { type ReachableServer, startRunningServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

const p256Names = [
  'bundleSigning',
  'tlsFetcherSigning',
  'tlsFetcherEncryption',
  'onRampEncryption',
  'sessionSigning',
  'appProofSigning',
] as const
const ed25519Names = ['auditSigning', 'webhookSigning'] as const

type PublishedKeys = Readonly<Record<string, { readonly compressed: string; readonly uncompressed: string }>>

async function fetchKeys({ url }: ReachableServer): Promise<PublishedKeys> {
  const answer = await fetch(`${url}/.well-known/claviger-keys.json`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  return answer.json()
}

test('the published keys have exactly the documented names and forms', async () => {
  const keys = await fetchKeys(server)
  expect(Object.keys(keys).toSorted()).toEqual([...p256Names, ...ed25519Names].toSorted())
  for (const [name, key] of Object.entries(keys)) {
    expect(Object.keys(key).toSorted(), name).toEqual(['compressed', 'uncompressed'])
  }
})

test.each(p256Names)('%s is a point of P-256 in lower-case hex, and both forms are the same point', async (name) => {
  const { compressed = '', uncompressed = '' } = (await fetchKeys(server))[name] ?? {}
  expect(compressed).toMatch(/^0[23][0-9a-f]{64}$/)
  expect(uncompressed).toMatch(/^04[0-9a-f]{128}$/)
  // Throws for what is not on the curve.
  expect(ECDH.convertKey(compressed, 'prime256v1', 'hex', 'hex', 'uncompressed')).toBe(uncompressed)
  // Clients compare an override with these texts, so they have to come to the same ones.
  expect(Buffer.from(uncompressRawPublicKey(Buffer.from(compressed, 'hex'))).toString('hex')).toBe(uncompressed)
})

test.each(ed25519Names)('%s is an Ed25519 key, which has one form only', async (name) => {
  const { compressed = '', uncompressed } = (await fetchKeys(server))[name] ?? {}
  expect(compressed).toMatch(/^[0-9a-f]{64}$/)
  expect(uncompressed).toBe(compressed)
  const x = Buffer.from(compressed, 'hex').toString('base64url')
  expect(createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }).asymmetricKeyType).toBe('ed25519')
})

test('the JSON Web Key Set has the keys that sign tokens, each by its name', async () => {
  const keys = await fetchKeys(server)
  const answer = await fetch(`${server.url}/.well-known/jwks.json`)
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  const set: { keys: JsonWebKey[] } = await answer.json()
  expect(set.keys).toEqual(
    ['tlsFetcherSigning', 'sessionSigning'].map((kid) => {
      const point = Buffer.from(keys[kid]?.uncompressed ?? '', 'hex')
      const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
      return { kty: 'EC', crv: 'P-256', x, y, alg: 'ES256', use: 'sig', kid }
    }),
  )
})

test('each key serves one purpose: no two are equal', async () => {
  const compressed = Object.values(await fetchKeys(server)).map((key) => key.compressed)
  expect(new Set(compressed).size).toBe(p256Names.length + ed25519Names.length)
})

test('a restart publishes the same keys, and another server publishes others', async () => {
  const keys = await fetchKeys(server)
  const other = await startRunningServer()
  const otherKeys = await fetchKeys(other)
  await other.stop()
  for (const name of [...p256Names, ...ed25519Names]) expect(otherKeys[name]).not.toEqual(keys[name])
  const again = await startRunningServer({ folder: other.folder })
  expect(await fetchKeys(again)).toEqual(otherKeys)
  await again.stop()
})
