import { describe, expect, test } from 'vitest'
import { type Answer, absentId, expectRefused, newAccount, startOrganization } from '../support/organization.ts'
import { generateApiKey, stampWith } from '../support/stamping.ts'

/** A request with two faults is answered for the fault that is checked first. */
const { server, clock, organizationId, rootKey, done, anotherUser } = await startOrganization()
const { walletId } = await done('create_wallet', { walletName: 'wallet', accounts: [newAccount()] })
const outsider = (await anotherUser()).apiKey
const stranger = generateApiKey()

type Request = {
  readonly path: string
  readonly body: { readonly type: string; readonly timestampMs: string; readonly organizationId: string }
  readonly parameters: object
  readonly apiKey: typeof rootKey
  /** `broken` changes the text that is sent, and `stamped` the text that is stamped. */
  readonly broken: (text: string) => string
  readonly stamped: (text: string) => string
  readonly stampCount: number
}

function validRequest(): Request {
  clock.nowMs += 1
  return {
    path: '/public/v1/submit/create_wallet_accounts',
    body: { type: 'ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS', timestampMs: String(clock.nowMs), organizationId },
    parameters: { walletId, accounts: [newAccount({ path: `m/${clock.nowMs % 1_000_000}` })] },
    apiKey: rootKey,
    broken: (text) => text,
    stamped: (text) => text,
    stampCount: 1,
  }
}

async function send(request: Request): Promise<Answer> {
  const text = request.broken(JSON.stringify({ ...request.body, parameters: request.parameters }))
  const value = stampWith(request.apiKey, Buffer.from(request.stamped(text)))
  const stamps = Array.from({ length: request.stampCount }, () => ({ header: 'x-stamp', value }) as const)
  const answer = await server.submit({ path: request.path, body: Buffer.from(text), stamps, dialect: 'spec' })
  return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString('utf8')) }
}

type Fault = {
  readonly name: string
  readonly status: number
  readonly text: string
  readonly apply: (request: Request) => Request
}

/** The faults in the order of the checks. Two faults of one check cannot be in one request. */
const checks: readonly (readonly Fault[])[] = [
  [
    {
      name: 'an unknown path',
      status: 404,
      text: 'there is no such operation',
      apply: (request) => ({ ...request, path: '/public/v1/submit/nothing' }),
    },
  ],
  [
    {
      name: 'broken JSON',
      status: 400,
      text: 'bad request body',
      apply: (request) => ({ ...request, broken: (text) => `${text}}` }),
    },
  ],
  [
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
  [
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
  [
    {
      name: 'a stamp over other bytes',
      status: 401,
      text: 'could not verify api key signature',
      apply: (request) => ({ ...request, stamped: (text) => `${text} ` }),
    },
  ],
  [
    {
      name: 'a time long past',
      status: 400,
      text: 'timestampMs is outside the accepted window',
      apply: (request) => ({ ...request, body: { ...request.body, timestampMs: '1' } }),
    },
  ],
  [
    {
      name: 'an unknown parameter',
      status: 400,
      text: 'parameters.surprise must be left out',
      apply: (request) => ({ ...request, parameters: { ...request.parameters, surprise: 1 } }),
    },
    {
      name: 'a path that is none',
      status: 400,
      text: 'invalid path',
      apply: (request) => ({
        ...request,
        parameters: { ...request.parameters, accounts: [newAccount({ path: 'x' })] },
      }),
    },
  ],
  [
    {
      name: 'a wallet that does not exist',
      status: 404,
      text: 'there is no wallet',
      apply: (request) => ({ ...request, parameters: { ...request.parameters, walletId: absentId } }),
    },
  ],
  [
    {
      name: 'a user who may not',
      status: 403,
      text: "You don't have sufficient permissions",
      apply: (request) => ({ ...request, apiKey: outsider }),
    },
  ],
  [
    {
      name: 'a path that is taken',
      status: 409,
      text: 'path already exists in wallet account',
      // This fault leaves accounts that are wrong already as they are.
      apply: (request) =>
        JSON.stringify(request.parameters).includes('"path":"x"')
          ? request
          : { ...request, parameters: { ...request.parameters, accounts: [newAccount()] } },
    },
  ],
]

test('without a fault the request succeeds', async () => {
  expect((await send(validRequest())).status).toBe(200)
})

checks.forEach((faults, index) => {
  for (const fault of faults) {
    describe(`${fault.name} is answered with ${fault.status}`, () => {
      test('on its own', async () => {
        expectRefused(await send(fault.apply(validRequest())), fault.status, fault.text)
      })
      for (const later of checks.slice(index + 1).flat()) {
        test(`before ${later.name}`, async () => {
          expectRefused(await send(later.apply(fault.apply(validRequest()))), fault.status, fault.text)
        })
      }
    })
  }
})

test('an unknown organization is answered before an unknown key', async () => {
  const request = validRequest()
  const elsewhere = { ...request, body: { ...request.body, organizationId: absentId }, apiKey: stranger }
  expectRefused(await send(elsewhere), 404, 'no organization found with the given ID')
  expectRefused(await send({ ...validRequest(), apiKey: stranger }), 401, 'could not find public key')
})

test('a known request is shown to its signer, however old; for another signer its age is answered first', async () => {
  const request = validRequest()
  const made = await send(request)
  expect(made.status).toBe(200)
  expectRefused(await send({ ...request, apiKey: outsider }), 403)
  clock.nowMs += 2 * 3_600_000
  const again = await send(request)
  expect([again.status, again.body.activity.id]).toEqual([200, made.body.activity.id])
  expectRefused(await send({ ...request, apiKey: outsider }), 400, 'timestampMs is outside the accepted window')
})

test('a query is checked in the same order: organization, stamp, parameters, existence', async () => {
  const path = '/public/v1/query/get_wallet'
  const ask = (body: object, apiKey: typeof rootKey) => server.post(path, body, apiKey)
  expectRefused(await ask({ organizationId: 'x', surprise: 1 }, stranger), 400, 'organizationId must be a UUID')
  expectRefused(await ask({ organizationId: absentId, surprise: 1 }, stranger), 404, 'no organization found')
  expectRefused(await ask({ organizationId, surprise: 1 }, stranger), 401, 'could not find public key')
  expectRefused(
    await ask({ organizationId, walletId: absentId, surprise: 1 }, rootKey),
    400,
    'surprise must be left out',
  )
  expectRefused(await ask({ organizationId, walletId: absentId }, rootKey), 404, 'there is no wallet')
})
