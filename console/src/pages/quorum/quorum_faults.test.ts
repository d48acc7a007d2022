import { expect, test } from 'vitest'
import { quorumFaults } from './quorum_faults.ts'

type User = Parameters<typeof quorumFaults>[0]['users'][number]

function user(userId: string, credentials: { readonly passkeys?: number; readonly endingKeys?: number } = {}): User {
  const { passkeys = 0, endingKeys = 0 } = credentials
  const given = {
    ...{ userId, userName: userId, oauthProviders: [] },
    authenticators: Array(passkeys).fill({}),
    apiKeys: Array(endingKeys).fill({ expirationSeconds: '900' }),
  }
  return given as never
}

const ada = user('ada', { passkeys: 1 })
const bob = user('bob', { passkeys: 2 })
const eve = user('eve', { endingKeys: 1 })
const users = [ada, bob, eve]

for (const [former, userIds, threshold, expected] of [
  [['ada'], ['ada'], 1, []],
  [['ada'], ['bob'], 1, ['youLeave']],
  [['bob'], ['bob'], 1, []],
  [['ada'], ['ada', 'bob'], 1, []],
  [['ada'], ['ada', 'bob'], 2, ['noneMayBeLost']],
  [['ada'], ['ada', 'eve'], 1, ['cannotApprove']],
  [['ada'], ['bob', 'eve'], 2, ['youLeave', 'cannotApprove', 'noneMayBeLost']],
] as const) {
  test(`ada, who turns the quorum [${former}] into ${threshold} of [${userIds}], is warned of [${expected}]`, () => {
    const faults = quorumFaults({ users, former, myId: 'ada', next: { userIds, threshold } })
    expect(faults.map(({ kind }) => kind)).toEqual(expected)
  })
}
