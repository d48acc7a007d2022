import { afterAll, expect } from 'vitest'
import { type Limits, limitsDefault } from '../../src/contract/limits.ts'
import { findOperation } from '../../src/operations/catalogue.ts'
import type { Dialect } from '../../src/protocol/wire/dialect.ts'
import { type Server, type ServerOptions, startInProcess } from './in_process.ts'
import { newPasskey, registrationOf, type SoftPasskey } from './passkeys.ts'
import { type ApiKeyPair, generateApiKey } from './stamping.ts'

export type Parameters = Readonly<Record<string, unknown>>
export type Answer = { readonly status: number; readonly body: ReturnType<typeof JSON.parse> }
/** How to ask. By default the root user asks its organization by the newest type, in `spec`, from loopback. */
export type Ask = {
  readonly apiKey?: ApiKeyPair
  /** Stamps in place of a key. */
  readonly passkey?: SoftPasskey
  readonly organizationId?: string
  readonly type?: string
  readonly dialect?: Dialect
  readonly sourceAddress?: string | undefined
  readonly isLocal?: true
}

const startMs = Date.UTC(2026, 0, 1)

type Options = Pick<
  ServerOptions,
  | 'oidcIssuers'
  | 'oidcAudiences'
  | 'caFile'
  | 'openPipe'
  | 'oauth2Endpoints'
  | 'ownIssuer'
  | 'sandboxPasscodes'
  | 'mailDecider'
  | 'sendsNotices'
  | 'isVaultApart'
  | 'loopbackHttp'
  | 'turns'
  | 'decidesOnce'
> & {
  readonly limits?: Partial<Limits>
}

/**
 * Starts an organization with one root user, in a server that is closed after the last test of the file. The clock is
 * the test's. It stands still, except that each activity moves it by a millisecond.
 */
export async function startOrganization({ limits = {}, ...issuers }: Options = {}) {
  const clock = { nowMs: startMs }
  const server = await startInProcess({ nowMs: () => clock.nowMs, limits: { ...limitsDefault, ...limits }, ...issuers })
  afterAll(async () => {
    await server.close()
    expect(server.incidents).toEqual([])
  })
  const { organizationId, userId, apiKey } = await server.createOrganization()
  return organizationOf({ server, clock }, { organizationId, rootUserId: userId, apiKey })
}

/** Asks any organization of such a server, as a root user of the organization. */
export function organizationOf(
  { server, clock }: { readonly server: Server; readonly clock: { nowMs: number } },
  { organizationId, rootUserId, apiKey }: { organizationId: string; rootUserId: string; apiKey: ApiKeyPair },
) {
  function query(name: string, parameters: Parameters = {}, ask: Ask = {}): Promise<Answer> {
    const body = { organizationId: ask.organizationId ?? organizationId, ...parameters }
    return server.post(`/public/v1/query/${name}`, body, ask.passkey ?? ask.apiKey ?? apiKey, ask)
  }

  function submit(name: string, parameters: Parameters, ask: Ask = {}): Promise<Answer> {
    const path = `/public/v1/submit/${name}`
    const operation = findOperation(path)
    if (operation?.kind !== 'activity') throw new Error(`${name} is not an activity`)
    clock.nowMs += 1
    const body = {
      type: ask.type ?? operation.types[0]?.type,
      timestampMs: String(clock.nowMs),
      organizationId: ask.organizationId ?? organizationId,
      parameters,
    }
    return server.post(path, body, ask.passkey ?? ask.apiKey ?? apiKey, ask)
  }

  /** Returns the answer of a query that must succeed. */
  async function found(name: string, parameters: Parameters = {}, ask: Ask = {}): Promise<Answer['body']> {
    const answer = await query(name, parameters, ask)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return answer.body
  }

  /** Returns the one result of an activity that must succeed. */
  async function done(name: string, parameters: Parameters, ask: Ask = {}): Promise<Answer['body']> {
    const answer = await submit(name, parameters, ask)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    const results = Object.values(answer.body.activity.result)
    expect(results).toHaveLength(1)
    return results[0]
  }

  return {
    ...{ server, clock, organizationId, rootUserId, rootKey: apiKey },
    ...{ query, submit, found, done, anotherUser, subOrganization },
  }

  /** Makes a sub-organization with its own root user. */
  async function subOrganization(): Promise<{ organizationId: string; rootUserId: string; apiKey: ApiKeyPair }> {
    const key = generateApiKey()
    const apiKeys = [newApiKey({ publicKey: key.publicKey })]
    const made = await done('create_sub_organization', {
      subOrganizationName: 'sub',
      rootUsers: [{ userName: 'sub root', apiKeys, authenticators: [], oauthProviders: [] }],
      rootQuorumThreshold: 1,
    })
    return { organizationId: made.subOrganizationId, rootUserId: made.rootUserIds[0], apiKey: key }
  }

  /** Makes a user outside the root quorum, with a key. */
  async function anotherUser(userName = 'another'): Promise<{ userId: string; apiKey: ApiKeyPair }> {
    const key = generateApiKey()
    const users = [newUser({ userName, apiKeys: [newApiKey({ publicKey: key.publicKey })] })]
    const { userIds } = await done('create_users', { users })
    return { userId: userIds[0], apiKey: key }
  }
}

export type TestOrganization = Awaited<ReturnType<typeof startOrganization>>

const grpcCodes = new Map([
  [400, 3],
  [401, 16],
  [403, 7],
  [404, 5],
  [405, 3],
  [409, 6],
  [413, 3],
  [429, 8],
])

/** Expects an error of the interface, with every text in its message. */
export function expectRefused(answer: Answer, status: number, ...texts: readonly string[]): void {
  const { body } = answer
  expect(answer.status, JSON.stringify(body)).toBe(status)
  expect(body).toStrictEqual({
    code: grpcCodes.get(status),
    message: expect.stringMatching(/./),
    details: expect.any(Array),
    ...(body.turnkeyErrorCode === undefined ? {} : { turnkeyErrorCode: expect.stringMatching(/^[A-Z_]+$/) }),
  })
  for (const text of texts) expect(body.message).toContain(text)
}

export const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/)
export const timestamp = { seconds: expect.stringMatching(/^\d{10}$/), nanos: expect.stringMatching(/^\d{1,9}$/) }
/** A well-formed id that no record has. */
export const absentId = '01234567-89ab-7cde-8f01-23456789abcd'

export function newAccount(given: Parameters = {}): Parameters {
  return {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/44'/60'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    ...given,
  }
}

export function newApiKey(given: Parameters = {}): Parameters {
  return { apiKeyName: 'key', publicKey: generateApiKey().publicKey, curveType: 'API_KEY_CURVE_P256', ...given }
}

export function newMfaPolicy(given: Parameters = {}): Parameters {
  return {
    mfaPolicyName: 'policy',
    condition: "activity.resource == 'WALLET' && activity.action == 'EXPORT'",
    requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_PASSKEY' }] }],
    order: 0,
    ...given,
  }
}

export function newPolicy(given: Parameters = {}): Parameters {
  return { policyName: 'policy', effect: 'EFFECT_DENY', notes: '', ...given }
}

/** A passkey as `create_authenticators` and `create_users` take it. */
export function newAuthenticator({
  passkey = newPasskey('ES256'),
  ...given
}: Parameters & { readonly passkey?: SoftPasskey } = {}): Parameters {
  const { challenge, attestation } = registrationOf(passkey)
  const transports = ['AUTHENTICATOR_TRANSPORT_INTERNAL']
  return { authenticatorName: 'passkey', challenge, attestation: { ...attestation, transports }, ...given }
}

export function newUser(given: Parameters = {}): Parameters {
  return { userName: 'user', apiKeys: [], authenticators: [], oauthProviders: [], userTags: [], ...given }
}

export function newPrivateKey(given: Parameters = {}): Parameters {
  return { privateKeyName: 'key', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [], ...given }
}

export function repeated<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** The parameters of a control that counts ether on mainnet for the organization, within a day, up to one ether. */
export function newVelocityControl({ dataSource, aggregation, ...given }: Record<string, object | string> = {}) {
  return {
    name: 'daily ether',
    identifier: 'daily',
    dataSource: dataSource ?? {
      chainAssetTransfer: { definition: [{ caip19: 'eip155:1/slip44:60', decimals: '18' }] },
    },
    aggregation: {
      method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
      operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
      threshold: '1',
      window: { rolling: { duration: '86400' } },
      groupBy: { organization: {} },
      ...(aggregation as object),
    },
    ...given,
  }
}
