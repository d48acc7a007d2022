import { createPrivateKey, sign } from 'node:crypto'
import { requestBytes } from './connection.ts'

/** The content of `credentials.json`, as `claviger dev` writes it. The keys are in lower-case hex. */
export type Credentials = {
  readonly organizationId: string
  readonly apiPublicKey: string
  readonly apiPrivateKey: string
}

/** PKCS#8 up to the bare P-256 scalar (RFC 5208, RFC 5915). */
const pkcs8Prefix = '3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420'

/** Makes the function that returns the stamped request for a path and a body, as it goes over the wire. */
export function createStamper({ apiPublicKey, apiPrivateKey }: Credentials): (path: string, body: object) => Buffer {
  const key = createPrivateKey({ key: Buffer.from(pkcs8Prefix + apiPrivateKey, 'hex'), format: 'der', type: 'pkcs8' })
  return (path, body) => {
    const bytes = Buffer.from(JSON.stringify(body))
    const signature = sign('sha256', bytes, key).toString('hex')
    const stamp = JSON.stringify({ publicKey: apiPublicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature })
    const headers = { 'content-type': 'application/json', 'x-stamp': Buffer.from(stamp).toString('base64url') }
    return requestBytes(path, headers, bytes)
  }
}

/** The body of an activity that is stamped now. */
export function activityBody(organizationId: string, type: string, parameters: object): object {
  return { type, timestampMs: String(Date.now()), organizationId, parameters }
}
