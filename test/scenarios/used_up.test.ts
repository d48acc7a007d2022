import { describe, expect, test } from 'vitest'
import { proxyOf, proxyOrigin } from '../support/auth_proxy.ts'
import { encryptMnemonic, knownMnemonic } from '../support/bundles.ts'
import { clientSignatureOf, loginsBy, loginsOf, passcodeFor } from '../support/logins.ts'
import { type Ask, expectRefused, newAccount, newPolicy, newUser, startOrganization } from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** Codes, tokens and bundles serve one activity that completes. Until then nothing but wrong codes counts. */

const organization = await startOrganization()
const { server, organizationId, rootUserId, rootKey, done, submit } = organization
const keys = await server.vault.publishedKeys()
const second = await organization.anotherUser('second')
const { startFlow, encrypted, loginFor } = await loginsOf(organization)

let count = 0
const newContact = () => `used${++count}@example.net`

type Answer = Awaited<ReturnType<typeof submit>>
async function withQuorum(run: () => Promise<void>): Promise<void> {
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
  await run()
  await vote(await submit('update_root_quorum', { threshold: 1, userIds: [rootUserId] }), 'approve_activity')
}
/** Ends an activity that waits, and returns it. */
async function vote({ body }: Answer, name: 'approve_activity' | 'reject_activity', apiKey = second.apiKey) {
  expect(body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  const { fingerprint } = body.activity
  const answer = await submit(name, { fingerprint }, { apiKey })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.activity
}
const completed = 'ACTIVITY_STATUS_COMPLETED'

describe('an activity that was rejected uses up nothing:', () => {
  test('a code, nor an attempt at it', async () => {
    const flow = await startFlow(newContact())
    const encryptedOtpBundle = await encrypted(flow, await passcodeFor(server, flow.contact), generateApiKey())
    const given = { otpId: flow.otpId, encryptedOtpBundle }
    await withQuorum(async () => {
      // A code takes three attempts.
      for (const _ of [1, 2, 3]) await vote(await submit('verify_otp', given), 'reject_activity')
      expect((await vote(await submit('verify_otp', given), 'approve_activity')).status).toBe(completed)
    })
    expectRefused(await submit('verify_otp', given), 400, 'Invalid OTP code')
  })

  test('a token', async () => {
    const contact = newContact()
    await done('create_users', { users: [newUser({ userEmail: contact })] })
    const { parameters } = await loginFor(contact)
    await withQuorum(async () => {
      await vote(await submit('otp_login', parameters), 'reject_activity')
      expect((await vote(await submit('otp_login', parameters), 'approve_activity')).status).toBe(completed)
    })
    expectRefused(await submit('otp_login', parameters), 400)
  })

  test('the target of an import', async () => {
    const given = await importOf()
    await withQuorum(async () => {
      await vote(await submit('import_wallet', given), 'reject_activity')
      expect((await vote(await submit('import_wallet', given), 'approve_activity')).status).toBe(completed)
    })
  })
})

test('an activity that a policy denies, here or at the auth proxy, counts no attempt at a code', async () => {
  const operations = ['otp_init_v2', 'otp_verify_v2']
  await done('enable_auth_proxy', { operations, allowedOrigins: [proxyOrigin], appName: 'Acme' })
  const { ask, throughProxy } = proxyOf(organization)
  const signer = keys.tlsFetcherSigning?.uncompressed ?? ''
  const ofProxy = loginsBy({ done: throughProxy, signer, passcodeSentTo: (contact) => passcodeFor(server, contact) })
  const flow = await ofProxy.startFlow(newContact())
  const encryptedOtpBundle = await encrypted(flow, await passcodeFor(server, flow.contact), generateApiKey())
  const given = { otpId: flow.otpId, encryptedOtpBundle }
  const condition = "activity.kind == 'VERIFY_OTP'"
  const deny = newPolicy({ policyName: 'no codes', effect: 'EFFECT_DENY', condition, consensus: undefined })
  const { policyId } = await done('create_policy', deny)
  for (const _ of [1, 2, 3]) expectRefused(await ask('otp_verify_v2', given), 403)
  for (const _ of [1, 2, 3]) expectRefused(await submit('verify_otp', given, { apiKey: second.apiKey }), 403)
  await done('delete_policy', { policyId })
  expect((await ask('otp_verify_v2', given)).status).toBe(200)
})

/** The parameters of an import by the root user. */
async function importOf() {
  const { importBundle } = await done('init_import_wallet', { userId: rootUserId })
  const signer = keys.bundleSigning?.uncompressed ?? ''
  const place = { organizationId, userId: rootUserId, signer, importBundle }
  const encryptedBundle = await encryptMnemonic(knownMnemonic, place)
  return { userId: rootUserId, walletName: `wallet ${++count}`, encryptedBundle, accounts: [newAccount()] }
}

describe('a bundle that somebody else has seen', async () => {
  const other = await organization.anotherUser('other')
  const consensus = `approvers.any(user, user.id == '${other.userId}')`
  const condition = "activity.action == 'IMPORT' || activity.resource == 'OTP' || activity.resource == 'AUTH'"
  await done('create_policy', newPolicy({ policyName: 'other', effect: 'EFFECT_ALLOW', condition, consensus }))
  const asOther: Ask = { apiKey: other.apiKey }

  test('imports nothing again, for its user or for another', async () => {
    const given = await importOf()
    await done('import_wallet', given)
    for (const userId of [rootUserId, other.userId]) {
      const again = { ...given, userId, walletName: `wallet ${++count}` }
      for (const ask of [asOther, {}]) {
        expectRefused(await submit('import_wallet', again, ask), 400, 'that was not used before')
      }
    }
  })

  test('imports once in all, also while the request of its user waits', async () => {
    const given = await importOf()
    await withQuorum(async () => {
      const waiting = await submit('import_wallet', given)
      const taken = { ...given, walletName: `wallet ${++count}` }
      expect((await submit('import_wallet', taken, asOther)).body.activity.status).toBe(completed)
      expect(await vote(waiting, 'approve_activity')).toMatchObject({
        status: 'ACTIVITY_STATUS_FAILED',
        failure: { message: expect.stringContaining('that was not used before') },
      })
    })
  })

  test('gives no second token for a code, and the first is for the key of the client that made it', async () => {
    const contact = newContact()
    await done('create_users', { users: [newUser({ userEmail: contact })] })
    const flow = await startFlow(contact)
    const [clientKey, session] = [generateApiKey(), generateApiKey()]
    const encryptedOtpBundle = await encrypted(flow, await passcodeFor(server, contact), clientKey)
    const given = { otpId: flow.otpId, encryptedOtpBundle }
    const { verificationToken } = await done('verify_otp', given, asOther)
    for (const ask of [asOther, {}]) expectRefused(await submit('verify_otp', given, ask), 400, 'Invalid OTP code')
    const { publicKey } = session
    const signed = (key: typeof rootKey) => ({
      ...{ verificationToken, publicKey },
      clientSignature: clientSignatureOf({ verificationToken, clientKey: key, publicKey }),
    })
    expectRefused(await submit('otp_login', signed(other.apiKey), asOther), 400, 'clientSignature')
    const { attested } = proxyOf(organization)
    const stamped = await attested('stamp_login', { publicKey }, { token: verificationToken, key: other.apiKey })
    expectRefused(stamped, 401, 'the token names another key')
    await done('otp_login', signed(clientKey))
  })

  test('logs in once: the request that somebody repeats is refused, for the same key and for another', async () => {
    const contact = newContact()
    await done('create_users', { users: [newUser({ userEmail: contact })] })
    const { parameters } = await loginFor(contact)
    await done('otp_login', parameters)
    const another = { ...parameters, publicKey: generateApiKey().publicKey }
    for (const ask of [asOther, {}]) {
      for (const again of [parameters, another]) expectRefused(await submit('otp_login', again, ask), 400)
    }
  })
})
