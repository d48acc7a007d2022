import { assert, expect, test } from 'vitest'
import { finished } from '../../../protocol/tools/steps.ts'
import { compileCondition } from '../../decision/policy_expressions.ts'
import { aboutSample, askedOfLists } from './about_sample.ts'
import type { SampleDeed } from './sample_deeds.ts'

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
  const sample: Omit<SampleDeed, 'chain'> = {
    facts: {},
    lists: new Map([['solana.tx.transfers', { at: 0, hasOthers: true }]]),
    texts: new Map(),
    open: [],
    taken: { kind: 'coin', namespace: 'solana' },
  }
  const asked = askedOfLists(root)
  const length = { partsLeft: 300 }
  const read = { ...root, operands: [{ ...first, body }, ...others] } as const
  expect(finished(aboutSample({ root: read }, { sample, asked, length }))).toBe(undefined)
  expect(reads).toBeLessThan(50)
})
