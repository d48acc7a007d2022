import { expect, test } from 'vitest'
import { compileConsensus } from '../decision/policy_expressions.ts'
import { neededApprovals } from './needed_approvals.ts'

const [ada, bob, tag] = ['a', 'b', 'c'].map((one) => `00000000-0000-4000-8000-00000000000${one}`)

test.each([
  ['', { count: 1n }],
  ['true', { count: 1n }],
  [`approvers.any(user, user.id == '${ada}')`, { count: 1n, among: [ada] }],
  [`approvers.any(user, '${ada}' == user.id)`, { count: 1n, among: [ada] }],
  [`approvers.any(user, user.id in ['${ada}', '${bob}'])`, { count: 1n, among: [ada, bob] }],
  [`approvers.any(user, user.tags.contains('${tag}'))`, { count: 1n, among: [tag] }],
  [`approvers.any(user, '${tag}' in user.tags)`, { count: 1n, among: [tag] }],
  [`approvers.any(user, user.tags.contains('${tag}') || user.id == '${ada}')`, { count: 1n, among: [tag, ada] }],
  [`approvers.any(u, u.id == '${ada}') || approvers.any(u, u.id == '${bob}')`, { count: 1n, among: [ada, bob] }],
  ['approvers.count() >= 2', { count: 2n }],
  ['approvers.count > 1 + 1', { count: 3n }],
  ['2 <= approvers.count()', { count: 2n }],
  [`approvers.filter(user, user.tags.contains('${tag}')).count() >= 2`, { count: 2n, among: [tag] }],
  [`1 < approvers.filter(user, user.id in ['${ada}', '${bob}']).count()`, { count: 2n, among: [ada, bob] }],
])('%s', (text, expected) => {
  expect(neededApprovals(compileConsensus(text).root)).toEqual(expected)
})

test.each([
  'false',
  'approvers.count() == 2',
  'approvers.count() <= 2',
  '2 >= approvers.count()',
  'approvers.count() >= 0',
  `!approvers.any(user, user.id == '${ada}')`,
  `approvers.all(user, user.id == '${ada}')`,
  `approvers.any(user, user.id != '${ada}')`,
  `approvers.any(user, user.alias == '${ada}')`,
  `approvers.any(user, user.tags.contains('${tag}') && user.id == '${ada}')`,
  `approvers.any(user, user.tags.contains(user.id))`,
  `approvers.any(user, user.tags.count() > 0)`,
  `approvers.any(u, u.id == '${ada}') && approvers.any(u, u.id == '${bob}')`,
  `approvers.any(u, u.id == '${ada}') || approvers.count() >= 2`,
  `approvers.any(u, u.id == '${ada}') || approvers.filter(u, u.tags.contains('${tag}')).count() >= 2`,
  `approvers.filter(u, u.id == '${ada}').any(u, u.id == '${bob}')`,
  `credentials.any(key, key.user_id == '${ada}')`,
  "credentials.any(key, key.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')",
])('of another shape, it says nothing: %s', (text) => {
  expect(neededApprovals(compileConsensus(text).root)).toBeUndefined()
})
