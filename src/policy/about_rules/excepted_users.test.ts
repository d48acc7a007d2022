import { expect, test } from 'vitest'
import { finished } from '../../protocol/tools/steps.ts'
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
  [`approvers.all(u, u.id == '${ada}') != true`, [ada]],
  [`!approvers.all(u, u.id in ['${ada}', '${bob}'])`, [ada, bob]],
  [`!(approvers.all(u, u.id == '${ada}') || approvers.count() > 4)`, [ada]],
  [`!(approvers.count() == 1 && approvers.all(u, u.id == '${ada}')) && approvers.count() == 2`, [ada]],
  [`approvers.any(u, !(u.id == '${ada}' || u.id == '${bob}'))`, [ada, bob]],
  [`approvers.any(u, !['${ada}'].contains(u.id))`, [ada]],
  [`approvers.any(u, (u.id == '${ada}') == false)`, [ada]],
  [`['${ada}'].any(a, approvers.any(u, u.id != a))`, [ada]],
  [`approvers.any(u, ['${ada}', '${bob}'].all(a, u.id != a))`, [ada, bob]],
  [`approvers.any(u, ['${ada}', '${bob}'].filter(a, u.id == a).count() == 0)`, [ada, bob]],
  [`approvers.filter(u, u.id == '${ada}').count() < approvers.count()`, [ada]],
  [`approvers.filter(u, u.id == '${ada}').count() != approvers.count()`, [ada]],
  [`approvers.filter(u, !(u.id in ['${ada}'])).count() > 0 && approvers.count() > 2`, [ada]],
  [`approvers.any(u, credentials.any(c, c.user_id == u.id && c.user_id != '${ada}'))`, [ada]],
  [`approvers.any(u, u.id[0..8] != '${ada.slice(0, 8)}' || u.id != '${ada}')`, [ada]],
  [`approvers.any(u, u.id != '${ada}' || u.alias == 'Bob')`, [ada]],
  // Users with a tag, with an address and with an alias.
  [`approvers.any(u, !u.tags.contains('${ada}'))`, [ada]],
  [`approvers.any(u, !('${ada}' in u.tags) && u.id != '${bob}')`, [ada, bob]],
  [`approvers.any(u, u.tags.all(t, t != '${ada}'))`, [ada]],
  [`!approvers.all(u, u.tags.any(t, t == '${ada}'))`, [ada]],
  [`approvers.filter(u, u.tags.contains('${ada}')).count() < approvers.count()`, [ada]],
  [`approvers.any(u, u.email != 'ada@example.com')`, ['ada@example.com']],
  [`!approvers.all(u, u.email in ['ada@example.com', 'bob@example.com'])`, ['ada@example.com', 'bob@example.com']],
  [`approvers.any(u, u.alias != 'Ada')`, ['Ada']],
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
  // Whom the consensus needs as well.
  [`approvers.any(u, u.id == '${ada}') && approvers.any(u, u.id != '${ada}')`, []],
  [`approvers.any(u, u.tags.contains('${bob}')) && approvers.any(u, !u.tags.contains('${bob}'))`, []],
  [`credentials.any(c, c.type == 'CREDENTIAL_TYPE_API_KEY_P256' && c.user_id != '${ada}')`, []],
  ['approvers.any(u, true)', []],
])('%s', (text, ids) => {
  expect(finished(exceptedUsers(compileConsensus(text).root))).toEqual(ids)
})
