import { assert, expect, test } from 'vitest'
import { aboutSample } from './about_sample.ts'
import { compileCondition } from './policy_expressions.ts'

test('the body of a predicate is copied for as many items as parts are left', () => {
  const asking = "solana.tx.transfers.any(t, t.to == 'a' || t.to == 'b')"
  const { root } = compileCondition(Array.from({ length: 100 }, () => asking).join(' && '))
  assert(root.kind === 'and')
  const [first, ...others] = root.operands
  assert(first?.kind === 'predicate' && first.body.kind === 'or')
  const { operands } = first.body
  let reads = 0
  const body = {
    ...first.body,
    get operands() {
      reads += 1
      return operands
    },
  }
  const sample = {
    facts: {},
    lists: new Map([['solana.tx.transfers', { isFirst: true, hasOthers: true }]]),
    texts: new Map(),
  }
  const length = { partsLeft: 100 }
  expect(aboutSample({ root: { ...root, operands: [{ ...first, body }, ...others] } }, sample, length)).toBe(undefined)
  expect(reads).toBeLessThan(50)
})
