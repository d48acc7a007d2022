import { expect, test } from 'vitest'
import { finished } from '../../../protocol/tools/steps.ts'
import { compileCondition, compileTime, neverTrueIn } from '../../decision/policy_expressions.ts'

const amount = (index: number) => `solana.tx.transfers[${index}].amount`

/** Each `||` doubles the ways, and in each way the first amount is above the last and below it. */
const circles = (last: number, doublings: number) =>
  [
    ...Array.from({ length: doublings }, () => `(${amount(0)}<${amount(last)}||${amount(0)}<${amount(last - 1)})`),
    ...Array.from({ length: last }, (_, at) => `${amount(last - at)}<${amount(last - at - 1)}`),
  ].join('&&')

test('orders that make a circle in each way are told up to a budget, beyond which they may be possible', () => {
  const isTold = (text: string) => finished(neverTrueIn(compileCondition(text), 'denial')).length > 0
  expect(isTold(circles(5, 2))).toBe(true)
  expect(isTold(circles(60, 6))).toBe(false)
})

const at = (hour: number, zone: string) => `CronSpan('0 ${hour} * * *', '1h', '${zone}')`

test('windows that never meet are told beside those of another zone, and not of two others', () => {
  const isTold = (text: string) => finished(neverTrueIn(compileTime(text), 'denial')).length > 0
  const apart = `${at(3, 'UTC')} && ${at(12, 'UTC')}`
  expect(isTold(`${apart} && ${at(9, 'Asia/Tokyo')}`)).toBe(true)
  expect(isTold(`${apart} && ${at(9, 'Asia/Tokyo')} && ${at(9, 'Europe/Berlin')}`)).toBe(false)
})
