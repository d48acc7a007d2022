import { expect, test } from 'vitest'
import type { Title, Value } from '../explanation.ts'
import { bounded, code, list, listed, note, noteOf, number, row, section } from '../shown_values.ts'
import { warned } from '../warnings.ts'
import { plainLines, titleLine } from './plain_lines.ts'

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

const shownItems = (count: number) => Array.from({ length: count }, (_, index) => number(index))

test('what lines leave out for the console is told from what nothing shows', () => {
  const items = listed(shownItems(1_500), (item) => item)
  const explanation = {
    ...{ activityId: 'a', organizationId: 'o', type: 't', status: 's', title: { code: 'send', values: [] } },
    sections: [{ kind: 'changes', rows: [row('numbers', list(items)), ...items.map((item) => row('each', item))] }],
  } as const
  const lines = plainLines(explanation).map((line) => line.trim())
  expect(lines.find((line) => line.startsWith('numbers: '))).toMatch(
    /, 99, 900 more, which the console shows, 500 more, which nothing shows$/,
  )
  expect(lines.slice(-2)).toEqual(['900 more, which the console shows', 'each: 500 more, which nothing shows'])
})

test('an explanation that leaves something out says so first', () => {
  const rows = shownItems(30).map((_, index) =>
    row('row', list(listed(shownItems(index === 0 ? 1_200 : 900), (item) => item))),
  )
  const title = { code: 'send', values: [] }
  const around = { activityId: 'a', organizationId: 'o', type: 't', status: 's', title }
  const whole = bounded({ ...around, sections: section('changes', rows.slice(1, 3)) })
  expect(whole.title).toEqual(title)
  const sum = bounded({ ...around, sections: section('changes', rows.slice(0, 1)) })
  expect(sum.title.warnings).toEqual([note('tooMuch')])
  const voters = bounded({ ...around, sections: section('rule', rows.slice(0, 1)) })
  expect(voters.title).toEqual(title)
  const cut = bounded({ ...around, sections: section('changes', rows) })
  expect(cut.title.warnings).toEqual([note('tooMuch')])
  const lists = cut.sections[0]?.rows.flatMap(({ value }) => (value.kind === 'list' ? [value.items] : [])) ?? []
  const counted = lists.map((items) => items.reduce((all, item) => all + (item.kind === 'leftOut' ? item.count : 1), 0))
  expect(counted[0]).toBe(1_200)
  expect(counted.slice(1).every((count) => count === 900)).toBe(true)
})

test('a type and a status are said in words, without what every one begins and ends with', () => {
  const codes = ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2', 'ACTIVITY_TYPE_CREATE_WALLET', 'ACTIVITY_STATUS_CONSENSUS_NEEDED']
  const lines = plainLines({
    ...{ activityId: 'a', organizationId: 'o', type: 't', status: 's', title: { code: 'send', values: [] } },
    sections: section('request', [row('each', list(codes.map(code)))]),
  })
  expect(lines.at(-1)?.trim()).toBe('each: sign transaction, create wallet, consensus needed')
})

test('an amount stands in groups of three digits', () => {
  const amounts = ['0', '-999', '-1234', '123456', '12345678901234567890'].map(
    (smallest): Value => ({ kind: 'amount', smallest, smallestUnit: 'wei' }),
  )
  const lines = plainLines({
    ...{ activityId: 'a', organizationId: 'o', type: 't', status: 's', title: { code: 'send', values: [] } },
    sections: section('request', [row('each', list(amounts))]),
  })
  expect(lines.at(-1)?.trim().replaceAll('\u00a0', ' ')).toBe(
    'each: 0 wei, -999 wei, -1 234 wei, 123 456 wei, 12 345 678 901 234 567 890 wei',
  )
})
