import { expect, test } from 'vitest'
import type { Title } from './explanation.ts'
import { titleLine } from './plain_lines.ts'
import { noteOf, number } from './values.ts'
import { warned } from './warnings.ts'

test('the worst warning of a title stands before it, and the others are counted', () => {
  const title: Title = { code: 'signPayload', values: [] }
  const unread = noteOf('unreadBytes', number(26))
  const fee = noteOf('highFee', number(5))
  expect(titleLine(warned(title, []))).toBe('Sign a payload')
  expect(titleLine(warned(title, [unread]))).toBe('WARNING: 26 bytes that are signed are not read. Sign a payload')
  const both = 'WARNING: the fee is up to 5, and 1 more. Sign a payload'
  expect(titleLine(warned(title, [unread, fee]))).toBe(both)
  expect(titleLine(warned(warned(title, [unread]), [fee, fee]))).toBe(both)
})
