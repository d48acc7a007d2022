import { expect, test } from 'vitest'
import { finished } from '../../../protocol/tools/steps.ts'
import { idlContradiction } from './solana_contradiction.ts'

const act = { name: 'act', discriminator: [7, 7], accounts: [{ name: 'from' }], args: [{ name: 'a', type: 'u8' }] }
const idlOf = (given: object = {}, more: object = {}) => ({ instructions: [{ ...act, ...given }], ...more })
const contradiction = (added: unknown, ...kept: readonly unknown[]) =>
  finished(
    idlContradiction(
      JSON.stringify(added),
      kept.map((one) => JSON.stringify(one)),
    ),
  )

const defined = (name: string) => ({ vec: { defined: { name } } })
const struct = (name: string, ...fields: readonly unknown[]) => ({ name, type: { kind: 'struct', fields } })
/** `act` takes an Order, which has a Price. */
const withTypes = (price: readonly unknown[], ...more: readonly object[]) =>
  idlOf(
    { args: [{ name: 'order', type: defined('Order') }] },
    { types: [struct('Order', { name: 'price', type: defined('Price') }), struct('Price', ...price), ...more] },
  )

test.each<[string, unknown, unknown]>([
  ['the name', idlOf(), idlOf({ name: 'other' })],
  ['the name of an account', idlOf(), idlOf({ accounts: [{ name: 'to' }] })],
  ['a group of accounts', idlOf(), idlOf({ accounts: [{ name: 'from', accounts: [{ name: 'from' }] }] })],
  ['the name of an argument', idlOf(), idlOf({ args: [{ name: 'b', type: 'u8' }] })],
  ['the type of an argument', idlOf(), idlOf({ args: [{ name: 'a', type: 'i8' }] })],
  ['a discriminator that is the beginning of the other', idlOf(), idlOf({ discriminator: [7] })],
  ['a discriminator that begins with the other', idlOf(), idlOf({ discriminator: [7, 7, 7] })],
  ['a type within a type', withTypes([{ name: 'x', type: 'u8' }]), withTypes([{ name: 'y', type: 'u8' }])],
])('two IDLs contradict each other by %s', (_, one, other) => {
  expect(contradiction(one, { instructions: [] }, other)).toEqual({ index: 1, functionName: 'act' })
  expect(contradiction(other, one)).toMatchObject({ index: 0 })
})

test('types that contain themselves are compared', () => {
  const loop = (field: string) =>
    idlOf(
      { args: [{ name: 'a', type: defined('A') }] },
      {
        types: [
          struct('A', { name: 'b', type: defined('B') }),
          struct('B', { name: 'a', type: defined('A') }, { name: field, type: 'u8' }),
        ],
      },
    )
  expect(contradiction(loop('x'), loop('x'))).toBeUndefined()
  expect(contradiction(loop('x'), loop('y'))).toEqual({ index: 0, functionName: 'act' })
})

test('comments, flags, the order of members, other instructions and types that no argument uses may differ', () => {
  const price = [{ name: 'x', type: 'u8' }]
  const one = withTypes(price, struct('Unused', 'u8'))
  const other = withTypes([{ type: 'u8', docs: ['The price.'], name: 'x' }], struct('Unused', 'u16'))
  expect(contradiction(one, other)).toBeUndefined()
  const flagged = idlOf({ accounts: [{ name: 'from', writable: true }], docs: ['Acts.'] })
  expect(contradiction(flagged, idlOf(), idlOf({ name: 'more', discriminator: [8] }))).toBeUndefined()
})
