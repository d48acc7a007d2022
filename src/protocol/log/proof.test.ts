import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logKey, signedNote, vkey } from '../../../test/support/log_keys.ts'
import { writeCheckpoint } from './notes/checkpoint.ts'
import type { Note } from './notes/note.ts'
import { signerOf, verifierOf } from './notes/signatures.ts'
import { type Policy, readPolicy } from './policy.ts'
import { type LogProof, readProof, verifyProof, writeProof } from './proof.ts'
import { emptyFrontier, emptyRoot, grown, leafHash, nodeHash, rootOf } from './tree/tree.ts'
import { type HashOf, inclusionProof } from './tree/tree_proofs.ts'

const log = logKey('example.com/log', 'Ed25519', 1)
const witness = logKey('witness.example', 'Ed25519 cosignature', 2)
const entries = Array.from({ length: 11 }, (_, at) => Buffer.from(`entry ${at}`))
const leaves = entries.map(leafHash)
const hashOf: HashOf = ({ level, index }) => {
  if (level === 0) return leaves[index] ?? emptyRoot
  return nodeHash(hashOf({ level: level - 1, index: index * 2 }), hashOf({ level: level - 1, index: index * 2 + 1 }))
}
const text = writeCheckpoint({
  origin: log.name,
  size: entries.length,
  root: rootOf(leaves.reduce(grown, emptyFrontier)),
  extensions: [],
})
const note: Note = signedNote(text, [signerOf(log, { timeS: 0 }), signerOf(witness, { timeS: 100 })])

function proofOf(index: number, extra?: Uint8Array): LogProof {
  return { extra, index, hashes: inclusionProof({ index, size: entries.length }, hashOf), note }
}

function policyOf(lines: string): Policy {
  const found = readPolicy(Buffer.from(lines))
  if (found.kind === 'malformed') throw new Error(found.reason)
  return found.value
}

const policy = policyOf(`log ${vkey(log)}\nwitness w ${vkey(witness)}\nquorum w\n`)
const verify = (proof: LogProof, entry: Uint8Array, other = policy) =>
  verifyProof(proof, { entry, policy: other, verifierOf })

test('every entry is proven at its index, and nothing else', () => {
  for (const [index, entry] of entries.entries()) {
    const proof = proofOf(index)
    expect(verify(proof, entry)).toMatchObject({ kind: 'accepted', witnesses: new Map([['w', 100]]) })
    const refused = { kind: 'refused', reason: 'the entry is not in the tree at this index' }
    expect(verify(proof, Buffer.from('another'))).toEqual(refused)
    expect(verify({ ...proof, index: (index + 1) % entries.length }, entry)).toEqual(refused)
    expect(verify({ ...proof, hashes: [] }, entry)).toEqual(refused)
  }
})

test('a proof is refused if its checkpoint is not accepted', () => {
  const [entry = Buffer.alloc(0)] = entries
  const unsigned = { ...proofOf(0), note: { ...note, signatures: note.signatures.slice(1) } }
  expect(verify(unsigned, entry)).toEqual({ kind: 'refused', reason: 'the log has not signed' })
  const other = policyOf('quorum none\n')
  expect(verify(proofOf(0), entry, other)).toEqual({ kind: 'refused', reason: 'the policy names no such log' })
})

test('a proof has the form of the specification', () => {
  const written = Buffer.from(writeProof(proofOf(3, Buffer.from('extra')))).toString()
  const [first, second, third] = written.split('\n')
  expect([first, second, third]).toEqual(['c2sp.org/tlog-proof@v1', 'extra ZXh0cmE=', 'index 3'])
  expect(written.endsWith(`\n\n${text}\n${written.slice(written.indexOf('— '))}`)).toBe(true)
  const alone = { extra: undefined, index: 0, hashes: [], note }
  expect(Buffer.from(writeProof(alone)).toString()).toMatch(/^c2sp\.org\/tlog-proof@v1\nindex 0\n\nexample\.com\/log\n/)
})

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
const proofs = fc.record<LogProof>({
  extra: fc.option(fc.uint8Array(), { nil: undefined }),
  index: fc.maxSafeNat(),
  hashes: fc.array(hash, { maxLength: 63 }),
  note: fc.constant(note),
})

test('what is written is read', () => {
  fc.assert(
    fc.property(proofs, (proof) => {
      expect(readProof(writeProof(proof))).toEqual({ kind: 'read', value: proof })
    }),
  )
})

test('arbitrary bytes throw nothing, and are written again if they are read', () => {
  const damaged = fc
    .tuple(proofs, fc.nat(), fc.constantFrom(0x0a, 0x20, 0x30, 0x3d, 0x41, 0xff))
    .map(([proof, at, byte]) => {
      const bytes = writeProof(proof)
      bytes[at % bytes.length] = byte
      return bytes
    })
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), damaged), (bytes) => {
      const found = readProof(bytes)
      if (found.kind === 'read') expect(Buffer.from(writeProof(found.value))).toEqual(Buffer.from(bytes))
    }),
    { numRuns: 1_000 },
  )
})

describe('these are no proofs', () => {
  const right = Buffer.from(writeProof(proofOf(3))).toString()
  const [line = ''] = /^[A-Za-z0-9+/]{43}=\n/m.exec(right) ?? []
  test.each([
    ['nothing', ''],
    ['another first line', right.replace('@v1', '@v2')],
    ['no index', right.replace('index 3\n', '')],
    ['an index with a zero before it', right.replace('index 3', 'index 03')],
    ['an index below zero', right.replace('index 3', 'index -1')],
    ['two blanks before the index', right.replace('index 3', 'index  3')],
    ['the index before the extra data', right.replace('index 3\n', 'index 3\nextra AAAA\n')],
    ['extra data twice', right.replace('index 3\n', 'extra AAAA\nextra AAAA\nindex 3\n')],
    ['extra data that is no base64', right.replace('index 3\n', 'extra A\nindex 3\n')],
    ['a hash that is too short', right.replace(line, 'AAAA\n')],
    ['64 hashes', right.replace('index 3\n', `index 3\n${line.repeat(64 - 4)}`)],
    ['no empty line before the checkpoint', right.replace('\n\n', '\n')],
    ['no signature', right.slice(0, right.indexOf('— '))],
    ['no end', right.slice(0, -1)],
    ['a line behind it', `${right}a\n`],
  ])('%s', (_name, proof) => {
    expect(readProof(Buffer.from(proof))).toMatchObject({ kind: 'malformed' })
  })

  test('what has no form is not written', () => {
    for (const change of [{ index: -1 }, { index: 0.5 }, { hashes: [new Uint8Array(31)] }]) {
      expect(() => writeProof({ ...proofOf(0), ...change })).toThrow(RangeError)
    }
  })
})
