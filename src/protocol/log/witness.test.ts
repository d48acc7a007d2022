import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logKey, signedNote } from '../../../test/support/log_keys.ts'
import { smallLog } from '../../../test/support/small_log.ts'
import {
  type AddCheckpoint,
  readAddCheckpoint,
  readSize,
  sizeMediaType,
  writeAddCheckpoint,
  writeSize,
} from './add_checkpoint.ts'
import { writeCheckpoint } from './notes/checkpoint.ts'
import { openNote, readSignatureLines, writeNote } from './notes/note.ts'
import { signerOf, verifierKeyOf, verifierOf } from './notes/signatures.ts'
import { emptyRoot, leafHash } from './tree/tree.ts'
import { consistencyProof } from './tree/tree_proofs.ts'
import { cosignatures, decide, type TreeHead, type WitnessedLog, witnessedPath } from './witness.ts'

const log = logKey('example.com/log', 'Ed25519', 1)
const stranger = logKey('example.com/log', 'Ed25519', 2)
const { hashOf, headAt } = smallLog(log)
const textAt = ({ size, root }: TreeHead, origin = log.name) => writeCheckpoint({ origin, size, root, extensions: [] })
const noteAt = (head: TreeHead, by = log) => signedNote(textAt(head), [signerOf(by, { timeS: 0 })])

const from3to7: AddCheckpoint = { old: 3, proof: consistencyProof({ from: 3, to: 7 }, hashOf), note: noteAt(headAt(7)) }

function asked(request: Partial<AddCheckpoint>, latest: TreeHead | undefined = headAt(3)) {
  const known: WitnessedLog = { verifiers: [verifierOf(verifierKeyOf(log))], latest }
  const body = writeAddCheckpoint({ ...from3to7, ...request })
  return decide(body, (origin) => (origin === log.name ? known : undefined))
}

describe('a witness', () => {
  test('cosigns a tree that continues the one before', () => {
    const answer = asked({})
    expect(answer).toEqual({ status: 200, origin: log.name, head: headAt(7), text: textAt(headAt(7)) })
    const witnesses = (['Ed25519 cosignature', 'ML-DSA-44 cosignature'] as const).map((type) => logKey('w', type, 3))
    const body = cosignatures(
      textAt(headAt(7)),
      witnesses.map((key) => signerOf(key, { timeS: 5 })),
    )
    const lines = readSignatureLines(body)
    if (lines.kind === 'malformed') throw new Error(lines.reason)
    const verifiers = witnesses.map((key) => verifierOf(verifierKeyOf(key)))
    const opened = openNote({ text: textAt(headAt(7)), signatures: lines.value }, verifiers)
    expect(opened).toEqual({ kind: 'signed', by: new Map(verifiers.map((verifier) => [verifier, { timeS: 5 }])) })
  })

  test('cosigns a first tree, and the same one again', () => {
    expect(
      decide(writeAddCheckpoint({ old: 0, proof: [], note: noteAt(headAt(7)) }), () => ({
        verifiers: [verifierOf(verifierKeyOf(log))],
        latest: undefined,
      })),
    ).toMatchObject({ status: 200, head: headAt(7) })
    expect(asked({ old: 7, proof: [] }, headAt(7))).toMatchObject({ status: 200, head: headAt(7) })
    expect(asked({ old: 0, proof: [], note: noteAt(headAt(0)) }, headAt(0))).toMatchObject({ status: 200 })
  })

  test.each<[string, ReturnType<typeof asked>, number]>([
    ['an old size above the new one', asked({ old: 8 }), 400],
    ['no known signature', asked({ note: noteAt(headAt(7), stranger) }), 403],
    ['another old size', asked({ old: 2 }), 409],
    ['another old size of nothing', asked({ old: 0, proof: [] }), 409],
    ['a smaller tree', asked({ old: 2, proof: [], note: noteAt(headAt(2)) }), 409],
    ['no proof', asked({ proof: [] }), 422],
    ['another proof', asked({ proof: consistencyProof({ from: 2, to: 7 }, hashOf) }), 422],
    ['another tree', asked({ note: noteAt({ size: 7, root: emptyRoot }) }), 422],
    ['another root of the same size', asked({ old: 3, proof: [], note: noteAt({ size: 3, root: emptyRoot }) }), 422],
    ['a proof from the same size', asked({ old: 7 }, headAt(7)), 422],
    ['a proof from nothing', asked({ old: 0 }, headAt(0)), 422],
    [
      'a root of nothing that is another one',
      asked({ old: 0, proof: [], note: noteAt({ size: 0, root: leafHash(emptyRoot) }) }, headAt(0)),
      422,
    ],
  ])('refuses %s', (_name, answer, status) => {
    expect(answer.status).toBe(status)
  })

  test('says which size it has with 409', () => {
    expect(asked({ old: 2 })).toEqual({ status: 409, size: 3 })
    expect(asked({ old: 2 }, headAt(0))).toEqual({ status: 409, size: 0 })
  })

  test('refuses a wrong signature of a known key beside a right one', () => {
    const right = noteAt(headAt(7))
    const wrong = noteAt(headAt(6)).signatures
    expect(asked({ note: { ...right, signatures: [...right.signatures, ...wrong] } }).status).toBe(403)
    const unknown = noteAt(headAt(6), stranger).signatures
    expect(asked({ note: { ...right, signatures: [...unknown, ...right.signatures] } }).status).toBe(200)
  })

  test('does not know other logs, and looks at a request before at anything else', () => {
    const note = signedNote(textAt(headAt(7), 'example.com/other'), [signerOf(log, { timeS: 0 })])
    expect(asked({ note }).status).toBe(404)
    expect(asked({ note: signedNote('a\n', [signerOf(log, { timeS: 0 })]) }).status).toBe(400)
    expect(decide(Buffer.from('old 1\n'), () => undefined).status).toBe(400)
  })

  test('never cosigns a tree that does not continue what it has cosigned, whatever it is asked', () => {
    const requests = fc.record({
      old: fc.nat(40),
      size: fc.nat(40),
      proofFrom: fc.nat(40),
      isOther: fc.boolean(),
    })
    const ofOthers = { old: 0, size: 4, proofFrom: 0, isOther: true }
    fc.assert(
      fc.property(fc.array(requests, { maxLength: 20 }), (all) => {
        let latest: TreeHead | undefined
        for (const { old, size, proofFrom, isOther } of all) {
          const head = isOther ? { size, root: leafHash(Buffer.of(size)) } : headAt(size)
          const proof = consistencyProof({ from: Math.min(proofFrom, size), to: size }, hashOf)
          const before = latest?.size ?? 0
          const answer = asked({ old, proof, note: noteAt(head) }, latest ?? headAt(0))
          if (answer.status !== 200) continue
          expect(size).toBeGreaterThanOrEqual(before)
          // A tree of others is cosigned as the first one only, and then nothing continues it but itself.
          if (latest !== undefined && before > 0 && !Buffer.from(head.root).equals(latest.root)) {
            expect(isOther).toBe(false)
          }
          latest = answer.head
        }
      }),
      { examples: [[[ofOthers, { ...ofOthers, old: ofOthers.size }]]] },
    )
  })

  test('has a path for each log', () => {
    expect(witnessedPath('example.com/log')).toMatch(/^[0-9a-f]{64}\/checkpoint$/)
    expect(witnessedPath('a')).toBe('ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb/checkpoint')
  })
})

describe('requests', () => {
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
  const requests = fc.record<AddCheckpoint>({
    old: fc.maxSafeNat(),
    proof: fc.array(hash, { maxLength: 63 }),
    note: fc.constant(from3to7.note),
  })

  test('what is written is read', () => {
    fc.assert(
      fc.property(requests, (request) => {
        expect(readAddCheckpoint(writeAddCheckpoint(request))).toEqual({ kind: 'read', value: request })
      }),
    )
  })

  test('the example of the specification', () => {
    const example = `old 20852014
PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=
5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=
/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=

example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— example.com/behind-the-sofa opLqBQsREYCgu6xQkYQwJr9fo45a62DN9EdmHXnZdXNqlcVGlCum2Wks+49/V6267UEjw6QUXTS5Rovnzv++qbSzm9Q=
`
    const found = readAddCheckpoint(Buffer.from(example))
    if (found.kind === 'malformed') throw new Error(found.reason)
    expect(found.value.old).toBe(20_852_014)
    expect(found.value.proof).toHaveLength(4)
    expect(found.value.note.signatures.map(({ keyId }) => keyId)).toEqual(['033de0ae', 'a292ea05'])
    expect(Buffer.from(writeAddCheckpoint(found.value)).toString()).toBe(example)
  })

  test('arbitrary bytes throw nothing, and are written again if they are read', () => {
    const bytes = fc.constantFrom(0x0a, 0x20, 0x30, 0x3d, 0x41, 0xff)
    const damaged = fc.tuple(requests, fc.nat(), bytes).map(([request, at, byte]) => {
      const written = writeAddCheckpoint(request)
      written[at % written.length] = byte
      return written
    })
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), damaged), (body) => {
        const found = readAddCheckpoint(body)
        if (found.kind === 'read') expect(Buffer.from(writeAddCheckpoint(found.value))).toEqual(Buffer.from(body))
        expect([200, 400, 404]).toContain(decide(body, () => undefined).status)
      }),
      { numRuns: 1_000 },
    )
  })

  const right = Buffer.from(writeAddCheckpoint(from3to7)).toString()
  const note = Buffer.from(writeNote(from3to7.note)).toString()
  test.each([
    ['nothing', ''],
    ['no old size', `\n${note}`],
    ['a note alone', note],
    ['an old size with a zero before it', right.replace('old 3', 'old 03')],
    ['an old size below zero', right.replace('old 3', 'old -1')],
    ['another word', right.replace('old 3', 'new 3')],
    ['64 hashes', `old 3\n${`${'A'.repeat(43)}=\n`.repeat(64)}\n${note}`],
    ['a hash that is too short', `old 3\nAAAA\n\n${note}`],
    ['no empty line', `old 3\n${note}`],
    ['no signature', right.slice(0, right.indexOf('— '))],
  ])('%s is none', (_name, body) => {
    expect(readAddCheckpoint(Buffer.from(body))).toMatchObject({ kind: 'malformed' })
  })

  test('what has no form is not written', () => {
    expect(() => writeAddCheckpoint({ ...from3to7, old: -1 })).toThrow(RangeError)
    expect(() => writeAddCheckpoint({ ...from3to7, proof: Array(64).fill(emptyRoot) })).toThrow(RangeError)
  })
})

test('a size is one line', () => {
  expect(sizeMediaType).toBe('text/x.tlog.size')
  expect(Buffer.from(writeSize(50)).toString()).toBe('50\n')
  expect(readSize(Buffer.from('50\n'))).toEqual({ kind: 'read', value: 50 })
  for (const body of ['', '\n', '50', '050\n', '50\n\n', '50\n51\n', ' 50\n', '9'.repeat(40)]) {
    expect(readSize(Buffer.from(body))).toMatchObject({ kind: 'malformed' })
  }
  expect(() => writeSize(-1)).toThrow(RangeError)
})
