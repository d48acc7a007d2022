import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createVaultState, openVaultState } from './master_seed.ts'
import { keyFileUnsealer, UnsealError } from './unsealer.ts'

const unsealer = newUnsealer()
const state = await createVaultState(unsealer, () => Uint8Array.from({ length: 32 }, (_, index) => index))
const otherState = await createVaultState(unsealer, () => new Uint8Array(32).fill(7))

test('a new state holds one seed, which is the current one', async () => {
  const { current, seeds } = await openVaultState(unsealer, state)
  expect(current).toBe(1)
  expect([...seeds.keys()]).toEqual([1])
  expect(seeds.get(1)?.reveal()).toEqual(Uint8Array.from({ length: 32 }, (_, index) => index))
})

test('the new seed is zeroed', async () => {
  const seed = new Uint8Array(randomBytes(32))
  await createVaultState(unsealer, () => seed)
  expect(seed).toEqual(new Uint8Array(32))
})

test('another key does not open it', async () => {
  const other = newUnsealer()
  await createVaultState(other, (size) => new Uint8Array(randomBytes(size)))
  await expect(openVaultState(other, state)).rejects.toBeInstanceOf(UnsealError)
})

describe('a state of several generations', () => {
  const one = rowOf(state)
  const two = rowOf(otherState)

  test('is refused if the first one stands in the place of the second', async () => {
    const swapped = { version: 1, generations: [one, { ...two, generation: 2 }] }
    await expect(openVaultState(unsealer, encoded(swapped))).rejects.toThrow('master seed 2 is not the one')
  })

  test('is refused if a seed does not match its check value', async () => {
    const mixed = { version: 1, generations: [{ ...one, wrapped: two.wrapped }] }
    await expect(openVaultState(unsealer, encoded(mixed))).rejects.toThrow('master seed 1 is not the one')
  })
})

describe('a damaged state is an UnsealError', () => {
  const row = rowOf(state)
  for (const [name, damaged] of [
    ['empty', new Uint8Array()],
    ['not UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
    ['not JSON', Buffer.from('{')],
    ['no object', encoded('state')],
    ['null', encoded(null)],
    ['of another version', encoded({ version: 2, generations: [row] })],
    ['with another member', encoded({ version: 1, generations: [row], more: 1 })],
    ['of no generation', encoded({ version: 1, generations: [] })],
    ['of 65 generations', encoded({ version: 1, generations: Array(65).fill(row) })],
    ['numbered from 0', encoded({ version: 1, generations: [{ ...row, generation: 0 }] })],
    ['numbered from 2', encoded({ version: 1, generations: [{ ...row, generation: 2 }] })],
    ['numbered twice', encoded({ version: 1, generations: [row, row] })],
    ['with a generation without a check', encoded({ version: 1, generations: [{ ...row, keyCheck: undefined }] })],
    ['with a short check', encoded({ version: 1, generations: [{ ...row, keyCheck: 'AAAA' }] })],
    ['with a wrapped seed that is not base64url', encoded({ version: 1, generations: [{ ...row, wrapped: 'a+b=' }] })],
    ['larger than 64 KiB', encoded({ version: 1, generations: [{ ...row, wrapped: 'A'.repeat(70_000) }] })],
  ] as const) {
    test(name, async () => {
      await expect(openVaultState(unsealer, damaged)).rejects.toBeInstanceOf(UnsealError)
    })
  }

  test('whichever byte is changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(state.length - 1), fc.integer({ min: 1, max: 255 }), async (index, difference) => {
        const changed = Uint8Array.from(state)
        changed[index] = (changed[index] ?? 0) ^ difference
        await expect(openVaultState(unsealer, changed)).rejects.toBeInstanceOf(UnsealError)
      }),
    )
  })
})

function newUnsealer() {
  return keyFileUnsealer({ path: join(mkdtempSync(join(tmpdir(), 'claviger-seed-')), 'root.key'), create: true })
}

function rowOf(encodedState: Uint8Array): { generation: number; wrapped: string; keyCheck: string } {
  return JSON.parse(Buffer.from(encodedState).toString()).generations[0]
}

function encoded(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}
