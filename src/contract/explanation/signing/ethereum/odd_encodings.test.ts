import { type AbiParameter, decodeAbiParameters, encodeAbiParameters, type Hex, maxUint256, zeroAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { comparable } from '../../../../../test/support/contract_calls.ts'
import { memberOf, plain } from '../../../../../test/support/explanations.ts'
import type { AbiType, AbiParameter as Parameter } from '../../../../policy/contracts/ethereum/abi_types.ts'
import { finished } from '../../../../protocol/tools/steps.ts'
import type { Value } from '../../explanation.ts'
import { ethereumForms, tronForms } from '../shared/chain_forms.ts'
import { callWarnings, doneBy } from './call_reading.ts'
import { readContractCall } from './contract_calls.ts'
import { hashedText } from './function_signatures.ts'
import { knownFunctions } from './known_functions.ts'

const contract = `0x${'a1'.repeat(20)}`
const signer = `0x${'b2'.repeat(20)}`
const context = {
  ...{ forms: ethereumForms(1n), caller: signer },
  now: { interfacesAt: () => [], named: (id: string) => ({ kind: 'id', id }) as const },
}

/** What an explanation says of a call: its arguments, if they are read, and the codes of all its warnings. */
function explained(data: Hex) {
  const digits = data.slice(2)
  const read = finished(readContractCall({ to: contract, data: digits }, context))
  const shown = memberOf(read.token?.shown, 'function') === undefined ? read.parts.arguments : read.token?.shown
  const codes = [...callWarnings(read, digits), ...doneBy(read)].map(({ code }) => code)
  return { args: argumentsIn(shown), codes }
}

/** Undefined for arguments that are not read. */
function argumentsIn(shown: Value | undefined): Readonly<Record<string, unknown>> | undefined {
  if (shown?.kind !== 'tree') return shown?.kind === 'note' ? undefined : {}
  return plain(shown) as Readonly<Record<string, unknown>>
}

function inputOf({ name, type }: Parameter): AbiParameter {
  return { name, ...typeOf(type) }
}

function typeOf(type: AbiType): { readonly type: string; readonly components?: readonly AbiParameter[] } {
  switch (type.kind) {
    case 'tuple':
      return { type: 'tuple', components: type.components.map(inputOf) }
    case 'array': {
      const element = typeOf(type.element)
      return { ...element, type: `${element.type}[]` }
    }
    default:
      return { type: hashedText({ name: '', parameters: [{ name: '', type }] }).slice(1, -1) }
  }
}

/** The smallest, the greatest and a usual value of a type. */
type Size = 'zero' | 'max' | 'usual'

function sampleOf(input: AbiParameter, which: Size): unknown {
  const { type } = input
  const components = 'components' in input ? input.components : undefined
  const item = /^(.*)\[\]$/.exec(type)?.[1]
  if (item !== undefined) {
    const one = { type: item, ...(components && { components }) }
    return which === 'zero' ? [] : [sampleOf(one, which), sampleOf(one, 'usual')]
  }
  if (components !== undefined) {
    return Object.fromEntries(components.map((one) => [String(one.name), sampleOf(one, which)]))
  }
  const size = Number(type.replace(/[a-z]+/, ''))
  if (type === 'address')
    return { zero: zeroAddress, max: `0x${'ff'.repeat(20)}`, usual: `0x${'c3'.repeat(20)}` }[which]
  if (type === 'bool') return which !== 'zero'
  if (type === 'string') return which === 'zero' ? '' : 'why'
  if (type === 'bytes') return { zero: '0x', max: `0x${'ff'.repeat(65)}`, usual: '0xdeadbeef00' }[which]
  if (type.startsWith('bytes')) return `0x${{ zero: '00', max: 'ff', usual: '0a' }[which].repeat(size)}`
  const max = size === 256 ? maxUint256 : 2n ** BigInt(size) - 1n
  const given = { zero: 0n, max, usual: 1n }[which]
  return size <= 48 ? Number(given) : given
}

const word = (number: number) => number.toString(16).padStart(64, '0')

/** Encodings that contracts may take and that are not the canonical one, by changes of the words behind the selector. */
function oddOnes(
  words: readonly string[],
  inputs: readonly AbiParameter[],
): Readonly<Record<string, readonly string[] | undefined>> {
  const isDynamic = (type: string) => type.endsWith('[]') || type === 'bytes' || type === 'string'
  const places = inputs.flatMap(({ type }, index) => (isDynamic(type) ? [index] : []))
  const address = inputs.findIndex(({ type }) => type === 'address')
  const offsetAt = (place: number) => Number.parseInt(words[place] ?? '', 16)
  const moved = (by: number) => words.map((one, index) => (places.includes(index) ? word(offsetAt(index) + by) : one))
  const [first, second] = places
  const head = first === undefined ? 0 : offsetAt(first) / 32
  return {
    'a gap before the tails':
      first === undefined ? undefined : [...moved(32).slice(0, head), 'ee'.repeat(32), ...words.slice(head)],
    'the tails again at the end':
      first === undefined ? undefined : [...moved(32 * (words.length - head)), ...words.slice(head)],
    'two values with one tail':
      first === undefined || second === undefined || inputs[first]?.type !== inputs[second]?.type
        ? undefined
        : words.map((one, index) => (index === second ? (words[first] ?? one) : one)),
    'other bits above an address':
      address === -1 ? undefined : words.map((one, index) => (index === address ? `01${one.slice(2)}` : one)),
    'a word behind the arguments': [...words, 'dd'.repeat(32)],
    'a word less': words.length === 0 ? undefined : words.slice(0, -1),
  }
}

/** The arguments as viem reads them, which ignores what no value of theirs has, as contracts of older compilers do. */
function decoded(inputs: readonly AbiParameter[], data: Hex): Readonly<Record<string, unknown>> | undefined {
  try {
    const values = decodeAbiParameters(inputs, data)
    return Object.fromEntries(inputs.map(({ name }, index) => [String(name), values[index]]))
  } catch {
    return undefined
  }
}

const hiding = ['unreadable', 'unreadBytes', 'beyondLimit']

describe.each([...knownFunctions].map(([selector, known]) => ({ selector, ...known, text: hashedText(known) })))(
  '$text',
  ({ selector, parameters, effect, calls }) => {
    const inputs = parameters.map(inputOf)

    test.each(['zero', 'usual', 'max'] as const)('with %s values is shown as viem decodes it', (which) => {
      const body = encodeAbiParameters(
        inputs,
        inputs.map((input) => sampleOf(input, which)),
      )
      const { args, codes } = explained(`0x${selector}${body.slice(2)}`)
      expect(comparable(args)).toMatchObject(comparable(decoded(inputs, body)) as object)
      expect(codes).not.toContain('unreadBytes')
    })

    test.each(['zero', 'usual', 'max'] as const)('with %s values has addresses of Tron there', (which) => {
      const body = encodeAbiParameters(
        inputs,
        inputs.map((input) => sampleOf(input, which)),
      )
      const data = `${selector}${body.slice(2)}`
      const read = finished(readContractCall({ to: contract, data }, { ...context, forms: tronForms }))
      const { parts, token } = read
      const said = JSON.stringify([parts, token, ...callWarnings(read, data), ...doneBy(read)])
      expect(said).not.toMatch(/"(address|token)":"0x/)
      expect(said).not.toMatch(/"(wei|ETH)"/)
    })

    test('in an odd encoding is shown as viem decodes it, or as what is not read', () => {
      const body = encodeAbiParameters(
        inputs,
        inputs.map((input) => sampleOf(input, 'usual')),
      ).slice(2)
      const words = body.match(/.{64}/g) ?? []
      for (const [name, odd] of Object.entries(oddOnes(words, inputs))) {
        if (odd === undefined) continue
        const data: Hex = `0x${odd.join('')}`
        const { args, codes } = explained(`0x${selector}${odd.join('')}`)
        expect(
          codes.some((code) => hiding.includes(code)),
          name,
        ).toBe(true)
        if (args !== undefined && Object.keys(args).length > 0) {
          expect(comparable(args), name).toMatchObject(comparable(decoded(inputs, data)) as object)
        } else if (inputs.length > 0 && (effect !== undefined || calls !== undefined)) {
          expect(codes.filter((code) => code !== 'unreadBytes').length, name).toBeGreaterThan(0)
        }
      }
    })
  },
)
