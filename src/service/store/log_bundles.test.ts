import { describe, expect, test } from 'vitest'
import { databases } from '../../../test/support/store/fixtures.ts'

const logId = '0a'.repeat(16)
const root = Buffer.alloc(32, 1)
const noRoot = Buffer.of()

describe.each(databases)('on $name, a bundle of the transparency log', ({ make }) => {
  async function bundleAfter(writes: readonly { readonly root: Uint8Array; readonly entries: string }[]) {
    const store = await (await make()).open()
    for (const { root, entries } of writes) {
      await store.keepLog({ logId, log: undefined, bundles: [{ number: 0, root, entries: Buffer.from(entries) }] })
    }
    const found = await store.logBundle({ logId, number: 0 })
    return found && Buffer.from(found).toString()
  }

  test('grows, and is not replaced by an earlier one that comes to pass late', async () => {
    expect(
      await bundleAfter([
        { root: noRoot, entries: 'a' },
        { root: noRoot, entries: 'ab' },
      ]),
    ).toBe('ab')
    expect(
      await bundleAfter([
        { root: noRoot, entries: 'ab' },
        { root: noRoot, entries: 'a' },
      ]),
    ).toBe('ab')
    expect(
      await bundleAfter([
        { root: noRoot, entries: 'ab' },
        { root, entries: 'abc' },
      ]),
    ).toBe('abc')
    expect(
      await bundleAfter([
        { root, entries: 'abc' },
        { root: noRoot, entries: 'ab' },
      ]),
    ).toBe('abc')
  })

  test('is stored again when it is whole, whatever stands there', async () => {
    expect(
      await bundleAfter([
        { root, entries: 'altered' },
        { root, entries: 'abc' },
      ]),
    ).toBe('abc')
    expect(
      await bundleAfter([
        { root: noRoot, entries: 'altered' },
        { root, entries: 'abc' },
      ]),
    ).toBe('abc')
  })
})
