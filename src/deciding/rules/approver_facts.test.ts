import { describe, expect, test } from 'vitest'
import { asId, type Id } from '../../contract/fields/ids.ts'
import type { User } from '../../contract/records/records.ts'
import { approvalFacts, approvalForms, everyApproval } from './approver_facts.ts'

const userOf = (userId: Id): User => ({
  ...{ userId, userName: userId, userTags: [], apiKeys: [], authenticators: [], oauthProviders: [] },
  ...{ createdAtMs: 0, updatedAtMs: 0 },
})

test('the key of an attested stamp is a credential of each user who stamped with it, and once of each', () => {
  const [ada, bob] = [userOf(asId('ada')), userOf(asId('bob'))]
  const attested = { lookup: 'user_email', key: 'a@example.com' } as const
  const approvals = [ada, bob, ada].map((user) => ({ user, publicKey: '02ab', attested }))
  const { credentials } = approvalFacts(approvals)
  expect(credentials.map((credential) => [credential.user_id, credential.type, credential.public_key])).toEqual([
    ['ada', 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256', '02ab'],
    ['bob', 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256', '02ab'],
  ])
})

test('an e-mail address of a user is that of the mailbox', () => {
  const user = { ...userOf(asId('ada')), userEmail: 'Ada@Example.com' }
  expect(approvalFacts([{ user, publicKey: '02ab' }]).approvers[0]?.email).toBe('ada@example.com')
})

describe('a factor is one credential of a user,', () => {
  const times = { createdAtMs: 0, updatedAtMs: 0 }
  const key = (apiKeyId: string, session: object = {}) => ({
    ...{ apiKeyId, apiKeyName: apiKeyId, publicKey: `02${apiKeyId}`, curveType: 'API_KEY_CURVE_P256', ...times },
    ...session,
  })
  const openedBy = (factor: string) => ({ credentialType: 'CREDENTIAL_TYPE_LOGIN', openedBy: factor })
  const apiKeys = [
    key('aa'),
    key('bb', openedBy('02aa')),
    key('cc', openedBy('02aa')),
    key('dd', openedBy('issuer subject')),
    key('ee', openedBy('02ee')),
  ] as User['apiKeys']
  const user = { ...userOf(asId('ada')), apiKeys }
  const idsOf = (...used: readonly string[]) =>
    approvalFacts(used.map((id) => ({ user, publicKey: `02${id}` }))).credentials.map(({ id }) => id)

  test('which a key and its sessions are, in whatever order they approve', () => {
    expect(idsOf('aa', 'bb')).toEqual(['aa'])
    expect(idsOf('bb', 'aa')).toEqual(['aa'])
    expect(idsOf('bb', 'cc')).toEqual(['bb'])
    expect(idsOf('cc')).toEqual(['cc'])
  })

  test('of which a rule may ask for any, but for one at a time', () => {
    const formsOf = (...used: readonly string[]) =>
      approvalForms(used.map((id) => ({ user, publicKey: `02${id}` }))).map(({ credentials }) =>
        credentials.map(({ id }) => id),
      )
    expect(formsOf('aa', 'bb', 'dd')).toEqual([
      ['aa', 'dd'],
      ['bb', 'dd'],
    ])
    expect(formsOf('dd')).toEqual([['dd']])
    expect(formsOf()).toEqual([[]])
  })

  test('and a session of another login is another one', () => {
    expect(idsOf('aa', 'dd', 'ee')).toEqual(['aa', 'dd', 'ee'])
  })

  test('also where one key is two passkeys: the one that stamped counts', () => {
    const passkey = (authenticatorId: string) => ({
      ...{ authenticatorId, authenticatorName: authenticatorId, credentialId: authenticatorId, ...times },
      ...{ cosePublicKey: 'pQECAyYgASFYIA', rpIdHash: '', aaguid: '', attestationType: '', transports: [] },
    })
    const authenticators = [passkey('one'), passkey('two')]
    const twins = { ...user, authenticators }
    const publicKey = Buffer.from('pQECAyYgASFYIA', 'base64url').toString('hex')
    const usedBy = (credentialId: string) => approvalFacts([{ user: twins, publicKey, credentialId }]).credentials
    expect(usedBy('one').map(({ id }) => id)).toEqual(['one'])
    expect(usedBy('two').map(({ id }) => id)).toEqual(['two'])
    const everything = approvalFacts(everyApproval(twins)).credentials
    expect(everything.map(({ id }) => id)).toEqual(['aa', 'dd', 'ee', 'one'])
  })
})
