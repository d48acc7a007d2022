import { hexToBytes } from '@noble/hashes/utils.js'
import { type AbiParameter, readAbiArguments } from '../../../policy/contracts/ethereum/abi_values.ts'
import type { Struct } from '../../../policy/language/values.ts'
import { uint256Max } from '../../../policy/transactions/ethereum/ethereum_fields.ts'
import type { Asset } from '../../../policy/velocity/assets.ts'
import { transfersOf } from '../../../policy/velocity/transfers.ts'
import type { Value } from '../explanation.ts'
import { code, note, tree } from '../values.ts'
import { tokenAmount } from './coins.ts'

/** A call of a token's contract in the terms of ERC-20 or TRC-20, which read it from the selector alone. */
export type TokenCall = {
  readonly code: 'transfer' | 'transferFrom' | 'approve'
  readonly amount: Value
  readonly to: Value
  readonly shown: Value
}

const addressParameter = (name: string): AbiParameter => ({ name, type: { kind: 'address' } })
const amountParameter: AbiParameter = { name: 'amount', type: { kind: 'integer', signed: false, bits: 256 } }

type TokenFunction = {
  readonly code: TokenCall['code']
  readonly parameters: readonly AbiParameter[]
  readonly isTokenId: boolean
}

/** By selector. `isTokenId`: ERC-721 has a function with this selector, whose number names a token. */
const tokenFunctions: ReadonlyMap<string, TokenFunction> = new Map([
  ['a9059cbb', { code: 'transfer', parameters: [addressParameter('to'), amountParameter], isTokenId: false }],
  [
    '23b872dd',
    {
      code: 'transferFrom',
      parameters: [addressParameter('from'), addressParameter('to'), amountParameter],
      isTokenId: true,
    },
  ],
  ['095ea7b3', { code: 'approve', parameters: [addressParameter('spender'), amountParameter], isTokenId: true }],
])

type Called = {
  readonly facts: Struct
  /** The called contract, as transactions name it. */
  readonly contract: string
  /** In hex, without `0x`. */
  readonly data: string
  readonly chain: Pick<Asset, 'namespace' | 'reference'>
  /** Shows an address of the chain, from 20 bytes as `0x` and hex, or as transactions name it. */
  readonly addressOf: (given: string) => Value
}

/**
 * Returns a call of a token. Undefined if the selector is none of a token's, or if the arguments are not encoded as
 * Solidity encodes them. A moved amount is the one that velocity controls count.
 */
export function tokenCallOf({ facts, contract, data, chain, addressOf }: Called): TokenCall | undefined {
  const called = tokenFunctions.get(data.slice(0, 8))
  if (called === undefined) return undefined
  const given = readAbiArguments(hexToBytes(data.slice(8)), called.parameters)
  const read = given?.get('amount')
  if (given === undefined || typeof read !== 'bigint') return undefined
  const asset = { ...chain, token: contract }
  const [moved] = transfersOf({ facts: () => facts, ownScripts: () => new Set() }, [asset]) ?? []
  const token = addressOf(contract)
  const amount = tokenAmount(
    called.code === 'approve' ? read : (moved?.amount ?? read),
    token.kind === 'address' ? token.address : contract,
  )
  const addressAt = (name: string) => {
    const found = given.get(name)
    return typeof found === 'string' ? addressOf(found) : undefined
  }
  const to = addressAt('to') ?? addressAt('spender') ?? note('unreadable')
  const shown = tree({
    function: code(called.code),
    token,
    from: addressAt('from'),
    to: addressAt('to'),
    spender: addressAt('spender'),
    amount,
    unlimited: called.code === 'approve' && read === uint256Max ? note('unlimited') : undefined,
    readAs: called.isTokenId ? note('amountOrTokenId') : undefined,
  })
  return { code: called.code, amount, to, shown }
}
