import { Fragment } from 'ethers'
import fc from 'fast-check'
import { erc20Abi, erc721Abi, multicall3Abi, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { generatedRuns } from '../../../../test/support/generated_runs.ts'
import { finished } from '../../../protocol/tools/steps.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { checkEthereumAbi } from './ethereum_abi.ts'

const field = 'parameters.smartContractInterface'

/** The fault of an ABI; undefined if it has none. */
function faultOf(abi: unknown): string | undefined {
  return faultOfText(typeof abi === 'string' ? abi : JSON.stringify(abi))
}

function faultOfText(text: string): string | undefined {
  try {
    finished(checkEthereumAbi(text, field))
    return undefined
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    expect(error.httpStatus).toBe(400)
    return error.message
  }
}

const functionOf = (given: object) => [
  { type: 'function', name: 'f', inputs: [], outputs: [], stateMutability: 'view', ...given },
]
const parameterOf = (type: string, given: object = {}) => functionOf({ inputs: [{ name: 'a', type, ...given }] })

describe('a valid ABI', () => {
  test.each<[string, unknown]>([
    ['without entries', []],
    ['of ERC-20', erc20Abi],
    ['of ERC-721', erc721Abi],
    ['with tuples', multicall3Abi],
    [
      'with every kind of entry',
      parseAbi([
        'constructor(address owner) payable',
        'function swap((address token, uint24[2] fees)[] path, bytes32 id) returns (bool, int128[][3])',
        'event Swapped(address indexed by, (uint8 kind, string note) what)',
        'error Denied(address who)',
        'fallback() external payable',
        'receive() external payable',
      ]),
    ],
    [
      'of an old compiler',
      [
        { name: 'f', inputs: [{ name: '', type: 'uint' }], outputs: [], constant: true, payable: false },
        { type: 'fallback', payable: true },
      ],
    ],
    ['of Vyper', functionOf({ gas: 1234, outputs: [{ name: '', type: 'fixed168x10' }] })],
    ['with a pointer to a function', parameterOf('function')],
    [
      'without what may be left out',
      [
        { type: 'function', name: 'f' },
        { type: 'event', name: 'E' },
      ],
    ],
    ['with names that are words of the language', functionOf({ inputs: [{ name: 'indexed', type: 'bool' }] })],
    ['with nulls', functionOf({ inputs: [{ name: null, type: 'bool', internalType: null }], outputs: null })],
  ])('%s', (_name, abi) => {
    expect(faultOf(abi)).toBeUndefined()
  })
})

describe('an invalid ABI is refused at its first fault', () => {
  const nested = (depth: number): object =>
    depth === 0 ? { name: 'a', type: 'uint8' } : { name: 'a', type: 'tuple', components: [nested(depth - 1)] }

  test.each<[string, unknown, string]>([
    ['not JSON', '[', 'the text of a JSON document: bad request body: it is not valid JSON'],
    ['a key twice', '[{"type":"receive","type":"receive"}]', 'the field [0].type occurs twice'],
    ['what a compiler wraps around it', { abi: [] }, 'the document must be a list: the ABI itself'],
    ['a text', '"[]"', 'the document must be a list'],
    ['an entry that is none', [erc20Abi[0], 1], '[1] must be an object'],
    ['an unknown kind of entry', [{ type: 'struct', name: 'S' }], '[0].type must be one of function, constructor'],
    ['a kind of entry from a prototype', [{ type: 'constructor ' }], '[0].type must be one of'],
    ['no name', [{ type: 'function', inputs: [] }], '[0].name must be a name of letters'],
    ['a name with parentheses', functionOf({ name: 'f(uint8)' }), '[0].name must be a name of letters'],
    ['an event without a name', [{ type: 'event', inputs: [] }], '[0].name must be a name of letters'],
    ['inputs that are no list', functionOf({ inputs: {} }), '[0].inputs must be a list'],
    ['an input that is a text', functionOf({ inputs: ['uint8'] }), '[0].inputs[0] must be an object'],
    ['no type', functionOf({ inputs: [{ name: 'a' }] }), '[0].inputs[0].type must be an ABI type'],
    ['a size that is none', parameterOf('uint7'), '[0].inputs[0].type must be an ABI type'],
    ['17 lists in one another', parameterOf(`bool${'[1]'.repeat(17)}`), '[0].inputs[0].type must be an ABI type'],
    ['33 bytes', parameterOf('bytes33'), '[0].inputs[0].type must be an ABI type'],
    ['0 bytes', parameterOf('bytes0'), '[0].inputs[0].type must be an ABI type'],
    ['a type of the language', parameterOf('contract IERC20'), '[0].inputs[0].type must be an ABI type'],
    ['an array with a blank', parameterOf('uint8 []'), '[0].inputs[0].type must be an ABI type'],
    ['an array that is not closed', parameterOf('uint8[2'), '[0].inputs[0].type must be an ABI type'],
    ['an array of -1', parameterOf('uint8[-1]'), '[0].inputs[0].type must be an ABI type'],
    ['a tuple without components', parameterOf('tuple[]'), '[0].inputs[0].components must be the list of what is in'],
    [
      'a component of no type',
      parameterOf('tuple', {
        components: [
          { name: 'b', type: 'bool' },
          { name: 'c', type: 'boolean' },
        ],
      }),
      '[0].inputs[0].components[1].type must be an ABI type',
    ],
    ['a parameter with a comma in its name', functionOf({ inputs: [{ name: 'a,b', type: 'bool' }] }), 'inputs[0].name'],
    ['an output of no type', functionOf({ outputs: [{ type: 'void' }] }), '[0].outputs[0].type must be an ABI type'],
    ['another mutability', functionOf({ stateMutability: 'external' }), '[0].stateMutability must be one of pure'],
    ['an old flag that is a text', functionOf({ payable: 'yes' }), '[0].payable must be true or false'],
    ['an index that is a text', [{ type: 'event', name: 'E', inputs: [{ type: 'bool', indexed: 'yes' }] }], 'indexed'],
    ['tuples without an end', functionOf({ inputs: [nested(40)] }), 'nested deeper than 32 levels'],
  ])('%s', (_name, abi, text) => {
    expect(faultOf(abi)).toContain(text)
    expect(faultOf(abi)).toContain(field)
  })
})

/** Types of Solidity, and some that it lacks. */
const elementary = fc.oneof(
  fc.constantFrom('address', 'bool', 'string', 'bytes', 'uint', 'int'),
  fc.integer({ min: 0, max: 34 }).map((bytes) => `bytes${bytes}`),
  fc.tuple(fc.constantFrom('uint', 'int'), fc.integer({ min: 0, max: 264 })).map(([sign, bits]) => `${sign}${bits}`),
  fc
    .tuple(fc.constantFrom('uint', 'int'), fc.integer({ min: 0, max: 33 }))
    .map(([sign, bytes]) => `${sign}${8 * bytes}`),
)
const suffix = fc
  .array(
    fc.oneof(
      fc.constant('[]'),
      fc.nat({ max: 1_000 }).map((length) => `[${length}]`),
    ),
    { maxLength: 3 },
  )
  .map((parts) => parts.join(''))
const name = fc.oneof(fc.constantFrom('', 'a', '$b_1', '_'), fc.constantFrom('1a', 'a-b', 'a b', 'é', 'a(b)'))
const { parameter } = fc.letrec<{ parameter: object }>((tie) => ({
  parameter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ name, type: fc.tuple(elementary, suffix).map((parts) => parts.join('')) }),
    fc.record({
      name,
      type: suffix.map((text) => `tuple${text}`),
      components: fc.array(tie('parameter'), { maxLength: 3 }),
    }),
  ),
}))
const parameters = fc.array(parameter, { maxLength: 4 })
const stateMutability = fc.constantFrom('pure', 'view', 'nonpayable', 'payable')
const entry = fc.oneof(
  fc.record({ type: fc.constant('function'), name, inputs: parameters, outputs: parameters, stateMutability }),
  fc.record({ type: fc.constant('constructor'), inputs: parameters, stateMutability }),
  fc.record({ type: fc.constant('event'), name, inputs: parameters, anonymous: fc.boolean() }),
  fc.record({ type: fc.constant('error'), name, inputs: parameters }),
)

test('an entry is accepted when ethers accepts it', () => {
  fc.assert(
    fc.property(entry, (made) => {
      let isFragment = true
      try {
        Fragment.from(made)
      } catch {
        isFragment = false
      }
      expect(faultOf([made]) === undefined).toBe(isFragment)
    }),
    { numRuns: 10 * generatedRuns },
  )
})

test('any document is accepted or refused with a 400 that names its place', () => {
  const strange = fc.oneof(fc.jsonValue(), fc.constantFrom('uint256', 'tuple', 'function', [], {}, '__proto__'))
  const changed = fc.tuple(entry, fc.constantFrom('type', 'name', 'inputs', 'outputs', 'anonymous'), strange)
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.string(),
        changed.map(([made, key, value]) => [{ ...made, [key]: value }]),
      ),
      (abi) => {
        const fault = faultOf(abi)
        expect(fault === undefined || fault.includes(field)).toBe(true)
      },
    ),
  )
})

test('the largest text takes time in proportion', () => {
  const entries = Array.from({ length: 3_000 }, (_, index) =>
    functionOf({ name: `f${index}`, inputs: [{ type: 'uint8' }] }),
  )
  expect(faultOf(entries.flat())).toBeUndefined()
  expect(faultOfText(`[${'[],'.repeat(100_000)}[]]`)).toContain('[0] must be an object')
  expect(faultOf(parameterOf(`uint8${'[]'.repeat(190_000)}x`))).toContain('[0].inputs[0].type')
})

test('two functions with one selector are refused, also when they are the same or only collide', () => {
  const transfer = parseAbi(['function transfer(address to, uint256 amount)'])
  const [swapped] = parseAbi(['function transfer(address amount, uint256 to)'])
  const [colliding] = parseAbi(['function many_msg_babbage(bytes1 a)'])
  const reason = '[2] must be a function with another selector: [0] has the same, 0xa9059cbb'
  for (const second of [swapped, colliding, transfer[0]]) {
    expect(faultOf([...transfer, { type: 'receive' }, second])).toContain(reason)
  }
  const short = { name: 'f', inputs: [{ name: 'a', type: 'uint' }] }
  const long = { name: 'f', inputs: [{ name: 'b', type: 'uint256' }] }
  expect(faultOf([short, long])).toContain('[1] must be a function with another selector')
  expect(faultOf([short, { type: 'event', name: 'f', inputs: long.inputs }])).toBeUndefined()
})
