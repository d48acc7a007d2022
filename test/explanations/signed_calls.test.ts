import { Interface } from 'ethers'
import fc from 'fast-check'
import {
  type Abi,
  type AbiFunction,
  type AbiParameter,
  decodeFunctionData,
  encodeFunctionData,
  getAddress,
  maxUint256,
  parseAbiItem,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  toFunctionSelector,
} from 'viem'
import { expect, test } from 'vitest'
import type { Value } from '../../src/contract/explanation/explanation.ts'
import { hashedText } from '../../src/contract/explanation/signing/ethereum/function_signatures.ts'
import { type KnownFunction, knownFunctions } from '../../src/contract/explanation/signing/ethereum/known_functions.ts'
import { calledContracts, comparable, valueOfType } from '../support/contract_calls.ts'
import { explaining, memberOf, plain, valuesAt, warningsOf } from '../support/explanations.ts'
import { generatedRuns } from '../support/generated_runs.ts'
import { newAccount, startOrganization } from '../support/organization.ts'

const organization = await startOrganization()
const { done } = organization
const explain = explaining(organization)
const { addresses } = await done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
const [signWith] = addresses
const numRuns = Math.ceil(generatedRuns / 30)

type Hex = `0x${string}`

/** Explains a call and signs it. What was signed is what viem reads from the signed transaction. */
async function signedCall(to: Hex, data: string) {
  const fields = { type: 'eip1559', chainId: 1, nonce: 7, gas: 21_000n, maxFeePerGas: 2n, to } as const
  const unsignedTransaction = serializeTransaction({ ...fields, data: `0x${data.slice(2)}` })
  const explained = await explain('sign_transaction', {
    ...{ signWith, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction },
  })
  const serialized = `0x${explained.result.signedTransaction}` as const
  expect(await recoverTransactionAddress({ serializedTransaction: serialized as `0x02${string}` })).toBe(signWith)
  const signed = parseTransaction(serialized as `0x02${string}`)
  expect(getAddress(signed.to ?? '0x')).toBe(to)
  const [call] = valuesAt(explained.explanation, 'calls', 'call')
  const [shownData] = valuesAt(explained.explanation, 'calls', 'data')
  expect(shownData).toMatchObject({ bytes: (signed.data ?? '0x').length / 2 - 1 })
  return { ...explained, call, signedData: signed.data ?? '0x' }
}

/** The arguments by the interface, which stand below what is known without one. */
const claimOf = (call: Value | undefined) => memberOf(call, 'claimed') ?? call

function decoded(declared: AbiFunction, data: Hex): unknown {
  const { args = [] } = decodeFunctionData({ abi: [declared], data })
  return comparable(Object.fromEntries(declared.inputs.map(({ name }, index) => [name, args[index]])))
}

const unread = (bytes: number) => ({
  ...{ kind: 'note', code: 'unreadBytes' },
  values: [{ kind: 'number', number: String(bytes) }],
})

/** The bytes of arguments of the type `bytes`, wherever they stand. */
function bytesIn(inputs: AbiFunction['inputs'], values: readonly unknown[]): number {
  return inputs.reduce((sum, input, index) => sum + bytesOfValue(input, values[index]), 0)
}

function bytesOfValue(input: AbiFunction['inputs'][number], value: unknown): number {
  if (Array.isArray(value)) {
    const item = { ...input, type: input.type.replace(/\[\]$/, '') }
    return value.reduce((sum, one) => sum + bytesOfValue(item, one), 0)
  }
  if ('components' in input) {
    return bytesIn(
      input.components,
      input.components.map(({ name = '' }) => (value as Readonly<Record<string, unknown>>)[name]),
    )
  }
  return input.type === 'bytes' ? String(value).length / 2 - 1 : 0
}

for (const [contractName, abi] of Object.entries<Abi>(calledContracts)) {
  const contract = getAddress(`0x${Buffer.from(contractName.padEnd(20)).toString('hex')}`)
  await done('create_smart_contract_interface', {
    ...{ smartContractAddress: contract, label: contractName, type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM' },
    smartContractInterface: JSON.stringify(abi),
  })
  const functions = abi.filter((entry) => entry.type === 'function')
  for (const declared of functions) {
    const signature = `${declared.name}(${declared.inputs.map(({ type }) => type).join(',')})`
    const encode = (values: readonly unknown[]) =>
      new Interface(JSON.stringify([declared])).encodeFunctionData(declared.name, values) as Hex
    const values = fc.tuple(...declared.inputs.map(valueOfType))

    test(`${contractName}: ${signature} is signed as it is shown`, async () => {
      await fc.assert(
        fc.asyncProperty(values, async (given) => {
          const { call, explanation, signedData } = await signedCall(contract, encode(given))
          expect(plain(memberOf(call, 'function'))).toBe(declared.name)
          expect(plain(memberOf(call, 'selector'))).toBe(toFunctionSelector(declared))
          expect(comparable(plain(memberOf(claimOf(call), 'arguments')) ?? {})).toEqual(decoded(declared, signedData))
          const warnings = warningsOf(explanation)
          expect(warnings.includes('innerBytes')).toBe(bytesIn(declared.inputs, given) > 0)
          expect(warnings).not.toContain('unreadBytes')
          expect(warnings).not.toContain('otherNames')
        }),
        { numRuns },
      )
    })

    test(`${contractName}: ${signature} with other bytes is shown otherwise, or as what is not read`, async () => {
      await fc.assert(
        fc.asyncProperty(values, fc.nat(), fc.integer({ min: 1, max: 255 }), async (given, at, difference) => {
          const data = encode(given)
          const tail = await signedCall(contract, `${data}00c0ffee`)
          expect(tail.explanation.title.warnings).toContainEqual(unread(4))
          const place = 10 + 2 * (at % Math.max(1, data.length / 2 - 5))
          const byte = Number.parseInt(data.slice(place, place + 2) || '00', 16) ^ difference
          const changed = `${data.slice(0, place)}${byte.toString(16).padStart(2, '0')}${data.slice(place + 2)}`
          for (const mutant of [changed, data.slice(0, -2)]) {
            const { call, explanation, signedData } = await signedCall(contract, mutant)
            const shown = memberOf(claimOf(call), 'arguments')
            if (shown?.kind === 'note' || shown === undefined) {
              expect(warningsOf(explanation)).toContain('unreadBytes')
            } else {
              expect(comparable(plain(shown))).toEqual(decoded(declared, signedData))
            }
          }
        }),
        { numRuns },
      )
    })
  }
}

test('the calls in a multicall are those that viem decodes, and one that no interface knows is not read', async () => {
  const abi = calledContracts.router
  const contract = getAddress(`0x${Buffer.from('router'.padEnd(20)).toString('hex')}`)
  const router = new Interface(abi)
  const unwrap = abi[2]
  await fc.assert(
    fc.asyncProperty(fc.tuple(...unwrap.inputs.map(valueOfType)), async (given) => {
      const inner = [router.encodeFunctionData('unwrapWETH9', given), router.encodeFunctionData('refundETH', [])]
      const { call, explanation, signedData } = await signedCall(
        contract,
        router.encodeFunctionData('multicall(bytes[])', [inner]),
      )
      const [first = '0x', second = '0x'] = decodeFunctionData({ abi: [abi[0]], data: signedData }).args[0]
      const shown = memberOf(call, 'calls')
      const calls = shown?.kind === 'list' ? shown.items : []
      expect(calls.map((one) => plain(memberOf(one, 'function')))).toEqual(
        [first, second].map((data) => decodeFunctionData({ abi, data }).functionName),
      )
      expect(comparable(plain(memberOf(calls[0], 'arguments')))).toEqual(decoded(unwrap, first))
      expect(warningsOf(explanation)).toEqual([
        ...['callsInside', 'callsInside'],
        ...(given[0] === maxUint256 ? ['unlimited'] : []),
      ])
      const unknown = await signedCall(contract, router.encodeFunctionData('multicall(bytes[])', [['0xdeadbeef']]))
      expect(warningsOf(unknown.explanation)).toEqual(['callsInside', 'innerBytes'])
    }),
    { numRuns },
  )
})

/** Parameters as viem takes them, with our names: the types are those of the text that is hashed. */
function named(inputs: readonly AbiParameter[], parameters: KnownFunction['parameters']): readonly AbiParameter[] {
  return inputs.map((input, index) => {
    const { name, type } = parameters[index] ?? { name: '', type: undefined }
    const of = type?.kind === 'array' ? type.element : type
    if (!('components' in input) || of?.kind !== 'tuple') return { ...input, name }
    return { ...input, name, components: named(input.components, of.components) }
  })
}

const anywhere = getAddress(`0x${'c7'.repeat(20)}`)

test.for([...knownFunctions].map(([selector, known]) => ({ selector, known, signature: hashedText(known) })))(
  '$signature is shown as viem decodes it without an interface, and no changed byte and no tail is silent',
  async ({ selector, known, signature }) => {
    const parsed = parseAbiItem(`function ${signature}`) as AbiFunction
    const declared = { ...parsed, inputs: named(parsed.inputs, known.parameters) }
    expect(toFunctionSelector(declared)).toBe(`0x${selector}`)
    const values = fc.tuple(...declared.inputs.map(valueOfType))
    await fc.assert(
      fc.asyncProperty(values, fc.nat(), fc.integer({ min: 1, max: 255 }), async (given, at, difference) => {
        const data = encodeFunctionData({ abi: [declared], args: given })
        /** The title and the call as they are shown, with the arguments of a token's function beside it. */
        const shownOf = async (changed: string) => {
          const { call, explanation, signedData } = await signedCall(anywhere, changed)
          const warnings = warningsOf(explanation)
          const unreadCodes = warnings.filter((code) => ['unreadBytes', 'unreadable', 'beyondLimit'].includes(code))
          const shown = memberOf(call, 'arguments') ?? valuesAt(explanation, 'calls', 'asToken')[0] ?? call
          if (shown?.kind === 'tree' && (changed === data || unreadCodes.length === 0)) {
            expect(comparable(plain(shown))).toMatchObject(decoded(declared, signedData) as object)
          } else expect(unreadCodes).not.toEqual([])
          return { call, shown, title: explanation.title }
        }
        const whole = await shownOf(data)
        expect(plain(memberOf(whole.call, 'function'))).toBe(known.name)
        const tail = await shownOf(`${data}00c0ffee`)
        expect(tail.title.warnings).toContainEqual(unread(4))
        if (data.length === 10) return
        const place = 10 + 2 * (at % (data.length / 2 - 5))
        const byte = Number.parseInt(data.slice(place, place + 2), 16) ^ difference
        const other = await shownOf(
          `${data.slice(0, place)}${byte.toString(16).padStart(2, '0')}${data.slice(place + 2)}`,
        )
        expect(other).not.toEqual(whole)
      }),
      { numRuns: Math.ceil(generatedRuns / 100) },
    )
  },
)
