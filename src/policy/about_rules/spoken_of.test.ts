import { describe, expect, test } from 'vitest'
import { compileConsensus } from '../decision/policy_expressions.ts'
import { isSpokenOf } from './spoken_of.ts'

const ada = { id: 'ada', tags: ['treasury'], email: 'ada@example.com', alias: 'Ada' }
const key = { id: 'key-1', user_id: 'ada', type: 'CREDENTIAL_TYPE_API_KEY_P256', credential_id: '', public_key: '02ab' }

const bob = { id: 'bob', tags: ['ops'], email: 'bob@example.com', alias: 'Bob' }
const ofBob = { ...key, id: 'key-2', user_id: 'bob', public_key: '02cd' }
const possible = {
  theirs: { approvers: [ada], credentials: [key] },
  others: () => ({ approvers: [bob], credentials: [ofBob] }),
}

function isAdaSpokenOf(text: string): boolean {
  return isSpokenOf(compileConsensus(text).root, possible, { stepsMax: 1_000, meter: { steps: 0 } })
}

describe('a consensus speaks of a user', () => {
  test.each([
    ['of whom one predicate holds', "approvers.any(user, user.id == 'ada')"],
    ['whose credential one names', "credentials.any(used, used.user_id == 'ada')"],
    ['whom it counts', "approvers.filter(user, user.tags.contains('treasury')).count() >= 2"],
    ['of whom all is asked what holds', "approvers.all(user, user.id == 'ada')"],
    ['in one part of several', "approvers.any(user, user.id == 'bob') && approvers.any(user, user.id == 'ada')"],
    ['behind a negation', "!approvers.any(user, user.id == 'ada')"],
    ['inside of a predicate over something else', "['ada'].any(id, approvers.any(user, user.id == 'ada'))"],
    ['in a test over written names', "['bob', 'ada'].all(id, approvers.any(user, user.id == id))"],
    ['in a test over written tags', "['ops', 'treasury'].all(tag, approvers.any(user, user.tags.contains(tag)))"],
    ['and how many there are', "approvers.any(user, user.id == 'bob' && approvers.count() >= 2)"],
    ['by counting everybody', 'approvers.count() >= 2'],
    ['by counting all credentials', 'credentials.count() >= 2'],
    [
      'as another than who approved first',
      "approvers.any(user, user.id != approvers[0].id && user.tags.contains('treasury'))",
    ],
    ['beside another one', "approvers.any(one, approvers.any(two, one.id != two.id && two.tags.contains('ops')))"],
    ['whose credential is of another user', 'credentials.any(one, credentials.any(two, one.user_id != two.user_id))'],
    ['as one who is not as all are', "!approvers.all(user, user.id == 'bob')"],
    ['by looking at a place of the list', "approvers[0].id == 'bob'"],
  ])('%s', (_, text) => {
    expect(isAdaSpokenOf(text)).toBe(true)
  })
})

describe('a consensus does not speak of a user', () => {
  test.each([
    ['whom it does not name', "approvers.any(user, user.id == 'bob')"],
    ['whose credentials it does not name', "credentials.any(used, used.user_id == 'bob')"],
    ['of whom all is asked what does not hold', "approvers.all(user, user.id == 'bob')"],
    ['who is not counted', "approvers.filter(user, user.tags.contains('ops')).count() >= 2"],
    [
      'as another than who approved first, of other users',
      "approvers.any(user, user.id != approvers[0].id && user.id == 'cy')",
    ],
    ['beside one whom nobody is', "approvers.any(one, approvers.any(two, one.id != two.id && two.id == 'cy'))"],
    ['as one of those of whom not all are', "!approvers.all(user, user.id == 'ada')"],
    ['in a test over other written names', "['bob', 'cy'].all(id, approvers.any(user, user.id == id))"],
    ['when it speaks of nobody', "'ada' == 'ada'"],
    ['when it is empty', ''],
    ['when what it asks is an error', "approvers.any(user, user.tags[7] == 'treasury')"],
  ])('%s', (_, text) => {
    expect(isAdaSpokenOf(text)).toBe(false)
  })
})

describe('a search that takes too many steps ends, and speaks of everybody', () => {
  const list = `[${Array.from({ length: 300 }, () => "'a'").join(',')}]`
  const long = `${list}.any(x, ${list}.any(y, ${list}.any(z, x == 'b')))`
  test.each([
    ['around a predicate', `${long} && approvers.any(user, user.id == 'bob')`],
    ['in a predicate', `approvers.any(user, ${long} && user.id == 'bob')`],
    ['in one that is negated', `!approvers.all(user, ${long} || user.id == 'ada')`],
    ['beside everybody else', `approvers.any(one, approvers.any(two, one.id != two.id && ${long}))`],
  ])('%s', (_, text) => {
    const meter = { steps: 0 }
    expect(isSpokenOf(compileConsensus(text).root, possible, { stepsMax: 10_000, meter })).toBe(true)
    expect(meter.steps).toBeLessThan(11_000)
  })

  test('as when others took all steps', () => {
    const { root } = compileConsensus("approvers.any(user, user.id == 'bob')")
    const meter = { steps: 10_000 }
    expect(isSpokenOf(root, possible, { stepsMax: 10_000, meter })).toBe(true)
    expect(meter.steps).toBeLessThan(10_010)
  })
})
