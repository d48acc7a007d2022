import { describe, expect, test } from 'vitest'
import { isUuid } from './identifiers.ts'

describe('isUuid', () => {
  test.each([
    ['e0a16522-d6a2-49a1-bdfa-8f2917d329c2', true],
    ['E0A16522-D6A2-49A1-BDFA-8F2917D329C2', true],
    ['00000000-0000-0000-0000-000000000000', true],
    ['ffffffff-ffff-ffff-ffff-ffffffffffff', true],
    ['', false],
    ['e0a16522d6a249a1bdfa8f2917d329c2', false],
    ['e0a16522-d6a2-49a1-bdfa-8f2917d329c', false],
    ['e0a16522-d6a2-49a1-bdfa-8f2917d329c22', false],
    ['e0a16522-d6a2-49a1-bdfa-8f2917d329cg', false],
    ['e0a1652-2d6a2-49a1-bdfa-8f2917d329c2', false],
    ['{e0a16522-d6a2-49a1-bdfa-8f2917d329c2}', false],
    [' e0a16522-d6a2-49a1-bdfa-8f2917d329c2', false],
    ['e0a16522-d6a2-49a1-bdfa-8f2917d329c2\n', false],
  ])('%j: %s', (text, expected) => {
    expect(isUuid(text)).toBe(expected)
  })
})
