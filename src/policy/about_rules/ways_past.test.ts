import { describe, expect, test } from 'vitest'
import { finished } from '../../protocol/tools/steps.ts'
import type { Approvals } from '../decision/policy_evaluator.ts'
import { compileConsensus, compileTime } from '../decision/policy_expressions.ts'
import { isActiveForLong, isTrueOfAll } from './ways_past.ts'

const nowMs = Date.UTC(2026, 0, 15, 10, 30)

describe('a denial is active for a month', () => {
  test.each([
    ['without a time', '', true],
    ['with a time that is always true', 'true', true],
    ['until a day in two months', "time.now < Timestamp('2026-03-15T00:00:00Z')", true],
    ['until a day in two weeks', "time.now < Timestamp('2026-01-29T00:00:00Z')", false],
    ['from tomorrow on', "time.now > Timestamp('2026-01-16T00:00:00Z')", true],
    ['for a month that begins later', "time.now >= Timestamp('2027-01-01T00:00:00Z')", true],
    ['for a month that is over', "time.now < Timestamp('2026-01-15T00:00:00Z')", false],
    [
      'for windows that meet',
      "CronSpan('0 0 1-15 * *', '24h', 'UTC') || CronSpan('0 0 16-31 * *', '24h', 'UTC')",
      true,
    ],
    ['but for some minutes', "!CronSpan('31 10 * * *', '29m', 'UTC')", true],
    ['but for an hour of each day', "!CronSpan('0 11 * * *', '1h', 'UTC')", false],
    ['but for an hour of each month', "!CronSpan('0 10 15 * *', '1h', 'UTC')", false],
    ['but for an hour of another month', "!CronSpan('0 10 15 5 *', '1h', 'UTC')", true],
    ['but now', "!CronSpan('30 10 15 1 *', '1m', 'UTC')", false],
    ['as far as few steps tell', `${"CronSpan('0 0 1 5 *', '1h', 'UTC') || ".repeat(20)}false`, true],
  ])('%s', (_, time, isLong) => {
    expect(finished(isActiveForLong(compileTime(time), nowMs))).toBe(isLong)
  })
})

const userOf = (id: string, types: readonly string[]) => {
  const approvers = types.length === 0 ? [] : [{ id, alias: id, tags: [], email: `${id}@example.com` }]
  const credentials = types.map((type) => ({
    id: `${id} ${type}`,
    user_id: id,
    type,
    credential_id: '',
    public_key: '',
  }))
  const ways: Approvals[] = [{ approvers, credentials }]
  return { ways: [...ways, ...credentials.map((one) => ({ approvers, credentials: [one] }))] }
}
const [key, passkey] = ['CREDENTIAL_TYPE_API_KEY_P256', 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR']
const users = [userOf('ada', [key]), userOf('bob', [key, passkey]), userOf('nobody', [])]
const crowd = Array.from({ length: 20 }, (_, index) => userOf(`user ${index}`, [key]))

describe('a consensus is true of all', () => {
  test.each([
    ['of no text', '', true],
    ['that leaves out a user who cannot approve', "approvers.any(u, u.email != 'nobody@example.com')", true],
    ['that leaves out a user who can', "approvers.any(u, u.id != 'ada')", false],
    ['by a key that each may use', `credentials.any(c, c.type in ['${key}', '${passkey}'])`, true],
    ['by a key that some need not use', `credentials.any(c, c.type == '${key}')`, false],
    ['of fewer than two', 'approvers.count() < 2', false],
    ['of more than there are', 'approvers.count() < 3', true],
  ])('%s', (_, consensus, isAll) => {
    expect(finished(isTrueOfAll(compileConsensus(consensus), users))).toBe(isAll)
  })

  test.each([
    ['all but seven', 'approvers.count() != 7', false],
    ['fewer than all', 'approvers.count() < 20', false],
    ['no more than all', 'approvers.count() <= 20 && credentials.count() <= 20', true],
  ])('of a crowd: %s', (_, consensus, isAll) => {
    expect(finished(isTrueOfAll(compileConsensus(consensus), crowd))).toBe(isAll)
  })
})
