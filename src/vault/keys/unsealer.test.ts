import { randomBytes, scryptSync } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { namedPipe } from '../../../test/support/named_pipe.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { keyFileUnsealer, passphraseUnsealer, UnsealError, type Unsealer } from './unsealer.ts'
import { sealSeed } from './wrapped_seed.ts'

const seed = Uint8Array.from({ length: 32 }, (_, index) => index + 1)

for (const [name, make] of [
  ['the key file', () => keyFileUnsealer({ path: newPath(), create: true })],
  ['the passphrase', () => passphraseUnsealer({ path: passphraseFile('correct horse') })],
] as const) {
  describe(`the unsealer of ${name}`, () => {
    test('unwraps what it wrapped, and each wrapping differs', async () => {
      const unsealer = make()
      const [one, two] = [await wrap(unsealer), await wrap(unsealer)]
      expect(one).not.toEqual(two)
      for (const wrapped of [one, two]) expect((await unsealer.unwrap(wrapped)).reveal()).toEqual(seed)
      expect(Buffer.from(one).includes(Buffer.from(seed.subarray(0, 8)))).toBe(false)
    })

    test('refuses a seed of another size', async () => {
      await expect(make().wrap(new SecretBytes(new Uint8Array(31)))).rejects.toThrow('32 bytes')
    })
  })
}

describe('a wrapped seed that was changed is refused', () => {
  test('at every byte, when a key file wrapped it', async () => {
    const unsealer = keyFileUnsealer({ path: newPath(), create: true })
    const wrapped = await wrap(unsealer)
    for (let index = 0; index < wrapped.length; index++) {
      const changed = Uint8Array.from(wrapped)
      changed[index] = (changed[index] ?? 0) ^ 1
      await expect(unsealer.unwrap(changed)).rejects.toBeInstanceOf(UnsealError)
    }
  })

  test('cut off or longer', async () => {
    const unsealer = keyFileUnsealer({ path: newPath(), create: true })
    const wrapped = await wrap(unsealer)
    for (let length = 0; length < wrapped.length; length++) {
      await expect(unsealer.unwrap(wrapped.subarray(0, length))).rejects.toBeInstanceOf(UnsealError)
    }
    await expect(unsealer.unwrap(Uint8Array.of(...wrapped, 0))).rejects.toBeInstanceOf(UnsealError)
  })

  test('in its scrypt parameters, and scrypt never runs with any beyond the bounds', async () => {
    const unsealer = passphraseUnsealer({ path: passphraseFile('correct horse') })
    const wrapped = await wrap(unsealer)
    const parametersAt = 2 + 'passphrase'.length + 1
    for (const [offset, value] of [
      [0, 13],
      [0, 16],
      [0, 21],
      [0, 255],
      [1, 7],
      [1, 255],
      [2, 0],
      [2, 5],
      [3, (wrapped[parametersAt + 3] ?? 0) ^ 1],
    ] as const) {
      const changed = Uint8Array.from(wrapped)
      changed[parametersAt + offset] = value
      await expect(unsealer.unwrap(changed)).rejects.toBeInstanceOf(UnsealError)
    }
  })

  test('in its unsealer, with an error that names the other one', async () => {
    const wrapped = await wrap(keyFileUnsealer({ path: newPath(), create: true }))
    const unsealer = passphraseUnsealer({ path: passphraseFile('correct horse') })
    await expect(unsealer.unwrap(wrapped)).rejects.toThrow('but by key-file: leave CLAVIGER_ROOT_PASSPHRASE_FILE out')
  })
})

describe('the key file', () => {
  test('is made by the first wrap, for its owner only', async () => {
    const directory = join(mkdtempSync(join(tmpdir(), 'claviger-key-')), 'vault')
    const path = join(directory, 'root.key')
    await wrap(keyFileUnsealer({ path, create: true }))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(path).size).toBe(32)
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    expect(readdirSync(directory)).toEqual(['root.key'])
  })

  test('that exists is used and not replaced', async () => {
    const path = newPath()
    const wrapped = await wrap(keyFileUnsealer({ path, create: true }))
    const before = readFileSync(path)
    await wrap(keyFileUnsealer({ path, create: true }))
    expect(readFileSync(path)).toEqual(before)
    expect((await keyFileUnsealer({ path, create: false }).unwrap(wrapped)).reveal()).toEqual(seed)
  })

  test('is the same one for unsealers that make it at once', async () => {
    const path = newPath()
    const unsealers = Array.from({ length: 8 }, () => keyFileUnsealer({ path, create: true }))
    const wrapped = await Promise.all(unsealers.map(wrap))
    for (const one of wrapped) expect((await unsealers[0]?.unwrap(one))?.reveal()).toEqual(seed)
  })

  test('is not made by unwrap if it is missing, nor without create', async () => {
    const wrapped = await wrap(keyFileUnsealer({ path: newPath(), create: true }))
    const path = newPath()
    await expect(keyFileUnsealer({ path, create: true }).unwrap(wrapped)).rejects.toThrow(/is missing: restore it/)
    await expect(wrap(keyFileUnsealer({ path, create: false }))).rejects.toThrow(/is missing: restore it/)
    expect(existsSync(path)).toBe(false)
  })

  for (const [mode, accepted] of [
    [0o600, true],
    [0o400, true],
    [0o640, false],
    [0o604, false],
    [0o620, false],
  ] as const) {
    test(`of mode ${mode.toString(8)} is ${accepted ? 'accepted' : 'refused'}`, async () => {
      const path = newPath()
      const unsealer = keyFileUnsealer({ path, create: true })
      const wrapped = await wrap(unsealer)
      chmodSync(path, mode)
      if (accepted) expect((await unsealer.unwrap(wrapped)).reveal().length).toBe(32)
      else await expect(unsealer.unwrap(wrapped)).rejects.toThrow(`chmod 600 ${path}`)
    })
  }

  for (const size of [0, 31, 33]) {
    test(`of ${size} bytes is refused and not replaced`, async () => {
      const path = newPath()
      writeFileSync(path, new Uint8Array(size), { mode: 0o600 })
      await expect(wrap(keyFileUnsealer({ path, create: true }))).rejects.toBeInstanceOf(UnsealError)
      expect(statSync(path).size).toBe(size)
    })
  }

  test('is named in the error if another one wrapped the seed', async () => {
    const wrapped = await wrap(keyFileUnsealer({ path: newPath(), create: true }))
    const path = newPath()
    const other = keyFileUnsealer({ path, create: true })
    await wrap(other)
    await expect(other.unwrap(wrapped)).rejects.toThrow(path)
  })
})

describe('the passphrase', () => {
  test('is the same with and without one line ending', async () => {
    const wrapped = await wrap(passphraseUnsealer({ path: passphraseFile('correct horse\n') }))
    for (const content of ['correct horse', 'correct horse\r\n']) {
      const unsealer = passphraseUnsealer({ path: passphraseFile(content) })
      expect((await unsealer.unwrap(wrapped)).reveal()).toEqual(seed)
    }
  })

  test('is another one with two, or with another word, and the error does not show it', async () => {
    const wrapped = await wrap(passphraseUnsealer({ path: passphraseFile('correct horse') }))
    for (const content of ['correct horse\n\n', 'wrong horse']) {
      const refused = passphraseUnsealer({ path: passphraseFile(content) }).unwrap(wrapped)
      await expect(refused).rejects.toBeInstanceOf(UnsealError)
      await expect(refused).rejects.not.toThrow('horse')
    }
  })

  for (const [name, content] of [
    ['empty', ''],
    ['only a line ending', '\r\n'],
    ['longer than 1024 bytes', 'a'.repeat(1025)],
  ] as const) {
    test(`is refused when it is ${name}`, async () => {
      const unsealer = passphraseUnsealer({ path: passphraseFile(content) })
      await expect(wrap(unsealer)).rejects.toBeInstanceOf(UnsealError)
    })
  }

  test.each([
    ['correct hor', 11],
    ['äöüäöüäöüäö\n', 11],
    ['🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑\r\n', 11],
    ['a', 1],
  ])('wraps nothing if it is %j, which has %i characters', async (content, characters) => {
    const path = passphraseFile(content)
    await expect(wrap(passphraseUnsealer({ path }))).rejects.toThrow(
      `the passphrase in ${path} has ${characters} characters, and at least 12 are needed: write a longer one`,
    )
  })

  test.each(['correct hors', 'äöüäöüäöüäöü\n', '🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑'])(
    'wraps if it is %j, of 12 characters',
    async (content) => {
      const unsealer = passphraseUnsealer({ path: passphraseFile(content) })
      expect((await unsealer.unwrap(await wrap(unsealer))).reveal()).toEqual(seed)
    },
  )

  test.each<[string, BufferEncoding]>([
    ['UTF-8', 'utf8'],
    ['UTF-16', 'utf16le'],
  ])('wraps nothing from a file with a byte order mark of %s', async (_name, encoding) => {
    const path = passphraseFile('\ufeffcorrect horse', encoding)
    await expect(wrap(passphraseUnsealer({ path }))).rejects.toThrow(
      `the file ${path} begins with a byte order mark, which would be a part of the passphrase: save it as UTF-8 without`,
    )
  })

  test('goes on with the byte order mark with which an earlier version wrapped, and the mark is named beside a wrong one', async () => {
    const content = '\ufeffcorrect horse'
    const salt = randomBytes(16)
    using key = new SecretBytes(scryptSync(content, salt, 32, { N: 2 ** 14, r: 8, p: 1, maxmem: 2 ** 26 }))
    const parameters = Uint8Array.of(14, 8, 1, ...salt)
    using masterSeed = new SecretBytes(Uint8Array.from(seed))
    const wrapped = sealSeed({ unsealer: 'passphrase', parameters, key, masterSeed })
    expect((await passphraseUnsealer({ path: passphraseFile(content) }).unwrap(wrapped)).reveal()).toEqual(seed)
    const plain = passphraseUnsealer({ path: passphraseFile('correct horse') }).unwrap(wrapped)
    await expect(plain).rejects.not.toThrow('byte order mark')
    const wrong = passphraseUnsealer({ path: passphraseFile('\ufeffwrong horse') }).unwrap(wrapped)
    await expect(wrong).rejects.toThrow('begins with a byte order mark')
  })

  for (const mode of [0o640, 0o604, 0o620]) {
    test(`in a file of mode ${mode.toString(8)} is refused`, async () => {
      const path = passphraseFile('correct horse')
      const wrapped = await wrap(passphraseUnsealer({ path }))
      chmodSync(path, mode)
      const unsealer = passphraseUnsealer({ path })
      const refusal = `others may read the passphrase file ${path}: run chmod 600 ${path}`
      for (const refused of [() => wrap(unsealer), () => unsealer.unwrap(wrapped)]) {
        await expect(refused()).rejects.toThrow(UnsealError)
        await expect(refused()).rejects.toThrow(refusal)
      }
    })
  }

  test.each([
    ['a named pipe', () => namedPipe('correct horse battery staple\n')],
    ['a folder', () => mkdtempSync(join(tmpdir(), 'claviger-unsealer-'))],
  ])('is not read from %s', async (_what, make) => {
    const path = make()
    const refusal = new UnsealError(`the passphrase file ${path} is not a regular file: write the passphrase into one`)
    await expect(wrap(passphraseUnsealer({ path }))).rejects.toThrow(refusal)
  })

  test('whose file is missing is an UnsealError', async () => {
    await expect(wrap(passphraseUnsealer({ path: newPath() }))).rejects.toBeInstanceOf(UnsealError)
  })
})

function wrap(unsealer: Unsealer): Promise<Uint8Array> {
  return unsealer.wrap(new SecretBytes(Uint8Array.from(seed)))
}

function newPath(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'claviger-unsealer-')), 'file')
  rmSync(path, { force: true })
  return path
}

function passphraseFile(content: string, encoding: BufferEncoding = 'utf8'): string {
  const path = newPath()
  writeFileSync(path, content, { mode: 0o600, encoding })
  return path
}
