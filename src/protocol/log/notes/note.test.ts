import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import published from '../../../../test/vectors/log/published.json' with { type: 'json' }
import {
  type Note,
  type NoteSignature,
  noteBytesMax,
  noteSignaturesMax,
  openNote,
  readNote,
  readSignatureLines,
  type Verifier,
  writeNote,
  writeSignatureLines,
} from './note.ts'
import { isKeyName } from './verifier_keys.ts'

const line =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'
const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"

const bytesOf = (note: string) => Buffer.from(note)

function noteOf(note: string): Note {
  const found = readNote(bytesOf(note))
  if (found.kind === 'malformed') throw new Error(found.reason)
  return found.value
}

const lines = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((one) => /^\P{Cc}*$/u.test(one))
const texts = fc.array(lines, { minLength: 1, maxLength: 6 }).map((all) => all.map((one) => `${one}\n`).join(''))
const hexDigits = fc.stringMatching(/^[0-9a-f]{8}$/)
const signatures = fc.record<NoteSignature>({
  name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter(isKeyName),
  keyId: hexDigits,
  signature: fc.uint8Array({ minLength: 1, maxLength: 80 }),
})
const notes = fc.record<Note>({ text: texts, signatures: fc.array(signatures, { minLength: 1, maxLength: 5 }) })

test('what is written is read', () => {
  fc.assert(
    fc.property(notes, (note) => {
      expect(readNote(writeNote(note))).toEqual({ kind: 'read', value: note })
      const written = writeSignatureLines(note.signatures)
      expect(readSignatureLines(written)).toEqual({ kind: 'read', value: note.signatures })
    }),
  )
})

test('arbitrary bytes throw nothing, and are written again if they are read', () => {
  const damaged = fc.tuple(notes, fc.nat(), fc.nat(255)).map(([note, at, byte]) => {
    const bytes = writeNote(note)
    bytes[at % bytes.length] = byte
    return bytes
  })
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), damaged), (bytes) => {
      const found = readNote(bytes)
      if (found.kind === 'read') expect(Buffer.from(writeNote(found.value))).toEqual(Buffer.from(bytes))
    }),
    { numRuns: 1_000 },
  )
})

test.each(published.notes.map(({ name, note }) => [name, note]))('%s is read and written again', (_name, note) => {
  expect(Buffer.from(writeNote(noteOf(note))).toString()).toBe(note)
})

test('the last empty line ends the text', () => {
  expect(noteOf(`one\n\n\ntwo\n\n${line}`).text).toBe('one\n\n\ntwo\n')
  expect(noteOf(`\n\n${line}`).text).toBe('\n')
})

describe('these are no notes', () => {
  const bare = line.slice(0, -1)
  test.each([
    ['nothing', ''],
    ['no signature', text],
    ['no signature behind the empty line', `${text}\n`],
    ['no empty line', `${text}${line}`],
    ['a signature behind one character', `x${line}`],
    ['no end of the last line', `${text}\n${bare}`],
    ['a control character', `\u0001${text}\n${line}`],
    ['a carriage return', `${text}\r\n${line}`],
    [
      'a name with a blank',
      `${text}\n— Bad Name x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`,
    ],
    ['a name with a plus', `${text}\n${line.replace('Peter', 'Peter+')}`],
    ['a name with a no-break blank', `${text}\n${line.replace('Peter', 'Peter\u00a0')}`],
    ['no name', `${text}\n${line.replace('PeterNeumann', '')}`],
    ['another dash', `${text}\n${line.replace('—', '-')}`],
    ['a line that is no signature', `${text}\n${line}Unexpected line.\n`],
    ['a blank behind a signature', `${text}\n${bare} \n`],
    ['four bytes', `${text}\n— a AAAAAA==\n`],
    ['base64 without padding', `${text}\n${bare.slice(0, -1)}\n`],
    ['base64 with other last bits', `${text}\n${bare.replace('AM=', 'AN=')}\n`],
    ['too many signatures', `${text}\n${line.repeat(noteSignaturesMax + 1)}`],
    ['too many bytes', `${'a'.repeat(noteBytesMax)}\n\n${line}`],
  ])('%s', (_name, note) => {
    expect(readNote(bytesOf(note))).toMatchObject({ kind: 'malformed' })
  })

  test('bytes that are no UTF-8', () => {
    for (const byte of [0x80, 0xc0, 0xff]) {
      const bytes = Buffer.concat([Buffer.of(byte), bytesOf(`${text}\n${line}`)])
      expect(readNote(bytes)).toMatchObject({ kind: 'malformed', reason: 'this is no UTF-8' })
    }
  })

  test('no lines, as an answer of a witness', () => {
    expect(readSignatureLines(new Uint8Array(0))).toMatchObject({ kind: 'malformed' })
    expect(readSignatureLines(bytesOf(`\n${line}`))).toMatchObject({ kind: 'malformed' })
  })
})

test('as many signatures as are allowed are read', () => {
  expect(noteOf(`${text}\n${line.repeat(noteSignaturesMax)}`).signatures).toHaveLength(noteSignaturesMax)
})

test('as many bytes as are allowed are read, and no more', () => {
  const room = noteBytesMax - Buffer.byteLength(`\n\n${line}`)
  expect(noteOf(`${'a'.repeat(room)}\n\n${line}`).text).toHaveLength(room + 1)
  const reason = `there are more than ${noteBytesMax} bytes`
  expect(readNote(bytesOf(`${'a'.repeat(room + 1)}\n\n${line}`))).toEqual({ kind: 'malformed', reason })
})

test('notes that have no form are not written', () => {
  const note = noteOf(`${text}\n${line}`)
  expect(() => writeNote({ ...note, signatures: [] })).toThrow(RangeError)
  expect(() => writeNote({ ...note, text: 'no end' })).toThrow(RangeError)
  expect(() => writeNote({ ...note, text: 'a\u0000\n' })).toThrow(RangeError)
  expect(() => writeNote({ ...note, text: '\ud800\n' })).toThrow(RangeError)
  const [first] = note.signatures
  if (first === undefined) throw new Error('a signature')
  for (const name of ['', 'a b', 'a\n— b']) {
    expect(() => writeNote({ ...note, signatures: [{ ...first, name }] })).toThrow(RangeError)
  }
})

describe('a note is opened with known keys', () => {
  const signature = Buffer.of(1)
  const signed = (name: string, keyId = '00000000'): NoteSignature => ({ name, keyId, signature })
  const verifier = (name: string, isRight: boolean, keyId = '00000000'): Verifier => ({
    name,
    keyId,
    verify: () => (isRight ? { timeS: undefined } : undefined),
  })
  const [alice, bob, liar] = [verifier('alice', true), verifier('bob', true), verifier('liar', false)]
  const open = (names: readonly string[], known: readonly Verifier[]) =>
    openNote({ text, signatures: names.map((name) => signed(name)) }, known)

  test('by one of them, or by several', () => {
    expect(open(['alice', 'carol'], [alice, bob])).toEqual({
      kind: 'signed',
      by: new Map([[alice, { timeS: undefined }]]),
    })
    const both = open(['bob', 'alice', 'bob'], [alice, bob])
    expect(both.kind === 'signed' && [...both.by.keys()]).toEqual([bob, alice])
  })

  test('by none of them', () => {
    expect(open(['alice'], [])).toEqual({ kind: 'refused', reason: 'no known key has signed' })
    expect(open(['alice'], [bob])).toMatchObject({ kind: 'refused' })
    expect(open(['alice'], [verifier('alice', true, '00000001')])).toMatchObject({ kind: 'refused' })
  })

  test('with a wrong signature beside a right one', () => {
    const reason = 'a signature of liar+00000000 is wrong'
    expect(open(['alice', 'liar'], [alice, liar])).toEqual({ kind: 'refused', reason })
    expect(open(['liar', 'alice'], [alice, liar])).toEqual({ kind: 'refused', reason })
    expect(open(['alice', 'liar'], [alice])).toMatchObject({ kind: 'signed' })
  })

  test('with two keys of one name and id', () => {
    expect(open(['alice'], [alice, verifier('alice', true)])).toMatchObject({ kind: 'refused' })
    expect(open(['bob'], [alice, verifier('alice', true), bob])).toMatchObject({ kind: 'signed' })
  })
})
