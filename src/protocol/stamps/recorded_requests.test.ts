import { describe, expect, test } from 'vitest'
import recorded from '../../../test/vectors/recorded_requests.json' with { type: 'json' }
import { parseBody } from '../wire/json.ts'
import { importApiPublicKey, parseApiPublicKey } from './api_keys.ts'
import { curveOfScheme, parseApiStamp, verifyApiStamp } from './api_stamps.ts'

/** Requests of unmodified public clients: each verifies, and no longer does once a byte is changed. */
describe.each(recorded.requests)('$name of $client', ({ headers, body: text, organizationId }) => {
  const body = new TextEncoder().encode(text)
  const stamp = parseApiStamp(headers['x-stamp'])
  const curveType = curveOfScheme(stamp.scheme)
  const key = importApiPublicKey({ curveType, publicKey: stamp.publicKey })

  test('the body is read and the key is one', () => {
    expect(parseBody(body)).toStrictEqual(JSON.parse(text))
    expect(parseBody(body).organizationId).toBe(organizationId)
    expect(parseApiPublicKey({ curveType, publicKey: stamp.publicKey })).toBe(stamp.publicKey)
  })

  test('the stamp verifies', async () => {
    expect(await verifyApiStamp({ stamp, key, body })).toBe(true)
  })

  test('it does not when any one byte of the body is another', async () => {
    const answers = await Promise.all(
      Array.from(body, (_byte, at) => verifyApiStamp({ stamp, key, body: changedAt(body, at) })),
    )
    expect(answers).toStrictEqual(Array.from(body, () => false))
  })

  test('it does not when a byte is added or missing', async () => {
    for (const other of [body.subarray(1), body.subarray(0, -1), Uint8Array.of(...body, 0x20), new Uint8Array()]) {
      expect(await verifyApiStamp({ stamp, key, body: other })).toBe(false)
    }
  })

  test('it does not when any one byte of the signature is another', async () => {
    for (let at = 0; at < stamp.signature.length; at += 1) {
      const signature = changedAt(stamp.signature, at)
      expect(await verifyApiStamp({ stamp: { ...stamp, signature }, key, body })).toBe(false)
    }
  })
})

function changedAt(bytes: Uint8Array, at: number): Uint8Array {
  const changed = Uint8Array.from(bytes)
  changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
  return changed
}
