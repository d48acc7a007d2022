import { describe, expect, test } from 'vitest'
import { finished } from '../../../protocol/tools/steps.ts'
import { compileCondition, neverEqualInMfaPolicy, neverEqualInPolicy } from '../../decision/policy_expressions.ts'

const reasonsFor = (text: string) => finished(neverEqualInPolicy(compileCondition(text))).map(({ reason }) => reason)
const reasonsForMfa = (text: string) =>
  finished(neverEqualInMfaPolicy(compileCondition(text))).map(({ reason }) => reason)

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
    ["!(activity.resource != 'AUTH_PROXY')", 24],
    ["!(activity.type != 'ACTIVITY_TYPE_UPDATE_ROOT_QUORUM_V2')", 20],
    ["!('ACTIVITY_TYPE_UPDATE_ROOT_QUORUM' != activity.type)", 3],
    ["(activity.resource != 'AUTH_PROXY') == false", 23],
    ["!(activity.action == 'CREATE' || !(!(activity.resource != 'AUTH_PROXY')))", 59],
    ["wallets.any(w, !(w.label == 'Cold' || activity.resource != 'AUTH_PROXY'))", 60],
    ["activity.type[14..25] == 'UPDATE_ROOT'", 26],
    ["activity.type[0..32] in ['ACTIVITY_TYPE_CREATE_WALLET_ACCO', 'ACTIVITY_TYPE_UPDATE_ROOT_QUORUM']", 62],
    ["['AUTH_'].contains(activity.resource[0..5])", 2],
    ["activity.resource[4] == '_'", 25],
  ])('are named in %s', (text, column) => {
    expect(finished(neverEqualInPolicy(compileCondition(text)))).toMatchObject([{ column }])
    expect(reasonsForMfa(text)).toEqual([])
  })

  test.each([
    "activity.type != 'ACTIVITY_TYPE_RECOVER_USER'",
    "!(!(activity.type != 'ACTIVITY_TYPE_RECOVER_USER'))",
    "!(activity.action == 'SIGN' && activity.resource != 'WALLET')",
    "activity.resource == 'RECOVERY' && activity.action == 'CREATE'",
    "activity.resource == 'ORGANIZATION' && activity.action == 'UPDATE'",
    "activity.type == 'ACTIVITY_TYPE_CREATE_PASSKEY_LINK'",
    "activity.type[14..21] == 'UPDATE_'",
    "activity.type[14..23] == 'UPDATE_AL'",
    "activity.resource[0..4] == 'AUTH'",
    "activity.kind == ''",
    "wallet.label == 'AUTH_PROXY'",
    "activity.params.session_profile_id == ''",
  ])('others are not: %s', (text) => {
    expect(reasonsFor(text)).toEqual([])
    expect(reasonsForMfa(text)).toEqual([])
  })
})

describe('texts that only a query has', () => {
  const ofQuery = 'only the scope of a session is asked about queries, so'
  test.each([
    ["activity.type == ''", `${ofQuery} activity.type is never '' here: leave it out`],
    ["activity.resource in ['WALLET', '']", `${ofQuery} activity.resource is never '' here: leave it out`],
    ["!(activity.type != '')", `${ofQuery} activity.type is never '' here: leave it out`],
    ["activity.action[0..3] == 'REA'", `${ofQuery} activity.action[0..3] is never 'REA' here: leave it out`],
    ["activity.action == 'READ'", `${ofQuery} no action is 'READ' here`],
  ])('are named in a policy: %s', (text, reason) => {
    expect(reasonsFor(text)).toEqual([reason])
  })

  test('are named in an MFA policy, which is asked about the deeds of the root quorum', () => {
    expect(reasonsForMfa("activity.type == '' || activity.action[0..3] == 'REA'")).toEqual([
      `${ofQuery} activity.type is never '' here: leave it out`,
      `${ofQuery} activity.action[0..3] is never 'REA' here: leave it out`,
    ])
    expect(reasonsForMfa("activity.resource == '' || activity.type == 'ACTIVITY_TYPE_RECOVER_USER'")).toEqual([])
  })
})
