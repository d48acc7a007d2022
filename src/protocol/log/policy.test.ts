import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logKey, signedNote, vkey } from '../../../test/support/log_keys.ts'
import { acceptCheckpoint } from './accepted.ts'
import { writeCheckpoint } from './notes/checkpoint.ts'
import { type SigningKey, signerOf, verifierOf } from './notes/signatures.ts'
import { isQuorum, type Policy, policyBytesMax, policyLinesMax, readPolicy, readPolicyLogs } from './policy.ts'
import { emptyRoot } from './tree/tree.ts'

const log = logKey('example.com/log', 'Ed25519', 1)
const otherLog = logKey('example.com/other', 'Ed25519', 2)
const xs = [3, 4, 5].map((byte) => logKey(`x${byte}.example`, 'Ed25519 cosignature', byte))
const ys = [6, 7, 8].map((byte) => logKey(`y${byte}.example`, 'ML-DSA-44 cosignature', byte))
const [x1 = log, x2 = log, x3 = log] = xs
const [y1 = log, y2 = log, y3 = log] = ys

/** The example of the specification. */
const example = `log ${vkey(log)}

witness X1 ${vkey(x1)}
witness X2 ${vkey(x2)}
witness X3 ${vkey(x3)}
group X-witnesses 2 X1 X2 X3

witness Y1 ${vkey(y1)}
witness Y2 ${vkey(y2)}
witness Y3 ${vkey(y3)}
group Y-witnesses any Y1 Y2 Y3

group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`

function policyOf(text: string): Policy {
  const found = readPolicy(Buffer.from(text, 'latin1'))
  if (found.kind === 'malformed') throw new Error(found.reason)
  return found.value
}

describe('a policy', () => {
  test('is read as the specification has it', () => {
    const { logs, witnesses, groups, quorum } = policyOf(example)
    expect(logs.map(({ key, url }) => [key.name, url])).toEqual([['example.com/log', undefined]])
    expect(witnesses.map(({ name }) => name)).toEqual(['X1', 'X2', 'X3', 'Y1', 'Y2', 'Y3'])
    expect(groups).toEqual([
      { name: 'X-witnesses', threshold: 2, members: ['X1', 'X2', 'X3'] },
      { name: 'Y-witnesses', threshold: 1, members: ['Y1', 'Y2', 'Y3'] },
      { name: 'X-and-Y', threshold: 2, members: ['X-witnesses', 'Y-witnesses'] },
    ])
    expect(quorum).toBe('X-and-Y')
  })

  test.each<[string, readonly string[], boolean]>([
    ['two of X and one of Y', ['X1', 'X3', 'Y2'], true],
    ['all', ['X1', 'X2', 'X3', 'Y1', 'Y2', 'Y3'], true],
    ['one of X', ['X1', 'Y1', 'Y2', 'Y3'], false],
    ['none of Y', ['X1', 'X2', 'X3'], false],
    ['nobody', [], false],
    ['names that are not there', ['X-witnesses2', 'Z'], false],
  ])('has %s', (_name, names, isOne) => {
    expect(isQuorum(new Set(names), policyOf(example))).toBe(isOne)
  })

  test('may ask for nobody', () => {
    expect(policyOf('quorum none')).toEqual({ logs: [], witnesses: [], groups: [], quorum: 'none' })
    expect(isQuorum(new Set(), policyOf('quorum none\n'))).toBe(true)
  })

  test('has blanks, comments, URLs and names of other words', () => {
    const text = `\n# comment\n\t # another\n\twitness \t all  ${vkey(x1)}  https://w.example/  \nwitness \xe2\x84\xaa ${vkey(x2)}\n group group 2 all \xe2\x84\xaa\nquorum\tgroup`
    const { witnesses, groups } = policyOf(text)
    expect(witnesses.map(({ name, url }) => [name, url])).toEqual([
      ['all', 'https://w.example/'],
      ['\xe2\x84\xaa', undefined],
    ])
    expect(groups).toEqual([{ name: 'group', threshold: 2, members: ['all', '\xe2\x84\xaa'] }])
  })

  test('has keys whose names are UTF-8', () => {
    const key = logKey('bücher.example', 'Ed25519', 9)
    expect(policyOf(Buffer.from(`log ${vkey(key)}\nquorum none\n`).toString('latin1')).logs[0]?.key.name).toBe(key.name)
  })

  const w = `witness w ${vkey(x1)}\n`
  test.each([
    ['nothing', ''],
    ['no quorum', w],
    ['two quorums', `${w}quorum w\nquorum w\n`],
    ['a quorum before its witness', `quorum w\n${w}`],
    ['a quorum that is not there', 'quorum w\n'],
    ['a quorum without a name', 'quorum\n'],
    ['a quorum of two names', `${w}quorum w w\n`],
    ['another word', 'quibble w\nquorum none\n'],
    ['a control character', 'quorum none\n\u0001'],
    ['a carriage return', 'quorum none\r\n'],
    ['a delete', 'quorum none\n#\u007f'],
    ['a comment behind a line', `witness w ${vkey(x1)} https://w.example/ # comment\nquorum w\n`],
    ['a log without a key', 'log\nquorum none\n'],
    ['a log whose key is none', 'log garbage\nquorum none\n'],
    ['a log twice', `log ${vkey(log)}\nlog ${vkey(log)} https://log.example\nquorum none\n`],
    ['a log twice, by two names', `log ${vkey(log)}\nlog ${vkey({ ...log, name: 'b' })}\nquorum none\n`],
    [
      'a log twice, by two types',
      `log ${vkey(log)}\nlog ${vkey({ ...log, type: 'Ed25519 cosignature' })}\nquorum none\n`,
    ],
    ['a witness without a key', 'witness w\nquorum none\n'],
    ['a witness with a key that signs texts', `witness w ${vkey(log)}\nquorum w\n`],
    ['a witness named none', `witness none ${vkey(x1)}\nquorum none\n`],
    ['a witness twice', `${w}witness v ${vkey(x1)}\nquorum w\n`],
    ['a name twice', `${w}witness w ${vkey(x2)}\nquorum w\n`],
    ['a group named as a witness', `${w}group w any w\nquorum w\n`],
    ['a group without members', `${w}group g 1\nquorum w\n`],
    ['a group of all of nobody', `${w}group g all\nquorum w\n`],
    ['a group named none', `${w}group none any w\nquorum none\n`],
    ['a threshold of zero', `${w}group g 0 w\nquorum g\n`],
    ['a threshold below zero', `${w}group g -1 w\nquorum g\n`],
    ['a threshold with a zero before it', `${w}group g 01 w\nquorum g\n`],
    ['a threshold above the members', `${w}group g 2 w\nquorum g\n`],
    ['a threshold that is a word of JavaScript', `${w}group g toString w\nquorum g\n`],
    ['a member that is not there', `${w}group g any v\nquorum g\n`],
    ['a member that comes later', `group g any w\n${w}quorum g\n`],
    ['a member none', `${w}group g any none w\nquorum g\n`],
    ['a member twice', `${w}group g all w w\nquorum g\n`],
    ['a member of two groups', `${w}group g any w\ngroup h any w\nquorum g\n`],
    ['a group in itself', `${w}group g any g w\nquorum g\n`],
  ])('is none with %s', (_name, text) => {
    expect(readPolicy(Buffer.from(text, 'latin1'))).toMatchObject({ kind: 'malformed' })
  })

  test('has as many lines and bytes as are allowed, and no more', () => {
    const reasonOf = (text: string) => {
      const found = readPolicy(Buffer.from(text))
      return found.kind === 'malformed' ? found.reason : undefined
    }
    const lines = 'quorum none\n'.repeat(policyLinesMax)
    expect(reasonOf(lines)).toBe('line 2: there is one quorum only')
    expect(reasonOf(`${lines}quorum none`)).toBe(`a policy has ${policyLinesMax} lines at most`)
    const bytes = `quorum none\n#${'a'.repeat(policyBytesMax - 13)}`
    expect(reasonOf(bytes)).toBeUndefined()
    expect(reasonOf(`${bytes}a`)).toBe(`a policy has ${policyBytesMax} bytes at most`)
  })

  test('is refused with the line, and with the word that was meant', () => {
    expect(readPolicy(Buffer.from(`\n# comment\nwitnes w ${vkey(x1)}\n`))).toEqual({
      kind: 'malformed',
      reason: 'line 3: a line begins with log, witness, group, quorum or #: did you mean witness?',
    })
  })

  test('a list of logs has their lines and no others', () => {
    const lines = `log ${vkey(log)}\n# another\nlog ${vkey(otherLog)} https://log.example\n`
    expect(readPolicyLogs(Buffer.from(lines))).toMatchObject({
      value: [{ key: { name: log.name } }, { key: { name: otherLog.name }, url: 'https://log.example' }],
    })
    for (const line of [w, 'quorum none\n', `${w}group g any w\n`]) {
      expect(readPolicyLogs(Buffer.from(`${lines}${line}`))).toMatchObject({ kind: 'malformed' })
    }
  })

  test('arbitrary bytes throw nothing', () => {
    const words = [
      'log',
      'witness',
      'group',
      'quorum',
      'none',
      'all',
      'any',
      '1',
      'w',
      'g',
      '#',
      '\n',
      '\n',
      vkey(x1),
      vkey(log),
    ]
    const texts = fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((all) => Buffer.from(all.join(' ')))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), texts), (bytes) => void readPolicy(bytes)),
      { numRuns: 2_000 },
    )
  })
})

describe('a checkpoint', () => {
  const text = writeCheckpoint({ origin: log.name, size: 0, root: emptyRoot, extensions: [] })
  const by = (keys: readonly SigningKey[], timeS = 100) =>
    signedNote(
      text,
      keys.map((key) => signerOf(key, { timeS })),
    )
  const accept = (note: ReturnType<typeof by>, policy = example) =>
    acceptCheckpoint(note, { policy: policyOf(policy), verifierOf })

  test('is accepted with its log and a quorum, which say when', () => {
    const accepted = accept(by([log, x1, x2, y3]))
    expect(accepted).toMatchObject({ kind: 'accepted', checkpoint: { origin: log.name, size: 0 } })
    expect(accepted.kind === 'accepted' && [...accepted.witnesses]).toEqual([
      ['X1', 100],
      ['X2', 100],
      ['Y3', 100],
    ])
  })

  test.each<[string, readonly SigningKey[], string]>([
    ['no quorum', [log, x1, y3], 'there is no quorum of witnesses'],
    ['no signature of the log', [x1, x2, y3], 'the log has not signed'],
    ['a signature of another log', [{ ...log, seed: otherLog.seed }, x1, x2, y3], 'the log has not signed'],
    ['no known signature', [otherLog], 'no known key has signed'],
  ])('is refused with %s', (_name, keys, reason) => {
    expect(accept(by(keys))).toEqual({ kind: 'refused', reason })
  })

  test('is refused with a wrong signature of a witness that nobody needs', () => {
    const right = by([log, x1, x2, y3])
    const [wrong] = signedNote(text.replace('\n0\n', '\n1\n'), [signerOf(x3, { timeS: 1 })]).signatures
    if (wrong === undefined) throw new Error('a signature')
    const note = { ...right, signatures: [...right.signatures, wrong] }
    expect(accept(note)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('is wrong') })
  })

  test('is refused if a log of the policy signs it in the name of another', () => {
    const policy = `log ${vkey(log)}\nlog ${vkey(otherLog)}\nquorum none\n`
    expect(accept(by([otherLog]), policy)).toEqual({ kind: 'refused', reason: 'no known key has signed' })
    expect(accept(by([log]), policy)).toMatchObject({ kind: 'accepted' })
    expect(accept(by([log]), `log ${vkey(otherLog)}\nquorum none\n`)).toMatchObject({
      reason: 'the policy names no such log',
    })
  })

  test('is accepted by either key of a log, and by a key that is that of a log and a witness', () => {
    const second = logKey(log.name, 'ML-DSA-44 cosignature', 20)
    const two = `log ${vkey(log)}\nlog ${vkey(second)}\nquorum none\n`
    for (const keys of [[log], [second], [log, second]])
      expect(accept(by(keys, 0), two)).toMatchObject({ kind: 'accepted' })
    const both = `log ${vkey(second)}\nwitness w ${vkey(second)}\nquorum w\n`
    expect(accept(by([second]), both)).toMatchObject({ kind: 'accepted', witnesses: new Map([['w', 100]]) })
  })

  test('is refused if its text is none', () => {
    expect(accept(signedNote('a\n', [signerOf(log, { timeS: 0 })]))).toMatchObject({ kind: 'refused' })
  })
})
