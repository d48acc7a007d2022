import { toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { finished, oneStep } from '../../../protocol/tools/steps.ts'
import { selectorsOfFunctions } from './ethereum_selectors.ts'

const selectorsOf = (abi: string, signaturesOf: () => readonly string[]) =>
  finished(
    selectorsOfFunctions(
      abi,
      () => oneStep(signaturesOf),
      (signature) => signature,
    ),
  )

const transfer = 'transfer(address,uint256)'
const approve = 'approve(address,uint256)'

test('selectors are those of other libraries, in the order of the ABI', () => {
  const selectors = selectorsOf('ordered', () => [transfer, approve])
  expect([...selectors]).toEqual([transfer, approve].map((signature) => Number(toFunctionSelector(signature))))
})

test('selectors are made once for each text', () => {
  const asked: string[] = []
  const of = (abi: string, signature: string) =>
    selectorsOf(abi, () => {
      asked.push(abi)
      return [signature]
    })
  const first = of('first', transfer)
  const second = of('second', approve)
  expect(second).not.toEqual(first)
  expect(of('first', transfer)).toEqual(first)
  expect(of('second', approve)).toEqual(second)
  expect(asked).toEqual(['first', 'second'])
})
