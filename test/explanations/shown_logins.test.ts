import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { newTarget } from '../support/bundles.ts'
import { explaining } from '../support/explanations.ts'
import { loginsOf } from '../support/logins.ts'
import { newAuthenticator, newUser, type Parameters } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { generateApiKey } from '../support/stamping.ts'

/** Whose account, passkey or contact it is by which somebody gets in: nobody must approve that blind. */

const organization = await startOrganizationWithIssuer()
const { done, anotherUser, rootUserId, issuer } = organization
const { loginFor } = await loginsOf(organization)
const explain = explaining(organization)
const second = await anotherUser('Second')
const { userId: ada } = await anotherUser('Ada')
await done('update_user_email', { userId: ada, userEmail: 'ada@example.org' })
const oidcToken = organization.idToken({ sub: 'ada at the issuer' })
await done('create_oauth_providers', { userId: ada, oauthProviders: [{ providerName: 'Issuer', oidcToken }] })
const { parameters: byCode } = await loginFor('ada@example.org')
await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })

const adaActs = `WARNING: whoever has the new credential acts as “Ada” (user ${ada}). `

test('a new user is shown with the identity that a token states, and with the ids and keys of passkeys', async () => {
  const token = organization.idToken({ sub: 'mallory at the issuer' })
  const passkey = newAuthenticator()
  const given = newUser({ userName: 'Alice', oauthProviders: [{ providerName: 'Alice', oidcToken: token }] })
  const { lines } = await explain('create_users', { users: [{ ...given, authenticators: [passkey] }] })
  expect(lines).toContain('subject: “mallory at the issuer”')
  expect(lines).toContain(`issuer: “${issuer.url}”`)
  expect(lines.join()).not.toContain(token)
  expectPasskey(lines, passkey)
})

test('a new passkey of a user and one of a new organization have their id and key', async () => {
  const [one, other] = [newAuthenticator(), newAuthenticator()]
  const added = await explain('create_authenticators', { userId: ada, authenticators: [one] })
  expectPasskey(added.lines, one)
  const rootUser = { userName: 'Bob', apiKeys: [], oauthProviders: [], authenticators: [other] }
  const made = await explain('create_sub_organization', {
    ...{ subOrganizationName: 'Branch', rootQuorumThreshold: 1, rootUsers: [rootUser] },
  })
  expectPasskey(made.lines, other)
})

function expectPasskey(lines: readonly string[], { attestation }: Parameters) {
  const { credentialId } = attestation as { readonly credentialId: string }
  expect(lines).toContain(`credential id: “${credentialId}”`)
  expect(lines.some((line) => /^public key: 0x[0-9a-f]{20,} \(\d+ bytes\)$/.test(line))).toBe(true)
  expect(lines.some((line) => line.startsWith('attestation'))).toBe(false)
}

test('a login by a code names the user and the contact', async () => {
  const { lines } = await explain('otp_login', byCode)
  expect(lines[0]).toBe(`${adaActs}Otp login: “Ada” (user ${ada}), “ada@example.org”`)
  expect(lines).toContain('contact: “ada@example.org”')
})

test('a login by an identity names the user and the identity', async () => {
  const { publicKey } = generateApiKey()
  const nonce = createHash('sha256').update(publicKey).digest('hex')
  const token = organization.idToken({ sub: 'ada at the issuer', nonce })
  const { lines } = await explain('oauth_login', { oidcToken: token, publicKey })
  expect(lines[0]).toBe(`${adaActs}Oauth login: “Ada” (user ${ada}), “ada at the issuer”`)
  expect(lines).toContain(`issuer: “${issuer.url}”`)
})

test('a recovery by mail names the user whom it recovers', async () => {
  const { lines } = await explain('init_user_email_recovery', {
    ...{ email: 'ada@example.org', targetPublicKey: newTarget().targetPublicKey },
    emailCustomization: { appName: 'Shop' },
  })
  expect(lines[0]).toBe(`${adaActs}Init user email recovery: “Ada” (user ${ada}), “ada@example.org”, “Shop”`)
})

test('a login of nobody says by which contact', async () => {
  const { lines } = await explain('init_user_email_recovery', {
    ...{ email: 'eve@example.org', targetPublicKey: newTarget().targetPublicKey },
    emailCustomization: { appName: 'Shop' },
  })
  expect(lines[0]).toBe('Init user email recovery: “eve@example.org”, “Shop”')
})
