import { beginCell, type Cell } from '@ton/core'
import { WalletContractV3R2, WalletContractV4, WalletContractV5R1 } from '@ton/ton'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type TonCell, tonAddress, tonCell, tonWallets } from './ton.ts'

const contracts = { V3R2: WalletContractV3R2, V4R2: WalletContractV4, V5R1: WalletContractV5R1 } as const

describe.each(['V3R2', 'V4R2', 'V5R1'] as const)('%s', (wallet) => {
  const contractOf = (publicKey: Uint8Array) =>
    contracts[wallet].create({ workchain: 0, publicKey: Buffer.from(publicKey) })

  test('its code is that of @ton/ton', () => {
    const { code } = contractOf(new Uint8Array(32)).init
    expect(tonWallets[wallet].code).toEqual({ hash: new Uint8Array(code.hash()), depth: code.depth() })
  })

  test('it begins with the data of @ton/ton, and so has the same address', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (publicKey) => {
        const { address, init } = contractOf(publicKey)
        const bits = Array.from(publicKey, (byte) => byte.toString(2).padStart(8, '0')).join('')
        expect(tonCell(tonWallets[wallet].dataBits(bits))).toEqual(summaryOf(init.data))
        expect(tonAddress(wallet, publicKey)).toBe(address.toString({ bounceable: false, urlSafe: true }))
      }),
    )
  })

  test('a key of another length is a bug', () => {
    expect(() => tonAddress(wallet, new Uint8Array(33))).toThrow('an Ed25519 public key')
  })
})

describe('a cell', () => {
  type Tree = { readonly bits: string; readonly references: readonly Tree[] }
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.record({
      bits: fc.string({ unit: fc.constantFrom('0', '1'), maxLength: 1023, size: 'medium' }),
      references: fc.oneof({ maxDepth: 3 }, fc.constant([]), fc.array(tie('tree'), { maxLength: 4 })),
    }),
  }))
  const ours = ({ bits, references }: Tree): TonCell => tonCell(bits, references.map(ours))
  const theirs = ({ bits, references }: Tree): Cell => {
    const cell = beginCell()
    for (const bit of bits) cell.storeBit(bit === '1')
    for (const reference of references) cell.storeRef(theirs(reference))
    return cell.endCell()
  }

  test('of any bits and references has the hash and the depth of @ton/core', () => {
    fc.assert(
      fc.property(tree, (given) => {
        expect(ours(given)).toEqual(summaryOf(theirs(given)))
      }),
    )
  })

  test.each([0, 1, 7, 8, 9, 1015, 1016, 1022, 1023])('of %d bits is no other', (length) => {
    const given = { bits: '1'.repeat(length), references: [] }
    expect(ours(given)).toEqual(summaryOf(theirs(given)))
  })

  test('of 1024 bits or 5 references is a bug', () => {
    expect(() => tonCell('0'.repeat(1024))).toThrow('at most 1023 bits')
    expect(() => tonCell('', Array(5).fill(tonCell('')))).toThrow('4 references')
  })
})

function summaryOf(cell: Cell): TonCell {
  return { hash: new Uint8Array(cell.hash()), depth: cell.depth() }
}
