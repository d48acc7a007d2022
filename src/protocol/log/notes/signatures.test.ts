import { createPublicKey } from 'node:crypto'
import { ml_dsa44 } from '@noble/post-quantum/ml-dsa.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sigstoreVerifies } from '../../../../test/support/sigstore_log.ts'
import published from '../../../../test/vectors/log/published.json' with { type: 'json' }
import { SecretBytes } from '../../crypto/secret_bytes.ts'
import { emptyRoot, leafHash } from '../tree/tree.ts'
import { type Checkpoint, writeCheckpoint } from './checkpoint.ts'
import { cosignedTree, timed } from './cosignature.ts'
import { openNote, readNote, signatureOf, writeNote } from './note.ts'
import { type SigningKey, signerOf, verifierKeyOf, verifierOf } from './signatures.ts'
import { type KeyType, keyIdOf, keyTypes, readVerifierKey } from './verifier_keys.ts'

const seedBytes = (fill: number) => new Uint8Array(32).fill(fill)
const keyOf = (type: KeyType, name = 'example.com/log'): SigningKey => ({
  name,
  type,
  seed: new SecretBytes(seedBytes(7)),
})
const types: readonly KeyType[] = ['Ed25519', 'Ed25519 cosignature', 'ML-DSA-44 cosignature']
const cosignatures = types.slice(1)

const checkpoint: Checkpoint = { origin: 'example.com/log', size: 1, root: leafHash(Buffer.of(0)), extensions: [] }
const text = writeCheckpoint(checkpoint)

/** The time that a key says of this text if one has signed it; undefined if it has not. */
function opened(key: SigningKey, signed: string, signature: Uint8Array) {
  return verifierOf(verifierKeyOf(key)).verify(signed, signature)
}

describe('notes that others have signed', () => {
  test.each(published.notes.map((row) => [row.name, row] as const))('%s', (_name, { note, keys, timesS }) => {
    const found = readNote(Buffer.from(note))
    if (found.kind === 'malformed') throw new Error(found.reason)
    const verifiers = keys.map((key) => {
      const read = readVerifierKey(key)
      if (read.kind === 'malformed') throw new Error(read.reason)
      return verifierOf(read.value)
    })
    const result = openNote(found.value, verifiers)
    if (result.kind === 'refused') throw new Error(result.reason)
    expect(verifiers.map((verifier) => result.by.get(verifier)?.timeS ?? null)).toEqual(timesS)
    const other = { ...found.value, text: found.value.text.replace(/[1a]/, 'b') }
    expect(openNote(other, verifiers)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('is wrong') })
  })
})

describe.each(types)('%s', (type) => {
  const key = keyOf(type)
  const signature = signerOf(key, { timeS: 1_700_000_000 }).sign(text)

  test('signs a checkpoint, and says when if it is a cosignature', () => {
    expect(signature).toHaveLength(keyTypes[type].signatureBytes)
    const timeS = type === 'Ed25519' ? undefined : 1_700_000_000
    expect(opened(key, text, signature)).toEqual({ timeS })
  })

  test('says no time with 0', () => {
    expect(opened(key, text, signerOf(key, { timeS: 0 }).sign(text))).toEqual({ timeS: undefined })
  })

  test('no other text, and no damaged signature is right', () => {
    const others = [
      { ...checkpoint, origin: 'example.com/lo' },
      { ...checkpoint, size: 2 },
      { ...checkpoint, root: emptyRoot },
      { ...checkpoint, extensions: ['a'] },
    ]
    for (const other of others) expect(opened(key, writeCheckpoint(other), signature)).toBeUndefined()
    fc.assert(
      fc.property(fc.nat(signature.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = signature.map((byte, index) => (index === at ? byte ^ change : byte))
        expect(opened(key, text, damaged)).toBeUndefined()
      }),
      { numRuns: 50 },
    )
    for (const length of [0, 1, 8, signature.length - 1]) {
      expect(opened(key, text, signature.subarray(0, length))).toBeUndefined()
    }
    expect(opened(key, text, Buffer.concat([signature, Buffer.of(0)]))).toBeUndefined()
  })

  test('no key of another type or seed takes it', () => {
    for (const other of types.filter((one) => one !== type))
      expect(opened(keyOf(other), text, signature)).toBeUndefined()
    expect(opened({ ...key, seed: new SecretBytes(seedBytes(8)) }, text, signature)).toBeUndefined()
  })

  test('arbitrary texts and signatures throw nothing', () => {
    const verifier = verifierOf(verifierKeyOf(key))
    const { signatureBytes } = keyTypes[type]
    const bytes = fc.uint8Array({ minLength: signatureBytes, maxLength: signatureBytes, size: 'max' })
    fc.assert(
      fc.property(fc.string(), bytes, (any, other) => {
        expect(verifier.verify(any, other)).toBeUndefined()
        expect(verifier.verify(text, other)).toBeUndefined()
      }),
      { numRuns: 20 },
    )
  })
})

test('cosignatures are of checkpoints only', () => {
  for (const type of cosignatures) {
    expect(() => signerOf(keyOf(type), { timeS: 1 }).sign('no checkpoint\n')).toThrow(RangeError)
  }
  expect(opened(keyOf('Ed25519'), 'a\n', signerOf(keyOf('Ed25519'), { timeS: 0 }).sign('a\n'))).toBeDefined()
})

test('ML-DSA-44 signs no extension lines, and no name that is too long', () => {
  const type = 'ML-DSA-44 cosignature'
  const { sign } = signerOf(keyOf(type), { timeS: 1 })
  expect(() => sign(writeCheckpoint({ ...checkpoint, extensions: ['a'] }))).toThrow(RangeError)
  expect(() => sign(writeCheckpoint({ ...checkpoint, origin: 'a'.repeat(256) }))).toThrow(RangeError)
  expect(() => signerOf(keyOf(type, 'a'.repeat(256)), { timeS: 1 }).sign(text)).toThrow(RangeError)
  expect(sign(writeCheckpoint({ ...checkpoint, origin: 'a'.repeat(255) }))).toHaveLength(2_428)
})

test('a time above 2^53 - 1 makes a signature wrong', () => {
  for (const type of cosignatures) {
    const signature = signerOf(keyOf(type), { timeS: 1 }).sign(text)
    expect(opened(keyOf(type), text, Buffer.concat([Buffer.alloc(8, 0xff), signature.subarray(8)]))).toBeUndefined()
  }
})

test('another implementation of ML-DSA-44 makes the same keys, and each verifies the other', () => {
  const key = keyOf('ML-DSA-44 cosignature')
  const { publicKey, secretKey } = ml_dsa44.keygen(seedBytes(7))
  expect(Buffer.from(verifierKeyOf(key).publicKey)).toEqual(Buffer.from(publicKey))
  const message = cosignedTree(checkpoint, { name: key.name, timeS: 5 })
  if (message === undefined) throw new Error('a message')
  const ours = signerOf(key, { timeS: 5 }).sign(text)
  expect(ml_dsa44.verify(ours.subarray(8), message, publicKey)).toBe(true)
  const theirs = timed(5, ml_dsa44.sign(message, secretKey))
  expect(opened(key, text, theirs)).toEqual({ timeS: 5 })
})

test('Sigstore takes a checkpoint that is signed with Ed25519', () => {
  const key = keyOf('Ed25519')
  const note = { text, signatures: [signatureOf(text, signerOf(key, { timeS: 0 }))] }
  const { name, publicKey } = verifierKeyOf(key)
  const known = {
    name,
    keyId: Buffer.from(keyIdOf(verifierKeyOf(key)), 'hex'),
    publicKey: createPublicKey({ key: publicKey, format: 'raw-public', asymmetricKeyType: 'ed25519' }),
  }
  const entry = { index: 0, size: 1, entry: Buffer.of(0), proof: [], root: checkpoint.root }
  const envelope = Buffer.from(writeNote(note)).toString()
  expect(sigstoreVerifies({ ...entry, envelope }, known)).toBe(true)
  expect(sigstoreVerifies({ ...entry, envelope: envelope.replace('\n1\n', '\n2\n') }, known)).toBe(false)
})
