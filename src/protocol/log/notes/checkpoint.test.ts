import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Checkpoint, readCheckpoint, writeCheckpoint } from './checkpoint.ts'

/** The example of tlog-checkpoint v1. */
const example = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n'
const root = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I='

const lines = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((line) => /^\P{Cc}+$/u.test(line))
const checkpoints = fc.record<Checkpoint>({
  origin: lines,
  size: fc.maxSafeNat(),
  root: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  extensions: fc.array(lines, { maxLength: 3 }),
})

test('the example of the specification is read and written again', () => {
  const found = readCheckpoint(example)
  if (found.kind === 'malformed') throw new Error(found.reason)
  const { origin, size, extensions } = found.value
  expect({ origin, size, extensions }).toEqual({
    origin: 'example.com/behind-the-sofa',
    size: 20_852_163,
    extensions: [],
  })
  expect(Buffer.from(found.value.root).toString('base64')).toBe(root)
  expect(writeCheckpoint(found.value)).toBe(example)
})

test('what is written is read', () => {
  fc.assert(
    fc.property(checkpoints, (checkpoint) => {
      expect(readCheckpoint(writeCheckpoint(checkpoint))).toEqual({ kind: 'read', value: checkpoint })
    }),
  )
})

test('arbitrary texts throw nothing, and are written again if they are read', () => {
  const damaged = fc
    .tuple(checkpoints, fc.nat(), fc.string({ unit: fc.constantFrom('\n', '0', ' ', '=', 'A'), maxLength: 2 }))
    .map(([checkpoint, at, part]) => {
      const text = writeCheckpoint(checkpoint)
      const place = at % text.length
      return text.slice(0, place) + part + text.slice(place + 1)
    })
  fc.assert(
    fc.property(fc.oneof(fc.string(), damaged), (text) => {
      const found = readCheckpoint(text)
      if (found.kind === 'read') expect(writeCheckpoint(found.value)).toBe(text)
    }),
    { numRuns: 1_000 },
  )
})

describe('these are no checkpoints', () => {
  test.each([
    ['nothing', ''],
    ['one line', 'a\n'],
    ['two lines', 'a\n1\n'],
    ['no end of the last line', `a\n1\n${root}`],
    ['no origin', `\n1\n${root}\n`],
    ['no size', `a\n\n${root}\n`],
    ['a size with a zero before it', `a\n01\n${root}\n`],
    ['a size with a sign', `a\n+1\n${root}\n`],
    ['a size below zero', `a\n-1\n${root}\n`],
    ['a size in hex', `a\n0x1\n${root}\n`],
    ['a size with a point', `a\n1.0\n${root}\n`],
    ['a size with a blank', `a\n1 \n${root}\n`],
    ['a size of 2^53', `a\n9007199254740992\n${root}\n`],
    ['a size of 2^53 + 1', `a\n9007199254740993\n${root}\n`],
    ['a size that is very long', `a\n${'1'.repeat(400)}\n${root}\n`],
    ['a root of 31 bytes', `a\n1\n${'A'.repeat(42)}==\n`],
    ['a root in hex', `a\n1\n${'00'.repeat(32)}\n`],
    ['a root without padding', `a\n1\n${root.slice(0, -1)}\n`],
    ['a root with other last bits', `a\n1\n${root.replace('2I=', '2J=')}\n`],
    ['a tab', `a\tb\n1\n${root}\n`],
    ['half a character, which has no form in UTF-8', `\udc00\n1\n${root}\n`],
    ['an empty line at the end', `a\n1\n${root}\n\n`],
    ['an empty line between others', `a\n1\n${root}\nb\n\nc\n`],
  ])('%s', (_name, text) => {
    expect(readCheckpoint(text)).toMatchObject({ kind: 'malformed' })
  })
})

test('checkpoints that have no form are not written', () => {
  const checkpoint: Checkpoint = { origin: 'a', size: 1, root: new Uint8Array(32), extensions: [] }
  for (const change of [
    { origin: '' },
    { origin: 'a\nb' },
    { size: -1 },
    { size: 0.5 },
    { size: 2 ** 53 },
    { root: new Uint8Array(31) },
    { extensions: [''] },
    { extensions: ['a\nb'] },
    { extensions: ['a\r'] },
  ]) {
    expect(() => writeCheckpoint({ ...checkpoint, ...change })).toThrow(RangeError)
  }
})
