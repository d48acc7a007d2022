import { parseAbiItem, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { hashedText, signatureOf } from './function_signatures.ts'
import { functionTable } from './function_table.ts'
import { isNamedOtherwise, knownFunctions } from './known_functions.ts'
import { tokenFunctions } from './token_functions.ts'

const knownOf = (declaration: string) => knownFunctions.get(toFunctionSelector(declaration).slice(2))

test('each known function has the selector that viem makes of its declaration', () => {
  expect(knownFunctions.size).toBeGreaterThan(70)
  for (const [selector, known] of knownFunctions) {
    expect(`0x${selector}`, known.name).toBe(toFunctionSelector(`function ${hashedText(known)}`))
  }
})

test('no two rows are one function, and the effect of each names its own parameters', () => {
  expect(knownFunctions.size).toBe(tokenFunctions.size + functionTable.length)
  for (const { name, parameters, effect } of knownFunctions.values()) {
    const { does: _, ...named } = effect ?? { does: undefined }
    const names = Object.values(named).filter((value) => typeof value === 'string')
    expect(
      parameters.map((parameter) => parameter.name),
      name,
    ).toEqual(expect.arrayContaining(names))
  }
})

test.each([
  'renounceOwnership()',
  'aggregate3((address target, bool allowFailure, bytes callData)[] calls)',
  'diamondCut((address facet, uint8 action, bytes4[] selectors)[] cut, address initialization, bytes data)',
])('names and types of a declaration are those that viem parses: %s', (declaration) => {
  const signature = signatureOf(declaration)
  const parsed = parseAbiItem(`function ${declaration}`)
  if (parsed.type !== 'function') throw new Error('a function')
  expect(signature.parameters.map(({ name }) => name)).toEqual(parsed.inputs.map(({ name }) => name))
  expect(`${toFunctionSelector(`function ${hashedText(signature)}`)}`).toBe(toFunctionSelector(parsed))
})

test.each([
  ['transferOwnership(address newOwner)', 'transferOwnership(address _owner)', false],
  ['transferOwnership(address newOwner)', 'refresh(address newOwner)', true],
  ['transferOwnership(address newOwner)', 'transferOwnership(uint160 newOwner)', true],
  ['burn(uint256 amount)', 'collate_propagate_storage(bytes16 data)', true],
  [
    'addOwnerWithThreshold(address owner, uint256 threshold)',
    'addOwnerWithThreshold(address owner, uint256 _t)',
    false,
  ],
  ['transfer(address to, uint256 amount)', 'transfer(address from, uint256 fee)', true],
  ['transfer(address to, uint256 amount)', 'transfer(address recipient, uint256 wad)', false],
  [
    'safeTransferFrom(address from, address to, uint256 tokenId)',
    'safeTransferFrom(address to, address from, uint256 tokenId)',
    true,
  ],
  ['setApprovalForAll(address operator, bool approved)', 'setApprovalForAll(address from, bool approved)', true],
])('%s, declared as %s, is named otherwise: %s', (declaration, other, expected) => {
  const known = knownOf(`function ${declaration}`)
  if (known === undefined) throw new Error('a known function')
  const { name, parameters } = signatureOf(other)
  expect(isNamedOtherwise(known, { functionName: name, parameters })).toBe(expected)
})
