import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { TronWeb } from 'tronweb'
import { describe, expect, test } from 'vitest'
import { failureOf } from '../../../../test/support/failures.ts'
import { bytesField } from './protobuf.ts'
import { parseTronTransaction, serializeSignedTron, tronBytesMax } from './tron_transaction.ts'

const address = Uint8Array.of(0x41, ...new Uint8Array(20).fill(0xab))
const text = (value: string) => new TextEncoder().encode(value)
const number = (field: number, value: number) => Uint8Array.of(field << 3, value)
const any = (name: string, content: Uint8Array) =>
  bytesField(2, concatBytes(bytesField(1, text(`type.googleapis.com/protocol.${name}`)), bytesField(2, content)))
const contract = (...parts: readonly Uint8Array[]) => bytesField(11, concatBytes(...parts))

const transfer = concatBytes(bytesField(1, address), bytesField(2, address), number(3, 5))
const content = (bytes: Uint8Array) => contract(number(1, 1), any('TransferContract', bytes))
const block = concatBytes(bytesField(1, Uint8Array.of(1, 2)), bytesField(4, new Uint8Array(8)))

test('reads a transfer, with the defaults of what is absent', () => {
  expect(parseTronTransaction(concatBytes(block, content(transfer))).struct).toEqual({
    ref_block_bytes: '0102',
    ref_block_hash: '0000000000000000',
    data: '',
    expiration: 0n,
    timestamp: 0n,
    fee_limit: 0n,
    contract: [
      {
        type: 'TransferContract',
        permission_id: 0n,
        owner_address: TronWeb.address.fromHex(`41${'ab'.repeat(20)}`),
        to_address: TronWeb.address.fromHex(`41${'ab'.repeat(20)}`),
        amount: 5n,
      },
    ],
  })
})

test('reads and serializes as many bytes as a node takes', () => {
  const called = concatBytes(
    bytesField(1, address),
    bytesField(2, address),
    bytesField(4, new Uint8Array(tronBytesMax - 200)),
  )
  const rawData = concatBytes(block, contract(number(1, 31), any('TriggerSmartContract', called)))
  expect(rawData.length).toBeLessThanOrEqual(tronBytesMax)
  const signed = serializeSignedTron(parseTronTransaction(rawData), {
    r: '11'.repeat(32),
    s: '22'.repeat(32),
    recoveryId: 1,
  })
  const lengthOf = [rawData.length & 0x7f, (rawData.length >> 7) & 0x7f, rawData.length >> 14]
  const head = Uint8Array.of(0x0a, Number(lengthOf[0]) | 0x80, Number(lengthOf[1]) | 0x80, Number(lengthOf[2]))
  const signature = hexToBytes(`1241${'11'.repeat(32)}${'22'.repeat(32)}1c`)
  expect(Buffer.compare(signed, concatBytes(head, rawData, signature))).toBe(0)
})

const negative = Uint8Array.of(3 << 3, ...new Uint8Array(9).fill(0xff), 1)

describe('refuses', () => {
  for (const [what, bytes, reason] of [
    ['nothing', new Uint8Array(), 'must have one contract'],
    ['no contract', block, 'must have one contract'],
    ['two contracts', concatBytes(content(transfer), content(transfer)), 'must have one contract'],
    ['more than a node takes', new Uint8Array(tronBytesMax + 1), 'is longer than 512000 bytes'],
    ['a field that is not known', concatBytes(block, number(2, 1)), 'raw_data has a field 2'],
    ['a field of authorities', concatBytes(block, bytesField(9, address)), 'raw_data has a field 9'],
    ['fields in another order', concatBytes(content(transfer), block), 'not in ascending order'],
    ['a field twice', concatBytes(bytesField(1, address), bytesField(1, address)), 'not in ascending order'],
    ['bytes that are a number', number(1, 5), 'ref_block_bytes of raw_data has another type'],
    ['a number that is bytes', bytesField(8, address), 'expiration of raw_data has another type'],
    ['a zero that is written', number(8, 0), 'expiration of raw_data is zero'],
    ['bytes that are written and empty', bytesField(1, new Uint8Array()), 'ref_block_bytes of raw_data is empty'],
    ['a longer form of a number', Uint8Array.of(8 << 3, 0x81, 0), 'not in its shortest form'],
    ['a number above 63 bits', Uint8Array.of(8 << 3, ...new Uint8Array(10).fill(0xff), 1), 'above 2^63 - 1'],
    ['an amount below zero', content(concatBytes(transfer.subarray(0, -2), negative)), 'below zero'],
    ['bytes that end early', Uint8Array.of((1 << 3) | 2, 5, 1), 'ends early, in ref_block_bytes of raw_data'],
    ['a transfer without recipient', content(bytesField(1, address)), 'TransferContract has no to_address'],
    [
      'an address of another chain',
      content(concatBytes(bytesField(1, address), bytesField(2, address.with(0, 0xa0)))),
      'to_address of TransferContract must be an address',
    ],
    [
      'an address of 20 bytes',
      content(bytesField(1, address.subarray(1))),
      'owner_address of TransferContract must be',
    ],
    ['a field that its contract does not have', content(concatBytes(transfer, number(4, 1))), 'has a field 4'],
    ['another type within', contract(number(1, 1), any('TransferAssetContract', transfer)), 'are not the same'],
    ['a contract without content', contract(number(1, 1)), 'are not the same'],
    [
      'a resource that is not known',
      contract(number(1, 54), any('FreezeBalanceV2Contract', concatBytes(bytesField(1, address), number(3, 3)))),
      'resource of FreezeBalanceV2Contract has a value that is not known',
    ],
    [
      'a lock of two',
      contract(
        number(1, 57),
        any('DelegateResourceContract', concatBytes(bytesField(1, address), bytesField(4, address), number(5, 2))),
      ),
      'lock of DelegateResourceContract has a value that is not known',
    ],
    [
      'a name that is not UTF-8',
      contract(
        number(1, 46),
        any(
          'AccountPermissionUpdateContract',
          concatBytes(bytesField(1, address), bytesField(2, bytesField(3, Uint8Array.of(0xff)))),
        ),
      ),
      'must be UTF-8',
    ],
    [
      'more permissions than there can be',
      contract(
        number(1, 46),
        any(
          'AccountPermissionUpdateContract',
          concatBytes(bytesField(1, address), ...Array.from({ length: 101 }, () => hexToBytes('2200'))),
        ),
      ),
      'has more than 100 items in its lists',
    ],
    [
      'more keys than there can be, in permissions of which each has few',
      contract(
        number(1, 46),
        any(
          'AccountPermissionUpdateContract',
          concatBytes(
            bytesField(1, address),
            ...Array.from({ length: 11 }, () => {
              const key = bytesField(7, concatBytes(bytesField(1, address), number(2, 1)))
              return bytesField(4, concatBytes(number(1, 2), ...Array.from({ length: 9 }, () => key)))
            }),
          ),
        ),
      ),
      'has more than 100 items in its lists',
    ],
  ] as const) {
    test(what, () => {
      const failure = failureOf(() => parseTronTransaction(bytes))
      expect(failure.code).toBe('TRANSACTION_INVALID')
      expect(failure.fieldPath).toBe('parameters.unsignedTransaction')
      expect(failure.message).toContain(reason)
    })
  }

  for (const [what, type] of [
    ['a contract that makes an account', []],
    ['a transfer of TRC-10 tokens', [number(1, 2)]],
    ['a vote', [number(1, 4)]],
    ['a contract that is created', [number(1, 30)]],
  ] as const) {
    test(`${what}, and names what is signed`, () => {
      const failure = failureOf(() => parseTronTransaction(contract(...type)))
      expect(failure.code).toBe('TRANSACTION_TYPE_UNSUPPORTED')
      expect(failure.message).toContain('those are: TransferContract, TriggerSmartContract')
    })
  }
})
