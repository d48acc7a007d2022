import { describe, expect, test } from 'vitest'
import { compileCondition, neverEqualInPolicy } from '../../decision/policy_expressions.ts'

const reasonsFor = (text: string) => neverEqualInPolicy(compileCondition(text)).map(({ reason }) => reason)

describe('activities about which no policy is asked', () => {
  test('are named where a policy writes them', () => {
    const types = "['ACTIVITY_TYPE_CREATE_WALLET', 'ACTIVITY_TYPE_RECOVER_USER', 'ACTIVITY_TYPE_DISABLE_AUTH_PROXY']"
    expect(reasonsFor(`activity.type in ${types} || activity.resource == 'AUTH_PROXY'`)).toEqual([
      "no policy is asked about 'ACTIVITY_TYPE_RECOVER_USER', which only the key for it does: name what makes that key, RECOVERY with CREATE",
      "no policy is asked about 'ACTIVITY_TYPE_DISABLE_AUTH_PROXY', which only the root quorum does",
      "no policy is asked about 'AUTH_PROXY', which only the root quorum does",
    ])
  })

  test.each([
    "activity.type != 'ACTIVITY_TYPE_RECOVER_USER'",
    "activity.resource == 'RECOVERY' && activity.action == 'CREATE'",
    "activity.resource == 'ORGANIZATION' && activity.action == 'UPDATE'",
    "activity.type == 'ACTIVITY_TYPE_CREATE_PASSKEY_LINK'",
    "wallet.label == 'AUTH_PROXY'",
  ])('others are not: %s', (text) => {
    expect(reasonsFor(text)).toEqual([])
  })
})
