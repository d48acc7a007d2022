import { expect, test } from 'vitest'
import { numberForms } from './fields.ts'

for (const [name, { max, pattern }] of Object.entries(numberForms)) {
  test(`${name} is each number from 1 to ${max}, written in one way, and no other text`, () => {
    const form = new RegExp(pattern)
    const small = Array.from({ length: Math.min(max, 3_000_000) }, (_, index) => String(index + 1))
    expect(small.filter((text) => !form.test(text))).toEqual([])
    expect(form.test(String(max))).toBe(true)
    const beyond = Array.from({ length: 100_000 }, (_, index) => String(max + 1 + index))
    const others = ['', '0', '00', '01', '-1', '1.0', '1 ', ' 1', '1\n', '1e1', '٣', `${max}0`, `0${max}`]
    expect([...beyond, ...others].filter((text) => form.test(text))).toEqual([])
  })
}
