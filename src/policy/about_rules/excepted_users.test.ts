import { expect, test } from 'vitest'
import { compileConsensus } from '../decision/policy_expressions.ts'
import { exceptedUsers } from './excepted_users.ts'

const [ada, bob] = ['9a3c8c1e-6f0e-4a52-8f1b-2b7d1c0a9e44', '9a3c8c1e-6f0e-4a52-8f1b-2b7d1c0a9e45']

test.each([
  [`approvers.any(u, u.id != '${ada}')`, [ada]],
  [`approvers.count() > 1 && approvers.any(u, '${ada.toUpperCase()}' != u.id)`, [ada]],
  [`approvers.any(u, !(u.id in ['${ada}', '${bob}']))`, [ada, bob]],
  [`approvers.any(u, u.id != '${ada}' && !(u.id == '${bob}'))`, [ada, bob]],
  [`credentials.any(c, c.user_id != '${ada}') || approvers.any(u, u.id != '${ada}')`, [ada]],
  [`!!approvers.any(u, u.id != '${ada}')`, [ada]],
  // The same by a count, by a filter before the test, or by what is not so of all.
  [`approvers.filter(u, u.id != '${ada}').count() >= 1`, [ada]],
  [`0 < credentials.filter(c, c.user_id != '${ada}').count()`, [ada]],
  [`approvers.filter(u, u.id != '${ada}').count() == 1 || approvers.count() > 4`, [ada]],
  [`!(approvers.filter(u, u.id != '${ada}').count() == 0)`, [ada]],
  [`approvers.filter(u, u.id != '${ada}').count() in [1, 2]`, [ada]],
  [`approvers.filter(u, u.id != '${ada}').any(u, u.id != '${bob}')`, [ada, bob]],
  [`approvers.filter(u, u.id != '${ada}').filter(u, u.id != '${bob}').count() > 0`, [ada, bob]],
  [`!approvers.all(u, u.id == '${ada}')`, [ada]],
  [`approvers.all(u, u.id == '${ada}') == false`, [ada]],
  // No other user alone meets it.
  [`approvers.filter(u, u.id != '${ada}').count() >= 2`, []],
  [`approvers.filter(u, u.id != '${ada}').count() == 0`, []],
  [`approvers.filter(u, u.id != '${ada}').count() >= 0`, []],
  [`approvers.filter(u, u.id != '${ada}' && u.alias == 'Bob').count() >= 1`, []],
  [`approvers.filter(u, u.tags.contains('${bob}')).any(u, u.id != '${ada}')`, []],
  // Nobody but this user, and nobody of these.
  [`!approvers.any(u, u.id != '${ada}')`, []],
  [`approvers.all(u, u.id != '${ada}')`, []],
  [`!approvers.any(u, u.id == '${ada}')`, []],
  // Somebody else, of whom more is asked.
  [`approvers.any(u, u.id != '${ada}' && u.tags.contains('${bob}'))`, []],
  [`approvers.any(u, u.id != '${ada}' || u.alias == 'Bob')`, []],
  [`approvers.any(u, u.email != 'ada@example.com')`, []],
  ['approvers.any(u, true)', []],
])('%s', (text, ids) => {
  expect(exceptedUsers(compileConsensus(text).root)).toEqual(ids)
})
