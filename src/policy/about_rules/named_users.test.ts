import { describe, expect, test } from 'vitest'
import { compileConsensus } from '../decision/policy_expressions.ts'
import { namedUsers } from './named_users.ts'

const namedIn = (text: string) => namedUsers(compileConsensus(text).root).map(({ userId }) => userId)

describe('ids of users are found', () => {
  test.each([
    ['in any', "approvers.any(user, user.id == 'a')", ['a']],
    ['in any order', "approvers.any(user, 'a' != user.id)", ['a']],
    ['in all', "approvers.all(user, user.id == 'a' || user.id == 'b')", ['a', 'b']],
    ['in a count', "approvers.filter(user, user.id == 'a').count() >= 1", ['a']],
    ['of some approvers only', "approvers.filter(u, true)[0..1].any(v, v.id == 'a')", ['a']],
    ['of one approver', "approvers[0].id == 'a'", ['a']],
    ['in a list', "approvers.any(user, user.id in ['a', 'b'])", ['a', 'b']],
    ['in what a list contains', "approvers.any(user, ['a', 'b'].contains(user.id))", ['a', 'b']],
    ['in items of a list', "['a', 'b'].all(id, approvers.any(user, user.id == id))", ['a', 'b']],
    ['in part of a list', "approvers.any(user, user.id == ['a', 'b'][0])", ['a', 'b']],
    ['in a slice of a list', "approvers.any(user, user.id in ['a', 'b'][0..1])", ['a', 'b']],
    ['in a filtered list', "approvers.any(user, user.id in ['a', 'b'].filter(id, id != ''))", ['a', 'b']],
    ['in items of a filtered list', "['a'].filter(id, true).any(id, approvers.any(user, user.id == id))", ['a']],
    ['as the owner of one credential', "credentials[0].user_id == 'a'", ['a']],
    ['as owners of credentials', "credentials.any(key, key.user_id == 'a' && key.type == 'b')", ['a']],
    ['behind a negation', "!approvers.any(user, !(user.id == 'a'))", ['a']],
  ])('%s', (_, text, ids) => {
    expect(namedIn(text)).toEqual(ids)
  })
})

test('each id has its column', () => {
  const { root } = compileConsensus("approvers.any(user, user.id in ['a', 'b'])")
  expect(namedUsers(root)).toEqual([
    { userId: 'a', column: 33 },
    { userId: 'b', column: 38 },
  ])
})

describe('other texts are not found', () => {
  test.each([
    [''],
    ["approvers.any(user, user.tags.contains('a') || user.alias == 'b' || user.email == 'c')"],
    ["credentials.any(key, key.id == 'a' || key.public_key == 'b')"],
    ["approvers.any(user, user.tags.any(tag, tag == 'a'))"],
    ["['a'].any(id, id == 'b')"],
    ['approvers.any(user, user.tags.any(tag, user.id == tag))'],
    ["approvers.any(user, user.tags.any(tag, tag == 'a' && user.id == user.alias))"],
    ['approvers.any(user, credentials.any(key, key.user_id == user.id))'],
    ['approvers.count() >= 2'],
  ])('%s', (text) => {
    expect(namedIn(text)).toEqual([])
  })
})
