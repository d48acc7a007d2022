import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { borshManifestHash } from '../../../test/support/manifest_hash.ts'
import { type ManifestV1, type ManifestV2, manifestHash } from './tvc_manifest.ts'

const recorded: { readonly userData: string; readonly manifest: ManifestV1 } = JSON.parse(
  readFileSync(new URL('../../../test/vectors/tvc_manifest.json', import.meta.url), 'utf8'),
)

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')
const hashOf = (manifest: Parameters<typeof manifestHash>[0]) => Buffer.from(manifestHash(manifest)).toString('hex')

describe('version 1: SHA-256 of the Borsh form', () => {
  test('a manifest that an enclave ran has the hash that the enclave attested', () => {
    expect(hashOf(recorded.manifest)).toBe(recorded.userData)
  })

  test('any manifest has the hash of its bytes by the `borsh` package', () => {
    fc.assert(
      fc.property(manifests, (manifest) => {
        expect(hashOf(manifest)).toBe(borshManifestHash(manifest).toString('hex'))
      }),
    )
  })
})

describe('version 2: SHA-256 of the canonical JSON', () => {
  const { patchSet: _, ...common } = recorded.manifest
  const set = { threshold: 1, members: [{ alias: 'a', pubKey: '04aa' }] }
  const manifest: ManifestV2 = {
    version: 'v2',
    namespace: { name: 'n', nonce: 7, quorumKey: '04bb' },
    pivot: {
      hash: '44'.repeat(32),
      restart: 'Always',
      bridgeConfig: [{ type: 'server', port: 3000, host: '0.0.0.0' }],
      debugMode: false,
      args: ['--flag'],
      env: { Z: { plain: { value: 'last' } }, A: { plain: { value: 'first' } } },
    },
    manifestSet: set,
    shareSet: set,
    enclave: { pcr0: '00', pcr1: '01', pcr2: '02', pcr3: '03', awsRootCertificate: '', qosCommit: 'c' },
    dns: { resolvers: ['1.1.1.1'] },
  }

  test('is that of the text written down here by hand', () => {
    const members = '{"members":[{"alias":"a","pubKey":"04aa"}],"threshold":"1"}'
    const pivot =
      '{"args":["--flag"],"bridgeConfig":[{"host":"0.0.0.0","port":"3000","type":"server"}],"debugMode":false,' +
      '"env":{"A":{"plain":{"value":"first"}},"Z":{"plain":{"value":"last"}}},' +
      `"hash":"${'44'.repeat(32)}","restart":"Always"}`
    const canonical =
      '{"dns":{"resolvers":["1.1.1.1"]},' +
      '"enclave":{"awsRootCertificate":"","pcr0":"00","pcr1":"01","pcr2":"02","pcr3":"03","qosCommit":"c"},' +
      `"manifestSet":${members},"namespace":{"name":"n","nonce":"7","quorumKey":"04bb"},"pivot":${pivot},` +
      `"shareSet":${members},"version":"v2"}`
    expect(hashOf(manifest)).toBe(sha256(canonical))
  })

  test('differs from that of version 1 with the same members', () => {
    expect(hashOf({ ...common, version: 'v2' })).not.toBe(recorded.userData)
  })
})

const texts = fc.string({ unit: 'grapheme', maxLength: 20 })
const hex = (bytes: object) => fc.uint8Array(bytes).map((value) => Buffer.from(value).toString('hex'))
const anyHex = hex({ maxLength: 140 })
const u16s = fc.nat({ max: 0xffff })
const u32s = fc.nat({ max: 0xffff_ffff })
const memberSets = fc.record({
  threshold: u32s,
  members: fc.array(fc.record({ alias: texts, pubKey: anyHex }), { maxLength: 3 }),
})
const bridges = fc.oneof(
  fc.record({ type: fc.constant('server' as const), port: u16s, host: texts }),
  fc.record({ type: fc.constant('client' as const), port: u16s, host: texts }),
  fc.record({ type: fc.constant('client' as const), port: u16s }),
)
const manifests: fc.Arbitrary<ManifestV1> = fc.record({
  namespace: fc.record({ name: texts, nonce: u32s, quorumKey: anyHex }),
  pivot: fc.record({
    hash: hex({ minLength: 32, maxLength: 32 }),
    restart: fc.constantFrom('Never' as const, 'Always' as const),
    bridgeConfig: fc.array(bridges, { maxLength: 3 }),
    debugMode: fc.boolean(),
    args: fc.array(texts, { maxLength: 3 }),
  }),
  manifestSet: memberSets,
  shareSet: memberSets,
  enclave: fc.record({
    ...{ pcr0: anyHex, pcr1: anyHex, pcr2: anyHex, pcr3: anyHex },
    ...{ awsRootCertificate: anyHex, qosCommit: texts },
  }),
  patchSet: fc.record({ threshold: u32s, members: fc.array(fc.record({ pubKey: anyHex }), { maxLength: 3 }) }),
})
