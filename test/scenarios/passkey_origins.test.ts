import { expect, test } from 'vitest'
import { type Answer, expectRefused, newAuthenticator, newUser, startOrganization } from '../support/organization.ts'
import { newPasskey, type SoftPasskey, stampWithPasskey } from '../support/passkeys.ts'

const { server, organizationId, done } = await startOrganization()
const feature = { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value: 'https://app.example.com,https://other.example.com' }

async function whoami(passkey: SoftPasskey, at: { origin: string; organizationId: string }): Promise<Answer> {
  const body = Buffer.from(JSON.stringify({ organizationId: at.organizationId }))
  const stamps = [
    { header: 'x-stamp-webauthn', value: stampWithPasskey(passkey, body, { origin: at.origin }) },
  ] as const
  const path = '/public/v1/query/whoami'
  const answer = await server.submit({ path, body, stamps, dialect: 'spec', sourceAddress: '127.0.0.1' })
  return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString('utf8')) }
}

function expectNotAllowed(answer: Answer): void {
  expect(answer).toMatchObject({ status: 401 })
  expectRefused(answer, 401, '')
}

test('a passkey is refused from an origin that its organization does not list', async () => {
  const passkey = newPasskey('ES256')
  await done('create_users', { users: [newUser({ authenticators: [newAuthenticator({ passkey })] })] })
  const from = (origin: string) => whoami(passkey, { origin, organizationId })

  expect(await from('https://evil.example')).toMatchObject({ status: 200 })
  await done('set_organization_feature', feature)
  expect(await from('https://app.example.com')).toMatchObject({ status: 200 })
  expect(await from('https://other.example.com')).toMatchObject({ status: 200 })
  for (const origin of ['https://evil.example', 'http://app.example.com', 'https://app.example.com:8443']) {
    expectNotAllowed(await from(origin))
  }
  await done('remove_organization_feature', { name: feature.name })
  expect(await from('https://evil.example')).toMatchObject({ status: 200 })
})

test('a sub-organization without a list of its own has that of its parent', async () => {
  const passkey = newPasskey('ES256')
  const rootUsers = [
    { userName: 'root', apiKeys: [], authenticators: [newAuthenticator({ passkey })], oauthProviders: [] },
  ]
  const parameters = { subOrganizationName: 'sub', rootUsers, rootQuorumThreshold: 1 }
  const { subOrganizationId } = await done('create_sub_organization', parameters)
  const from = (origin: string) => whoami(passkey, { origin, organizationId: subOrganizationId })

  expect(await from('https://evil.example')).toMatchObject({ status: 200 })
  await done('set_organization_feature', feature)
  expect(await from('https://app.example.com')).toMatchObject({ status: 200 })
  expectNotAllowed(await from('https://evil.example'))

  const own = { ...feature, value: 'https://own.example.com' }
  await done('set_organization_feature', own, { organizationId: subOrganizationId, passkey })
  expect(await from('https://own.example.com')).toMatchObject({ status: 200 })
  expectNotAllowed(await from('https://app.example.com'))
})
