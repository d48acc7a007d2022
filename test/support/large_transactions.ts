import { createHash, randomBytes } from 'node:crypto'
import { serializeTransaction, toHex } from 'viem'
import { encodeRlp } from '../../src/protocol/chains/rlp.ts'

/** Transactions whose lists are as long as a body has room for, in hex. */

const repeated = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const none = Buffer.alloc(0)

/** One input whose previous transaction has very many outputs. */
export function psbtOfLargePrevious(script: Uint8Array, outputs: number): string {
  const others = repeated(outputs, () => ({ amount: 0n, script: none }))
  const previous = bitcoinTransaction(randomBytes(32), [{ amount: 1_000n, script }, ...others])
  const once = createHash('sha256').update(previous).digest()
  const id = createHash('sha256').update(once).digest()
  return psbtOf(bitcoinTransaction(id, [{ amount: 900n, script }]), [entry(Buffer.of(0), previous)])
}

export function psbtOfManyOutputs(outputs: number): string {
  const unsigned = bitcoinTransaction(
    randomBytes(32),
    repeated(outputs, () => ({ amount: 0n, script: none })),
  )
  return psbtOf(unsigned, [])
}

/** One input with so many entries that no standard knows. */
export function psbtOfManyEntries(script: Uint8Array, entries: number): string {
  const unsigned = bitcoinTransaction(randomBytes(32), [{ amount: 900n, script }])
  const spent = entry(Buffer.of(1), bitcoinOutput({ amount: 1_000n, script }))
  const unknown = repeated(entries, (index) => entry(Buffer.concat([Buffer.of(0xfc), little(index, 3)]), none))
  return psbtOf(unsigned, [spent, ...unknown])
}

/** The bytes that are hashed for an input before segregated witness. */
export function legacyPreimage(outputs: number): string {
  const unsigned = bitcoinTransaction(
    randomBytes(32),
    repeated(outputs, () => ({ amount: 1n, script: none })),
  )
  return Buffer.concat([unsigned, little(1, 4)]).toString('hex')
}

export function longAccessList(addresses: number, keys = 0): string {
  const storageKeys = repeated(keys, (index) => toHex(index, { size: 32 }))
  const accessList = repeated(addresses, (index) => ({ address: toHex(index, { size: 20 }), storageKeys }))
  return serializeTransaction({ type: 'eip1559', chainId: 1, accessList }).slice(2)
}

export function manyAuthorizations(count: number): string {
  const one = Buffer.of(1)
  return ethereum(4, [repeated(count, () => [one, Buffer.alloc(20, 0xcd), none, none, none, none])])
}

export function manyBlobs(count: number): string {
  return ethereum(3, [Buffer.of(1), repeated(count, () => Buffer.concat([Buffer.of(1), randomBytes(31)]))])
}

function ethereum(type: number, last: Parameters<typeof encodeRlp>[0][]): string {
  const one = Buffer.of(1)
  const fields = [one, none, one, one, Buffer.of(0x52, 0x08), Buffer.alloc(20, 0xab), none, none, [], ...last]
  return Buffer.concat([Buffer.of(type), encodeRlp(fields)]).toString('hex')
}

/** A change of Tron's permissions. `keys`: of each active permission. */
export function tronPermissions(owner: Uint8Array, actives: number, keys: number): string {
  const key = field(1, owner)
  const active = Buffer.concat([number(1, 2), ...repeated(keys, () => field(7, Buffer.concat([key, number(2, 1)])))])
  const content = Buffer.concat([field(1, owner), ...repeated(actives, () => field(4, active))])
  const url = Buffer.from('type.googleapis.com/protocol.AccountPermissionUpdateContract')
  const contract = Buffer.concat([number(1, 46), field(2, Buffer.concat([field(1, url), field(2, content)]))])
  return Buffer.concat([field(1, Buffer.of(1, 2)), number(8, 1), field(11, contract), number(14, 1)]).toString('hex')
}

function psbtOf(unsigned: Uint8Array, input: readonly Uint8Array[]): string {
  const end = Buffer.of(0)
  return Buffer.concat([Buffer.from('psbt\xff', 'latin1'), entry(end, unsigned), end, ...input, end, end]).toString(
    'hex',
  )
}

type Output = { readonly amount: bigint; readonly script: Uint8Array }

function bitcoinTransaction(spends: Uint8Array, outputs: readonly Output[]): Buffer {
  const input = Buffer.concat([Buffer.of(1), spends, little(0, 4), Buffer.of(0), little(0xffffffff, 4)])
  return Buffer.concat([little(2, 4), input, size(outputs.length), ...outputs.map(bitcoinOutput), little(0, 4)])
}

function bitcoinOutput({ amount, script }: Output): Buffer {
  return Buffer.concat([little(Number(amount), 6), little(0, 2), size(script.length), script])
}

function entry(key: Uint8Array, value: Uint8Array): Buffer {
  return Buffer.concat([size(key.length), key, size(value.length), value])
}

function size(count: number): Buffer {
  if (count < 0xfd) return Buffer.of(count)
  return count <= 0xffff
    ? Buffer.concat([Buffer.of(0xfd), little(count, 2)])
    : Buffer.concat([Buffer.of(0xfe), little(count, 4)])
}

function little(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntLE(value, 0, bytes)
  return buffer
}

function field(at: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of((at << 3) | 2), varint(bytes.length), bytes])
}

function number(at: number, value: number): Buffer {
  return Buffer.concat([Buffer.of(at << 3), varint(value)])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.of(...bytes, rest)
}
