import { createECDH, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export type ApiKeyPair = { readonly publicKey: string; readonly privateKey: KeyObject; readonly privateKeyHex: string }

/** A P-256 API key: the public half compressed, in hex. */
export function generateApiKey(): ApiKeyPair {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' })
  const odd = (Buffer.from(y, 'base64url').at(-1) ?? 0) & 1
  const publicKey = `${odd === 1 ? '03' : '02'}${Buffer.from(x, 'base64url').toString('hex')}`
  return { publicKey, privateKey, privateKeyHex: Buffer.from(d, 'base64url').toString('hex') }
}

/** The key whose private half a server gave to its user. */
export function apiKeyOf(privateKeyHex: string): ApiKeyPair {
  const exchange = createECDH('prime256v1')
  exchange.setPrivateKey(privateKeyHex, 'hex')
  const point = exchange.getPublicKey()
  const part = (start: number) => point.subarray(start, start + 32).toString('base64url')
  const d = Buffer.from(privateKeyHex, 'hex').toString('base64url')
  const jwk = { kty: 'EC', crv: 'P-256', x: part(1), y: part(33), d }
  return {
    publicKey: exchange.getPublicKey('hex', 'compressed'),
    privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
    privateKeyHex,
  }
}

/** The value of `X-Stamp` for these bytes. */
export function stampWith({ publicKey, privateKey }: ApiKeyPair, body: Uint8Array): string {
  const signature = sign('sha256', body, privateKey).toString('hex')
  return Buffer.from(JSON.stringify({ publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature })).toString(
    'base64url',
  )
}
