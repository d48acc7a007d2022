import { expect, test } from 'vitest'
import { finished } from '../../../protocol/tools/steps.ts'
import { abiContradiction } from './ethereum_functions.ts'

const tuple = (type: string, ...names: readonly string[]) => ({
  name: 'order',
  type,
  components: names.map((name) => ({ name, type: 'address' })),
})
const abiOf = (...inputs: readonly object[]) => [{ type: 'function', name: 'f', inputs }]
const contradiction = (added: unknown, ...kept: readonly unknown[]) =>
  finished(
    abiContradiction(
      JSON.stringify(added),
      kept.map((one) => JSON.stringify(one)),
    ),
  )

test.each<[string, unknown, unknown]>([
  ['the name of a parameter', abiOf({ name: 'a', type: 'bool' }), abiOf({ name: 'b', type: 'bool' })],
  ['whether a parameter has a name', abiOf({ name: 'a', type: 'bool' }), abiOf({ type: 'bool' })],
  ['the order of names in a tuple', abiOf(tuple('tuple', 'from', 'to')), abiOf(tuple('tuple', 'to', 'from'))],
  [
    'a name in a tuple in a list of tuples',
    abiOf({ ...tuple('tuple[]'), components: [tuple('tuple[2]', 'from', 'to')] }),
    abiOf({ ...tuple('tuple[]'), components: [tuple('tuple[2]', 'from', 'by')] }),
  ],
])('two ABIs contradict each other by %s', (_, added, kept) => {
  expect(contradiction(added, [], kept)).toMatchObject({ index: 1, functionName: expect.stringMatching(/^f\(/) })
})

test('two functions with one selector and different names contradict each other', () => {
  const transfer = [{ name: 'transfer', inputs: [{ type: 'address' }, { type: 'uint256' }] }]
  const colliding = [{ name: 'many_msg_babbage', inputs: [{ type: 'bytes1' }] }]
  expect(contradiction(colliding, transfer)).toEqual({ index: 0, functionName: 'many_msg_babbage(bytes1)' })
})

test('what a call is not read by may differ, and so may functions that only one has', () => {
  const [one] = abiOf({ name: 'a', type: 'uint', internalType: 'uint256' }, { name: '', type: 'bool' })
  const [other] = abiOf({ name: 'a', type: 'uint256' }, { type: 'bool' })
  const kept = [
    { ...other, outputs: [{ type: 'bool' }], stateMutability: 'view' },
    { name: 'h', inputs: [] },
  ]
  expect(contradiction([one, { name: 'g' }, { type: 'event', name: 'h' }], kept)).toBeUndefined()
})
