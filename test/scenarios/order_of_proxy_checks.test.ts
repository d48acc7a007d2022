import { expect, test } from 'vitest'
import { proxyOf, proxyOrigin } from '../support/auth_proxy.ts'
import { loginsBy, passcodeFor } from '../support/logins.ts'
import { allowOffice, type Fault, office, testOrder } from '../support/order_of_checks.ts'
import { absentId, type Parameters, startOrganization } from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** A request to the auth proxy with two faults is answered for the fault that is checked first. */

const organization = await startOrganization()
const { server, done } = organization
const { ask, throughProxy } = proxyOf(organization)
const settings = { operations: ['otp_init_v2', 'otp_verify_v2', 'otp_login_v2'], allowedOrigins: [proxyOrigin] }
await done('enable_auth_proxy', { ...settings, appName: 'Acme' })

const signer = (await server.vault.publishedKeys()).tlsFetcherSigning?.uncompressed ?? ''
const logins = loginsBy({
  done: throughProxy,
  signer,
  passcodeSentTo: (contact) => passcodeFor(server, contact),
})
const { contact } = await logins.newMailUser()
const { parameters: login } = await logins.loginFor(contact)
const strangers = await logins.loginFor('nobody@example.org')
await allowOffice(organization)

type Request = {
  readonly name: string
  readonly body: Parameters
  readonly broken: (text: string) => string
  readonly how: NonNullable<Asked[2]>
}
type Asked = globalThis.Parameters<typeof ask>

const valid = (): Request => ({
  name: 'otp_login_v2',
  body: login,
  broken: (text) => text,
  how: office,
})
const send = ({ name, body, broken, how }: Request) => ask(name, broken(JSON.stringify(body)), how)

const how = (name: string, status: number, text: string, given: Request['how']): Fault<Request> => ({
  ...{ name, status, text },
  apply: (request) => ({ ...request, how: { ...request.how, ...given } }),
})
const body = (name: string, status: number, text: string, given: Parameters): Fault<Request> => ({
  ...{ name, status, text },
  apply: (request) => ({ ...request, body: { ...request.body, ...given } }),
})

testOrder<Request>(
  [
    [how('an unknown path', 404, 'there is no such operation', { path: '/v1/nothing' })],
    [how('a stamp', 400, 'takes no stamp', { stamped: true })],
    [body('a body that is too large', 400, 'at most 32768 bytes', { large: 'x'.repeat(40_000) })],
    [
      {
        name: 'broken JSON',
        status: 400,
        text: 'bad request body',
        apply: (request) => ({ ...request, broken: (text) => `${text}}` }),
      },
    ],
    [how('an organization without a proxy', 404, 'no organization has an auth proxy', { configId: absentId })],
    [
      {
        name: 'an operation that is off',
        status: 403,
        text: 'does not allow otp_login',
        apply: (request) => ({ ...request, name: 'otp_login' }),
      },
    ],
    [how('a foreign origin', 403, 'does not allow this origin', { origin: 'https://evil.example.com' })],
    [body('a parameter too many', 400, 'surprise must be left out', { surprise: 1 })],
    [body('a contact that nobody has', 404, 'nobody here has the contact', strangers.parameters)],
    [how('an address outside the list', 403, 'not in the IP allowlist', { sourceAddress: '192.0.2.7' })],
    [
      body("another key's signature", 400, 'must be JSON with parameters.publicKey', {
        publicKey: generateApiKey().publicKey,
      }),
    ],
  ],
  { valid, send },
)

test('without a fault the session opens', async () => {
  expect((await send(valid())).status).toBe(200)
})
