import fc from 'fast-check'
import { type AbiParameter, encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem'

/** A call as viem encodes it: `transfer(address,uint256)` with these arguments. */
export function encodedCall(declaration: string, args: readonly unknown[]): Hex {
  const functions: readonly string[] = [`function ${declaration}`]
  return encodeFunctionData({ abi: parseAbi(functions), args } as never)
}

/** Contracts that organizations really call, as their makers publish them. */
export const calledContracts = {
  token: parseAbi([
    'function transfer(address to, uint256 amount) returns (bool)',
    'function approve(address spender, uint256 amount) returns (bool)',
    'function transferFrom(address from, address to, uint256 amount) returns (bool)',
    'function increaseAllowance(address spender, uint256 addedValue) returns (bool)',
    'function decreaseAllowance(address spender, uint256 subtractedValue) returns (bool)',
    'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
    'function setApprovalForAll(address operator, bool approved)',
    'function safeTransferFrom(address from, address to, uint256 tokenId)',
    'function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)',
    'function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)',
    'function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)',
  ]),
  safe: parseAbi([
    'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool)',
    'function addOwnerWithThreshold(address owner, uint256 _threshold)',
  ]),
  seaport: parseAbi([
    'struct OfferItem { uint8 itemType; address token; uint256 identifierOrCriteria; uint256 startAmount; uint256 endAmount; }',
    'struct ConsiderationItem { uint8 itemType; address token; uint256 identifierOrCriteria; uint256 startAmount; uint256 endAmount; address recipient; }',
    'struct OrderParameters { address offerer; address zone; OfferItem[] offer; ConsiderationItem[] consideration; uint8 orderType; uint256 startTime; uint256 endTime; bytes32 zoneHash; uint256 salt; bytes32 conduitKey; uint256 totalOriginalConsiderationItems; }',
    'struct Order { OrderParameters parameters; bytes signature; }',
    'struct AdvancedOrder { OrderParameters parameters; uint120 numerator; uint120 denominator; bytes signature; bytes extraData; }',
    'struct CriteriaResolver { uint256 orderIndex; uint8 side; uint256 index; uint256 identifier; bytes32[] criteriaProof; }',
    'function fulfillOrder(Order order, bytes32 fulfillerConduitKey) payable returns (bool)',
    'function fulfillAdvancedOrder(AdvancedOrder advancedOrder, CriteriaResolver[] criteriaResolvers, bytes32 fulfillerConduitKey, address recipient) payable returns (bool)',
  ]),
  entryPoint: parseAbi([
    'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
    'function handleOps(PackedUserOperation[] ops, address beneficiary)',
    'function depositTo(address account) payable',
  ]),
  permit2: parseAbi([
    'struct PermitDetails { address token; uint160 amount; uint48 expiration; uint48 nonce; }',
    'struct PermitSingle { PermitDetails details; address spender; uint256 sigDeadline; }',
    'function approve(address token, address spender, uint160 amount, uint48 expiration)',
    'function permit(address owner, PermitSingle permitSingle, bytes signature)',
    'function transferFrom(address from, address to, uint160 amount, address token)',
  ]),
  router: parseAbi([
    'function multicall(bytes[] data) payable returns (bytes[])',
    'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])',
    'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
    'function refundETH() payable',
  ]),
} as const

const bytesOf = (min: number, max = min) =>
  fc.uint8Array({ minLength: min, maxLength: max }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)

/** A value of an ABI type, as viem and ethers take it. */
export function valueOfType(parameter: AbiParameter): fc.Arbitrary<unknown> {
  const { type } = parameter
  const item = /^(.*)\[\]$/.exec(type)?.[1]
  if (item !== undefined) return fc.array(valueOfType({ ...parameter, type: item }), { maxLength: 3 })
  if ('components' in parameter) {
    return fc.record(Object.fromEntries(parameter.components.map((one) => [String(one.name), valueOfType(one)])))
  }
  const size = Number(type.replace(/[a-z]+/, ''))
  if (type === 'address') return bytesOf(20).map((address) => getAddress(address))
  if (type === 'bool') return fc.boolean()
  if (type === 'string') return fc.string({ maxLength: 100 }).map((text) => `a ${text}`)
  if (type === 'bytes') return bytesOf(0, 200)
  if (type.startsWith('bytes')) return bytesOf(size)
  if (type.startsWith('int')) return fc.bigInt(-(2n ** BigInt(size - 1)), 2n ** BigInt(size - 1) - 1n)
  const max = 2n ** BigInt(size) - 1n
  return fc.oneof({ weight: 9, arbitrary: fc.bigInt(0n, max) }, { weight: 1, arbitrary: fc.constant(max) })
}

/** Values as decoders write them: small integers are numbers there, addresses have the capitals of their checksum. */
export function comparable(value: unknown): unknown {
  if (typeof value === 'number') return BigInt(value)
  if (typeof value === 'string') return value.toLowerCase()
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, comparable(member)]))
}
