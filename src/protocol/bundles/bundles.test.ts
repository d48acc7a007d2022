import { ed25519 } from '@noble/curves/ed25519.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import {
  decryptExportBundle,
  encryptOtpCodeToBundle,
  encryptPrivateKeyToBundle,
  encryptWalletToBundle,
  formatHpkeBuf,
  hpkeEncrypt,
} from '@turnkey/crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bitFlipped, newP256Pair, randomBytes } from '../../../test/support/p256_pairs.ts'
import { SecretBytes } from '../crypto/secret_bytes.ts'
import { Failure } from '../wire/failures.ts'
import {
  bundlePlaintextBytesMax,
  exportBundle,
  importTargetBundle,
  openEncryptedBundle,
  otpTargetBundle,
  parseEncryptedBundle,
  parseTargetPublicKey,
} from './bundles.ts'

const signer = newP256Pair()
const target = newP256Pair()
const organizationId = '0197c1f0-0000-7000-8000-000000000001'
const userId = '0197c1f0-0000-7000-8000-000000000002'
const fieldPath = 'parameters.encryptedBundle'
const dangerouslyOverrideSignerPublicKey = signer.uncompressed

const mnemonic =
  'leaf lady until indicate praise final route toast cake minimum insect unknown army rigid shield rough wide rookie'

function exported(plaintext: Uint8Array): string {
  using secret = signer.secret()
  using content = new SecretBytes(plaintext.slice())
  return exportBundle({
    signingSecret: secret,
    organizationId,
    targetPublicKey: target.point,
    plaintext: content,
    randomBytes,
  })
}

function imported(text: string, pair = target): string {
  using secret = pair.secret()
  using opened = openEncryptedBundle({ text, receiverSecret: secret, fieldPath })
  return Buffer.from(opened.reveal()).toString('hex')
}

function failureOf(run: () => unknown): Failure {
  try {
    run()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('an export bundle that @turnkey/crypto opens', () => {
  const theirs = { embeddedKey: target.secretHex, organizationId, dangerouslyOverrideSignerPublicKey }

  test('gives a private key as hex', async () => {
    for (let round = 0; round < 20; round += 1) {
      const key = randomBytes(32)
      const parts = { ...theirs, exportBundle: exported(key), returnMnemonic: false }
      expect(await decryptExportBundle(parts)).toBe(Buffer.from(key).toString('hex'))
    }
  })

  test('gives a Solana key as base58 of seed and public key', async () => {
    const seed = randomBytes(32)
    const parts = { ...theirs, exportBundle: exported(seed), keyFormat: 'SOLANA', returnMnemonic: false } as const
    const both = Uint8Array.of(...seed, ...ed25519.getPublicKey(seed))
    expect(await decryptExportBundle(parts)).toBe(base58.encode(both))
  })

  test('gives a mnemonic as text', async () => {
    for (const text of [mnemonic, `${mnemonic}\npassphrase`]) {
      const parts = { ...theirs, exportBundle: exported(Buffer.from(text)), returnMnemonic: true }
      expect(await decryptExportBundle(parts)).toBe(text)
    }
  })

  test('is refused for another organization, another signer, and with another key', async () => {
    const parts = { ...theirs, exportBundle: exported(randomBytes(32)), returnMnemonic: false }
    await expect(decryptExportBundle({ ...parts, organizationId: userId })).rejects.toThrow('organization id')
    const other = newP256Pair()
    await expect(
      decryptExportBundle({ ...parts, dangerouslyOverrideSignerPublicKey: other.uncompressed }),
    ).rejects.toThrow('signer key')
    await expect(decryptExportBundle({ ...parts, embeddedKey: other.secretHex })).rejects.toThrow('Error decrypting')
  })
})

describe('a bundle that @turnkey/crypto encrypts to an import target', () => {
  const importBundle = () => {
    using signingSecret = signer.secret()
    return importTargetBundle({ signingSecret, targetPublicKey: target.point, organizationId, userId })
  }
  const theirs = { userId, organizationId, dangerouslyOverrideSignerPublicKey }

  test('holds a private key, in hex or of Solana', async () => {
    const key = randomBytes(32)
    const privateKey = Buffer.from(key).toString('hex')
    const hex = { ...theirs, importBundle: importBundle(), keyFormat: 'HEXADECIMAL' } as const
    expect(imported(await encryptPrivateKeyToBundle({ ...hex, privateKey }))).toBe(privateKey)
    expect(imported(await encryptPrivateKeyToBundle({ ...hex, privateKey: `0x${privateKey}` }))).toBe(privateKey)
    const both = base58.encode(Uint8Array.of(...key, ...ed25519.getPublicKey(key)))
    const solana = { ...theirs, importBundle: importBundle(), keyFormat: 'SOLANA', privateKey: both } as const
    expect(imported(await encryptPrivateKeyToBundle(solana))).toBe(privateKey)
  })

  test('holds a mnemonic', async () => {
    const bundle = await encryptWalletToBundle({ ...theirs, importBundle: importBundle(), mnemonic })
    expect(Buffer.from(imported(bundle), 'hex').toString()).toBe(mnemonic)
  })

  test('is not made for another user or organization', async () => {
    const parts = { ...theirs, importBundle: importBundle(), mnemonic }
    await expect(encryptWalletToBundle({ ...parts, userId: organizationId })).rejects.toThrow('user id')
    await expect(encryptWalletToBundle({ ...parts, organizationId: userId })).rejects.toThrow('organization id')
  })
})

test('@turnkey/crypto encrypts a passcode to the target that is signed for it', async () => {
  using signingSecret = signer.secret()
  const bundle = otpTargetBundle({ signingSecret, targetPublicKey: target.point, organizationId })
  const publicKey = newP256Pair().compressed
  const encrypted = await encryptOtpCodeToBundle('0A1B2C3D4', bundle, publicKey, signer.uncompressed)
  expect(JSON.parse(Buffer.from(imported(encrypted), 'hex').toString())).toEqual({
    otp_code: '0A1B2C3D4',
    public_key: publicKey,
  })
})

describe('parseEncryptedBundle', () => {
  const good = { encappedPublic: target.uncompressed, ciphertext: '00'.repeat(16) }
  const text = (members: object) => JSON.stringify({ ...good, ...members })
  const offCurve = `${target.uncompressed.slice(0, -2)}${target.uncompressed.endsWith('00') ? '01' : '00'}`

  test('reads hex in either case, white space, and the members in either order', () => {
    const expected = { encappedPublic: target.point, ciphertext: new Uint8Array(16) }
    expect(parseEncryptedBundle(text({}), fieldPath)).toEqual(expected)
    expect(parseEncryptedBundle(text({ encappedPublic: target.uncompressed.toUpperCase() }), fieldPath)).toEqual(
      expected,
    )
    const { ciphertext, encappedPublic } = good
    const spacious = JSON.stringify({ ciphertext, encappedPublic }, undefined, 2)
    expect(parseEncryptedBundle(spacious, fieldPath)).toEqual(expected)
  })

  test.each([
    ['nothing', ''],
    ['no JSON', 'encappedPublic'],
    ['a list', '[]'],
    ['a text', '"04"'],
    ['null', 'null'],
    ['an empty object', '{}'],
    ['no ciphertext', JSON.stringify({ encappedPublic: good.encappedPublic })],
    ['no point', JSON.stringify({ ciphertext: good.ciphertext })],
    ['a member twice', text({}).replace('{', `{"ciphertext":"${'11'.repeat(16)}",`)],
    ['another member', text({ organizationId })],
    ['a member of the prototype', text({}).replace('{', '{"__proto__":"",')],
    ['a number', text({ ciphertext: 0 })],
    ['a list of numbers', text({ ciphertext: [0, 1] })],
    ['a compressed point', text({ encappedPublic: target.compressed })],
    ['a point in the hybrid form', text({ encappedPublic: target.uncompressed.replace('04', '06') })],
    ['a point beside the curve', text({ encappedPublic: offCurve })],
    ['a point of zeros', text({ encappedPublic: `04${'00'.repeat(64)}` })],
    ['a prefix', text({ encappedPublic: `0x${target.uncompressed}` })],
    ['half a byte', text({ ciphertext: `${good.ciphertext}0` })],
    ['letters that are no digits', text({ ciphertext: `${good.ciphertext}0g` })],
    ['white space among the digits', text({ ciphertext: `${good.ciphertext}00\n` })],
    ['less than a tag', text({ ciphertext: '00'.repeat(15) })],
    ['too long a ciphertext', text({ ciphertext: '00'.repeat(bundlePlaintextBytesMax + 17) })],
    ['too long a text', `${text({})}${' '.repeat(10_000)}`],
    ['half a character', text({ ciphertext: '\ud800' })],
    ['a byte order mark', `\ufeff${text({})}`],
  ])('refuses %s', (_name, bad) => {
    const failure = failureOf(() => parseEncryptedBundle(bad, fieldPath))
    expect(failure).toMatchObject({ code: 'FIELD_INVALID', httpStatus: 400, fieldPath })
    expect(failureOf(() => imported(bad))).toMatchObject({ code: 'FIELD_INVALID', fieldPath })
  })

  test('the longest plaintext passes', () => {
    const longest = hpkeEncrypt({ plainTextBuf: new Uint8Array(bundlePlaintextBytesMax), targetKeyBuf: target.point })
    expect(imported(formatHpkeBuf(longest))).toBe('00'.repeat(bundlePlaintextBytesMax))
  })

  test('any text, JSON, cut or changed bundle is FIELD_INVALID', () => {
    const bundle = formatHpkeBuf(hpkeEncrypt({ plainTextBuf: Buffer.from(mnemonic), targetKeyBuf: target.point }))
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.record({ encappedPublic: fc.jsonValue(), ciphertext: fc.jsonValue() }).map((value) => JSON.stringify(value)),
      fc.nat({ max: bundle.length - 1 }).map((length) => bundle.slice(0, length)),
      fc.nat().map((bit) => Buffer.from(bitFlipped(Buffer.from(bundle), bit)).toString('latin1')),
    )
    fc.assert(
      fc.property(texts, (bad) => {
        // Flipping the fifth bit of a letter gives its other case, which is the same hex digit.
        fc.pre(bad.toLowerCase() !== bundle.toLowerCase() || bad.slice(0, 20) !== bundle.slice(0, 20))
        expect(failureOf(() => imported(bad))).toMatchObject({ code: 'FIELD_INVALID', httpStatus: 400, fieldPath })
      }),
      { numRuns: 500 },
    )
  })

  test('a bundle for another key says what to do', () => {
    const bundle = formatHpkeBuf(hpkeEncrypt({ plainTextBuf: Buffer.from(mnemonic), targetKeyBuf: target.point }))
    expect(failureOf(() => imported(bundle, newP256Pair())).message).toContain('encrypt it to the targetPublic')
  })
})

describe('parseTargetPublicKey', () => {
  const path = 'parameters.targetPublicKey'

  test('reads either form, in either case', () => {
    for (const text of [target.uncompressed, target.compressed, target.uncompressed.toUpperCase()]) {
      expect(parseTargetPublicKey(text, path)).toEqual(target.point)
    }
  })

  test('anything else is FIELD_INVALID', () => {
    const digits = fc.stringMatching(/^0[2-7][0-9a-f]{64}$/)
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string(), digits), (text) => {
        let point: Uint8Array
        try {
          point = parseTargetPublicKey(text, path)
        } catch (error) {
          expect(error).toMatchObject({ name: 'Failure', code: 'FIELD_INVALID', fieldPath: path })
          return
        }
        expect(Buffer.from(point.subarray(1, 33))).toEqual(Buffer.from(hexToBytes(text).subarray(1)))
      }),
    )
    for (const text of [
      '',
      target.uncompressed.replace('04', '06'),
      `0x${target.compressed}`,
      ` ${target.compressed}`,
    ]) {
      expect(failureOf(() => parseTargetPublicKey(text, path)).fieldPath).toBe(path)
    }
  })
})
