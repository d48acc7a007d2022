import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { TronWeb, utils } from 'tronweb'
import { describe, expect, test } from 'vitest'
import { unlessRefused } from '../../../../test/support/failures.ts'
import { generatedRuns } from '../../../../test/support/generated_runs.ts'
import { finished } from '../../../protocol/tools/steps.ts'
import type { Value } from '../../language/expression_values.ts'
import { transactionKinds } from '../transaction_kinds.ts'
import { parseTronTransaction } from './tron_transaction.ts'

const privateKey = new Uint8Array(32).fill(0x46)
const publicKey = secp256k1.getPublicKey(privateKey)
const owner = String(TronWeb.address.fromPrivateKey(bytesToHex(privateKey)))
const kind = transactionKinds.TRANSACTION_TYPE_TRON
const signer = {
  curve: 'CURVE_SECP256K1',
  addressFormat: 'ADDRESS_FORMAT_TRON',
  scheme: 'default',
  publicKey,
} as const

const hexOf = (min: number, max: number) => fc.uint8Array({ minLength: min, maxLength: max }).map(bytesToHex)
const address = hexOf(20, 20).map((hash) => TronWeb.address.fromHex(`41${hash}`))
const amount = fc.oneof(fc.constant(0), fc.maxSafeNat(), fc.nat(300))
const resource = fc.constantFrom('BANDWIDTH', 'ENERGY')
const permission = fc.record({
  type: fc.constantFrom('Owner', 'Witness', 'Active'),
  id: fc.nat(10),
  permission_name: fc.string({ unit: 'grapheme' }),
  threshold: amount,
  operations: hexOf(0, 32),
  keys: fc.array(fc.record({ address, weight: amount }), { maxLength: 5 }),
})

const contracts = {
  TransferContract: fc.record({ owner_address: address, to_address: address, amount }),
  TriggerSmartContract: fc.record({
    owner_address: address,
    contract_address: address,
    call_value: amount,
    data: hexOf(0, 200),
    call_token_value: amount,
    token_id: amount,
  }),
  DelegateResourceContract: fc.record({
    owner_address: address,
    resource,
    balance: amount,
    receiver_address: address,
    lock: fc.boolean(),
    lock_period: amount,
  }),
  UnDelegateResourceContract: fc.record({
    owner_address: address,
    resource,
    balance: amount,
    receiver_address: address,
  }),
  FreezeBalanceV2Contract: fc.record({ owner_address: address, frozen_balance: amount, resource }),
  UnfreezeBalanceV2Contract: fc.record({ owner_address: address, unfreeze_balance: amount, resource }),
  AccountPermissionUpdateContract: fc.record({
    owner_address: address,
    owner: permission,
    witness: fc.option(permission, { nil: undefined }),
    actives: fc.array(permission, { maxLength: 8 }),
  }),
}
type ContractName = keyof typeof contracts

const raw = fc.record({
  ref_block_bytes: hexOf(2, 2),
  ref_block_hash: hexOf(8, 8),
  expiration: amount,
  timestamp: amount,
  fee_limit: amount,
  data: hexOf(0, 40),
  permissionId: fc.nat(9),
})
type Raw = typeof raw extends fc.Arbitrary<infer T> ? T : never

function bytesOf(name: ContractName, value: object, { permissionId, ...rest }: Raw): Uint8Array {
  const contract = { type: name, parameter: { value, type_url: '' }, Permission_id: permissionId }
  // Its type wants every contract's fields at once.
  const transaction = { visible: false, txID: '', raw_data_hex: '', raw_data: { contract: [contract], ...rest } }
  return hexToBytes(utils.transaction.txPbToRawDataHex(utils.transaction.txJsonToPb(transaction as never)))
}

/** Numbers as bigint, and fields that protobuf leaves out with the default that conditions see. */
function seen(value: unknown): unknown {
  if (typeof value === 'number') return BigInt(value)
  if (Array.isArray(value)) return value.map(seen)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, seen(member)])
  return { ...Object.fromEntries(members), ...('threshold' in value ? { parent_id: 0n } : {}) }
}

for (const name of Object.keys(contracts) as ContractName[]) {
  describe(`generated ${name}`, () => {
    test('has the fields that tronweb wrote, and tronweb recovers the signer', () => {
      fc.assert(
        fc.property(contracts[name] as fc.Arbitrary<object>, raw, (value, rest) => {
          const bytes = bytesOf(name, value, rest)
          const { permissionId, ...common } = rest
          expect(parseTronTransaction(bytes).struct).toEqual({
            ...(seen(common) as object),
            contract: [{ type: name, permission_id: BigInt(permissionId), ...(seen(value) as object) }],
          })

          const transaction = kind && finished(kind.open(bytes, signer))
          const [message] = transaction?.messages ?? []
          expect(message?.message).toEqual(sha256(bytes))
          const signature = secp256k1.sign(message?.message ?? bytes, privateKey, {
            prehash: false,
            format: 'recovered',
          })
          const text = bytesToHex(signature.subarray(1))
          const parts = { r: text.slice(0, 64), s: text.slice(64), v: `0${signature[0]}` }
          const signed = transaction?.serialize([parts]) ?? bytes
          const read = protocol().Transaction.deserializeBinary(signed)
          expect(bytesToHex(read.getRawData().serializeBinary())).toBe(bytesToHex(bytes))
          const [only, another] = read.getSignatureList_asU8()
          expect(another).toBeUndefined()
          const given = utils.crypto.ECKeySign([...sha256(bytes)], [...privateKey])
          expect(bytesToHex(only ?? bytes)).toBe(given.toLowerCase())
          const recovered = utils.crypto.ecRecover(bytesToHex(sha256(bytes)), `0x${bytesToHex(only ?? bytes)}`)
          expect(TronWeb.address.fromHex(recovered)).toBe(owner)
        }),
        { numRuns: generatedRuns },
      )
    })
  })
}

const valid = fc
  .constantFrom(...(Object.keys(contracts) as ContractName[]))
  .chain((name) =>
    fc.tuple(contracts[name] as fc.Arbitrary<object>, raw).map(([value, rest]) => bytesOf(name, value, rest)),
  )

test('bytes that are cut short or extended are refused, except where a field may end or begin', () => {
  fc.assert(
    fc.property(valid, fc.nat(), fc.constantFrom([0], [0xff], [0x0a, 0], [0x98, 0x01, 0x01]), (bytes, cut, more) => {
      const shorter = bytes.subarray(0, cut % bytes.length)
      const parsed = unlessRefused(() => parseTronTransaction(shorter))
      if (parsed !== undefined && !hasLargeNumber(parsed.struct))
        expect(bytesToHex(rewritten(shorter))).toBe(bytesToHex(shorter))
      expect(unlessRefused(() => parseTronTransaction(concatBytes(bytes, Uint8Array.from(more))))).toBeUndefined()
    }),
    { numRuns: generatedRuns },
  )
})

test('throws nothing but Failure, and tronweb writes accepted bytes the same', () => {
  const nearlyValid = fc
    .tuple(valid, fc.nat(), fc.nat(255))
    .map(([bytes, at, byte]) => Uint8Array.from(bytes).with(at % bytes.length, byte))
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), nearlyValid), (bytes) => {
      const parsed = unlessRefused(() => parseTronTransaction(bytes))
      if (parsed === undefined || hasLargeNumber(parsed.struct)) return
      expect(bytesToHex(rewritten(bytes))).toBe(bytesToHex(bytes))
    }),
    { numRuns: 10 * generatedRuns },
  )
})

/** One that tronweb rounds, for it has no integers. */
function hasLargeNumber(value: Value | undefined): boolean {
  if (typeof value === 'bigint') return value > BigInt(Number.MAX_SAFE_INTEGER)
  return typeof value === 'object' && Object.values(value).some(hasLargeNumber)
}

type RawMessage = { readonly serializeBinary: () => Uint8Array; readonly getContractList: () => readonly RawContract[] }
type RawContract = { readonly getParameter: () => { readonly getValue_asU8: () => Uint8Array } }
type Protocol = {
  readonly Transaction: {
    readonly deserializeBinary: (bytes: Uint8Array) => {
      readonly getRawData: () => RawMessage
      readonly getSignatureList_asU8: () => readonly Uint8Array[]
    }
    readonly raw: { readonly deserializeBinary: (bytes: Uint8Array) => RawMessage }
  }
}

/** The generated code that tronweb keeps there for itself. */
function protocol(): Protocol {
  return (globalThis as { readonly TronWebProto?: Protocol }).TronWebProto as Protocol
}

function rewritten(bytes: Uint8Array): Uint8Array {
  return protocol().Transaction.raw.deserializeBinary(bytes).serializeBinary()
}
