import { expect, test } from 'vitest'
import {
  allowOffice,
  byFault,
  type Fault,
  office,
  readingProfile,
  type StampedRequest,
  scopeFault,
  sendStamped,
  sessionsOf,
  stampedFaults,
  stampedRequest,
  testOrder,
} from '../support/order_of_checks.ts'
import { absentId, expectRefused, newAccount, startOrganization } from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** A request with two faults is answered for the fault that is checked first. */
const organization = await startOrganization()
const { server, clock, organizationId, rootKey, done, anotherUser } = organization
const { walletId } = await done('create_wallet', { walletName: 'wallet', accounts: [newAccount()] })
const outsider = (await anotherUser()).apiKey
const sessionProfileId = await readingProfile(organization)
const ofRoot = await sessionsOf(organization, { apiKey: rootKey, sessionProfileId })
const ofOutsider = await sessionsOf(organization, { apiKey: outsider, sessionProfileId })
await allowOffice(organization)
clock.nowMs += 3_600_000
const stranger = generateApiKey()

const validRequest = () =>
  stampedRequest(organization, {
    path: '/public/v1/submit/create_wallet_accounts',
    type: 'ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS',
    parameters: { walletId, accounts: [newAccount({ path: `m/${clock.nowMs % 1_000_000}` })] },
  })
const send = (request: StampedRequest) =>
  sendStamped(organization, request, (by) => (by.isOutsider ? ofOutsider : ofRoot)(by))

const { path, json, stamps, envelope, organization: named, key, signature, expiry, address, time } = stampedFaults
const checks: readonly (readonly Fault<StampedRequest>[])[] = [
  ...[path, json, stamps, envelope, named, key, signature, expiry, address, time],
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
  [scopeFault],
  [byFault('a user who may not', 403, "You don't have sufficient permissions", { isOutsider: true })],
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

testOrder(checks, { valid: validRequest, send })

test('a known request is shown to its signer, however old; for another signer its age is answered first', async () => {
  const request = validRequest()
  const made = await send(request)
  expect(made.status).toBe(200)
  expectRefused(await send({ ...request, by: { isOutsider: true } }), 403)
  clock.nowMs += 2 * 3_600_000
  const again = await send(request)
  expect([again.status, again.body.activity.id]).toEqual([200, made.body.activity.id])
  expectRefused(await send({ ...request, by: { isOutsider: true } }), 400, 'timestampMs is outside the accepted window')
})

test('a query is checked in the same order: organization, stamp, parameters, existence', async () => {
  const path = '/public/v1/query/get_wallet'
  const ask = (body: object, apiKey: typeof rootKey) => server.post(path, body, apiKey, office)
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
