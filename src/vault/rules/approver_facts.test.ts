import { expect, test } from 'vitest'
import { asId, type Id } from '../../contract/fields/ids.ts'
import type { User } from '../../contract/records/records.ts'
import { approvalFacts } from './approver_facts.ts'

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
