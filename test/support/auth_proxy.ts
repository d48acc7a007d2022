import { randomUUID, sign } from 'node:crypto'
import { expect } from 'vitest'
import { findOperation } from '../../src/operations/catalogue.ts'
import type { Answer, Parameters, TestOrganization } from './organization.ts'
import { type ApiKeyPair, generateApiKey } from './stamping.ts'

export const proxyOrigin = 'https://app.example.com'

type How = {
  readonly configId?: string
  readonly origin?: string | undefined
  readonly requestId?: string
  readonly timestampMs?: number
  readonly path?: string
  readonly stamped?: boolean
  readonly sourceAddress?: string
}

type Attesting = {
  readonly token: string
  readonly key: ApiKeyPair
  readonly by?: 'VERIFICATION_TOKEN' | 'OIDC'
  readonly sourceAddress?: string
}

/** Asks the auth proxy of an organization as the HTTP server does, and stamps with tokens as the console does. */
export function proxyOf({ server, clock, organizationId, done }: TestOrganization) {
  async function ask(
    name: string,
    body: Parameters | string,
    { path = `/v1/${name}`, stamped, sourceAddress, ...how }: How = {},
  ): Promise<Answer> {
    clock.nowMs += 1
    const made = { requestId: randomUUID(), timestampMs: clock.nowMs }
    const proxied = { configId: organizationId, origin: proxyOrigin, ...made, ...how }
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const stamps = stamped === true ? [{ header: 'x-stamp', value: 'e30' } as const] : []
    return read(await server.submit({ path, body: bytes, stamps, dialect: 'spec', proxied, sourceAddress }))
  }

  async function asked(name: string, body: Parameters, how: How = {}): Promise<Answer['body']> {
    const answer = await ask(name, body, how)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return answer.body
  }

  /** The steps of a client, through the proxy where it offers them. */
  async function throughProxy(name: string, parameters: Parameters) {
    const { appName: _, ...rest } = parameters
    if (name === 'init_otp') return asked('otp_init_v2', rest)
    if (name === 'verify_otp') return asked('otp_verify_v2', parameters)
    return done(name, parameters)
  }

  /** Submits with an attested stamp: a token says whose key stamps. */
  async function attested(
    name: string,
    parameters: Parameters,
    { token, key, by = 'VERIFICATION_TOKEN', sourceAddress }: Attesting,
  ): Promise<Answer> {
    clock.nowMs += 1
    const path = `/public/v1/submit/${name}`
    const operation = findOperation(path)
    const type = operation?.kind === 'activity' ? operation.types[0]?.type : undefined
    const body = Buffer.from(JSON.stringify({ type, timestampMs: String(clock.nowMs), organizationId, parameters }))
    const signature = sign('sha256', body, key.privateKey).toString('hex')
    const scheme = `STAMP_ATTESTED_SCHEME_P256_${by}`
    const value = JSON.stringify({ publicKeyAttestation: token, scheme, publicKey: key.publicKey, signature })
    const stamps = [{ header: 'x-stamp-attested', value }] as const
    return read(await server.submit({ path, body, stamps, dialect: 'spec', sourceAddress }))
  }

  /** Logs in as the console does: a token of the contact names the key that stamps. */
  const stampLogin = (token: string, key: ApiKeyPair) =>
    attested('stamp_login', { publicKey: generateApiKey().publicKey }, { token, key })

  return { ask, asked, throughProxy, attested, stampLogin }
}

function read({ status, body }: { readonly status: number; readonly body: Uint8Array }): Answer {
  return { status, body: JSON.parse(Buffer.from(body).toString()) }
}
