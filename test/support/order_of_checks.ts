import { describe, test } from 'vitest'
import { type Answer, absentId, expectRefused, type Parameters, type TestOrganization } from './organization.ts'
import { type ApiKeyPair, generateApiKey, stampWith } from './stamping.ts'

/** Requests with two faults: each is answered for the fault that is checked first. */

export type StampedRequest = {
  readonly path: string
  readonly body: { readonly type: string; readonly timestampMs: string; readonly organizationId: string }
  readonly parameters: Parameters
  readonly by: By
  /** `broken` changes the text that is sent, and `stamped` the text that is stamped. */
  readonly broken: (text: string) => string
  readonly stamped: (text: string) => string
  readonly stampCount: number
  readonly sourceAddress?: string
}

/** Who stamps, and by which of their keys. The stranger's key is nobody's. */
export type By = {
  readonly isStranger?: boolean
  readonly isExpired?: boolean
  readonly isNarrow?: boolean
  readonly isOutsider?: boolean
  readonly owesStep?: boolean
}

export type Fault<Request> = {
  readonly name: string
  readonly status: number
  readonly text: string
  readonly apply: (request: Request) => Request
}

type StampedFault = Omit<Fault<never>, 'apply'> & {
  readonly apply: <Request extends StampedRequest>(request: Request) => Request
}

type Asked = Pick<StampedRequest, 'path' | 'parameters'> & { readonly type: string }

export const office = { sourceAddress: '203.0.113.7' }

/** Sets an IP allowlist that has the office only. From now on requests without a fault come from there. */
export async function allowOffice({ done }: Pick<TestOrganization, 'done'>): Promise<void> {
  await done('set_ip_allowlist', { rules: [{ cidr: '203.0.113.0/24' }] }, office)
}

const shortSeconds = 60

/**
 * Gives a user three sessions: one that has expired after an hour, one whose profile lets it read only, and one that is
 * both. Returns the key by which such a user stamps.
 */
export async function sessionsOf(
  { done }: Pick<TestOrganization, 'done'>,
  { apiKey, sessionProfileId }: { readonly apiKey: ApiKeyPair; readonly sessionProfileId: string },
): Promise<(by: By) => ApiKeyPair> {
  async function session(given: Parameters): Promise<ApiKeyPair> {
    const key = generateApiKey()
    await done('stamp_login', { publicKey: key.publicKey, expirationSeconds: '86400', ...given }, { apiKey })
    return key
  }
  const isShort = { expirationSeconds: String(shortSeconds) }
  const expired = await session(isShort)
  const narrow = await session({ sessionProfileId })
  const both = await session({ ...isShort, sessionProfileId })
  return ({ isExpired, isNarrow }) => (isExpired ? (isNarrow ? both : expired) : isNarrow ? narrow : apiKey)
}

/** A profile whose sessions may read only. */
export async function readingProfile({ done }: Pick<TestOrganization, 'done'>): Promise<string> {
  const profile = { sessionProfileName: 'reader', scope: "activity.action == 'READ'" }
  return (await done('create_session_profile', profile)).sessionProfileId
}

export function stampedRequest(
  { clock, organizationId }: Pick<TestOrganization, 'clock' | 'organizationId'>,
  { type, ...asked }: Asked,
): StampedRequest {
  clock.nowMs += 1
  return {
    ...asked,
    body: { type, timestampMs: String(clock.nowMs), organizationId },
    broken: (text) => text,
    stamped: (text) => text,
    stampCount: 1,
    ...office,
    by: {},
  }
}

const stranger = generateApiKey()

export async function sendStamped(
  { server }: Pick<TestOrganization, 'server'>,
  { path, body, parameters, by, broken, stamped, stampCount, ...source }: StampedRequest,
  keyOf: (by: By) => ApiKeyPair,
): Promise<Answer> {
  const text = broken(JSON.stringify({ ...body, parameters }))
  const value = stampWith(by.isStranger ? stranger : keyOf(by), Buffer.from(stamped(text)))
  const stamps = Array.from({ length: stampCount }, () => ({ header: 'x-stamp', value }) as const)
  const answer = await server.submit({ path, body: Buffer.from(text), stamps, dialect: 'spec', ...source })
  return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString('utf8')) }
}

/** A fault of whoever stamps. */
export const byFault = (name: string, status: number, text: string, by: By) => ({
  ...{ name, status, text },
  apply: <Request extends StampedRequest>(request: Request): Request => ({ ...request, by: { ...request.by, ...by } }),
})

/** Faults of the envelope and the stamp, as they are checked for every activity. */
export const stampedFaults = {
  path: [
    {
      name: 'an unknown path',
      status: 404,
      text: 'there is no such operation',
      apply: (request) => ({ ...request, path: '/public/v1/submit/nothing' }),
    },
  ],
  json: [
    {
      name: 'broken JSON',
      status: 400,
      text: 'bad request body',
      apply: (request) => ({ ...request, broken: (text) => `${text}}` }),
    },
  ],
  stamps: [
    {
      name: 'no stamp',
      status: 401,
      text: 'no valid authentication signature found for request',
      apply: (request) => ({ ...request, stampCount: 0 }),
    },
    {
      name: 'two stamps',
      status: 400,
      text: 'send exactly one stamp header',
      apply: (request) => ({ ...request, stampCount: 2 }),
    },
  ],
  envelope: [
    {
      name: 'the type of another path',
      status: 400,
      text: 'type must be',
      apply: (request) => ({ ...request, body: { ...request.body, type: 'ACTIVITY_TYPE_CREATE_WALLET' } }),
    },
    {
      name: 'an unknown field in the envelope',
      status: 400,
      text: 'surprise must be left out',
      apply: (request) => ({ ...request, body: { ...request.body, surprise: 1 } }),
    },
  ],
  organization: [
    {
      name: 'an unknown organization',
      status: 404,
      text: 'no organization found with the given ID',
      apply: (request) => ({ ...request, body: { ...request.body, organizationId: absentId } }),
    },
  ],
  key: [byFault('an unknown key', 401, 'could not find public key', { isStranger: true })],
  signature: [
    {
      name: 'a stamp over other bytes',
      status: 401,
      text: 'could not verify api key signature',
      apply: (request) => ({ ...request, stamped: (text) => `${text} ` }),
    },
  ],
  expiry: [byFault('a session that has expired', 401, 'expired', { isExpired: true })],
  address: [
    {
      name: 'an address outside the list',
      status: 403,
      text: 'not in the IP allowlist',
      apply: (request) => ({ ...request, sourceAddress: '192.0.2.7' }),
    },
  ],
  time: [
    {
      name: 'a time long past',
      status: 400,
      text: 'timestampMs is outside the accepted window',
      apply: (request) => ({ ...request, body: { ...request.body, timestampMs: '1' } }),
    },
  ],
} as const satisfies Record<string, readonly StampedFault[]>

export const scopeFault = byFault('a scope that does not allow it', 403, "the scope of this session's profile", {
  isNarrow: true,
})

/**
 * Tests each fault of `checks` alone and together with each later one. `checks` stand in their order. Two faults of one
 * check cannot be in one request. The later fault is applied last: if it took the earlier one away, the test would fail.
 */
export function testOrder<Request>(
  checks: readonly (readonly Fault<Request>[])[],
  { valid, send }: { readonly valid: () => Request; readonly send: (request: Request) => Promise<Answer> },
): void {
  checks.forEach((faults, index) => {
    for (const fault of faults) {
      describe(`${fault.name} is answered with ${fault.status}`, () => {
        test('on its own', async () => {
          expectRefused(await send(fault.apply(valid())), fault.status, fault.text)
        })
        for (const later of checks.slice(index + 1).flat()) {
          test(`before ${later.name}`, async () => {
            expectRefused(await send(later.apply(fault.apply(valid()))), fault.status, fault.text)
          })
        }
      })
    }
  })
}
