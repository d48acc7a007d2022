import { format, inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { SecretBytes } from './secret_bytes.ts'

const bytes = Uint8Array.of(0xde, 0xad, 0xbe, 0xef, 222, 173, 190, 239)
const secret = new SecretBytes(bytes)
/** In hex, in decimal, in base64. */
const shows = /de, ?ad|dead|222, ?173|222,173|3q2/i

describe('no text form shows the bytes', () => {
  test.each<[string, () => string]>([
    ['inspect', () => inspect(secret)],
    ['inspect without the custom form', () => inspect(secret, { customInspect: false, showHidden: true, depth: null })],
    ['inspect of what holds it', () => inspect({ keys: [secret] }, { showHidden: true, depth: null })],
    ['format', () => format('%s %o %O %d', secret, secret, secret, secret)],
    ['a template', () => `${secret}`],
    ['String', () => String(secret)],
    ['adding it to a text', () => '' + secret],
    ['Object.entries', () => JSON.stringify([Object.entries(secret), Reflect.ownKeys(secret)])],
    ['a spread', () => inspect({ ...secret })],
    ['an error that has it as cause', () => inspect(new Error('failed', { cause: secret }))],
  ])('%s', (_name, print) => {
    expect(print()).not.toMatch(shows)
  })

  test('the pattern would find them', () => {
    for (const print of [inspect(bytes), Buffer.from(bytes).toString('hex'), Buffer.from(bytes).toString('base64')]) {
      expect(print).toMatch(shows)
    }
    expect(String(bytes)).toMatch(shows)
  })

  test('a printed secret says that it is one', () => {
    expect([inspect(secret), `${secret}`]).toEqual(['[secret]', '[secret]'])
  })

  test('turning it into JSON throws, wherever it is, and so does cloning it', () => {
    for (const holder of [secret, { secret }, [[secret]]]) {
      expect(() => JSON.stringify(holder)).toThrow('a secret has no text form')
    }
    expect(inspect(structuredClone({ secret }))).not.toMatch(shows)
  })
})

describe('the bytes turn to zero', () => {
  const fresh = () => Uint8Array.of(1, 2, 3)
  const zeros = new Uint8Array(3)

  test('at the closing brace, in the array that was handed over', () => {
    const owned = fresh()
    {
      using held = new SecretBytes(owned)
      expect(held.reveal()).toEqual(fresh())
    }
    expect(owned).toEqual(zeros)
  })

  test('when the block throws or returns', () => {
    const [thrown, returned] = [fresh(), fresh()]
    expect(() => {
      using _held = new SecretBytes(thrown)
      throw new Error('in between')
    }).toThrow('in between')
    const length = (() => {
      using held = new SecretBytes(returned)
      return held.reveal().length
    })()
    expect([length, thrown, returned]).toEqual([3, zeros, zeros])
  })

  test('without the copies that somebody made, also of a Buffer, whose own slices are no copies', () => {
    const secret = new SecretBytes(Buffer.from([1, 2, 3]))
    const copy = secret.reveal().slice()
    copy.fill(0)
    expect([...secret.reveal()]).toEqual([1, 2, 3])
  })

  test('for holders of the revealed array, but not the bytes around it', () => {
    const around = Uint8Array.of(9, 1, 2, 3, 9)
    const held = new SecretBytes(around.subarray(1, 4))
    const revealed = held.reveal()
    held[Symbol.dispose]()
    held[Symbol.dispose]()
    expect(revealed).toEqual(zeros)
    expect(around).toEqual(Uint8Array.of(9, 0, 0, 0, 9))
  })
})
