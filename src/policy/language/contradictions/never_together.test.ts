import { expect, test } from 'vitest'
import { realRequests } from '../../../../test/support/signing_facts.ts'
import { isStruct, type Struct } from '../expression_values.ts'
import { parse } from '../reading/parse.ts'
import { neverTogether } from './never_together.ts'

test('all fields of one real request may be named together', () => {
  expect(realRequests.length).toBeGreaterThan(10)
  for (const { facts } of realRequests) {
    const fields = fieldsIn(facts)
    expect(fields.length).toBeGreaterThan(5)
    for (const field of fields) {
      const texts = fields.map((other) => `${field} == ${other}`)
      for (const text of texts) expect(neverTogether(parse(text)), text).toBeUndefined()
    }
  }
})

function fieldsIn(struct: Struct, before = ''): readonly string[] {
  return Object.entries(struct).flatMap(([name, value]) => {
    if (value === undefined) return []
    return isStruct(value) ? fieldsIn(value, `${before}${name}.`) : [`${before}${name}`]
  })
}
