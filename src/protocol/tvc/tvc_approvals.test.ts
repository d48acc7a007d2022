import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { p256 } from '@noble/curves/nist.js'
import { expect, test } from 'vitest'
import { newP256Pair } from '../../../test/support/p256_pairs.ts'
import { type Approval, approvalVerdicts, isApproved } from './tvc_approvals.ts'
import { type ManifestV1, manifestHash } from './tvc_manifest.ts'

const recorded: { readonly approval: Approval; readonly manifest: ManifestV1 } = JSON.parse(
  readFileSync(new URL('../../../test/vectors/tvc_manifest.json', import.meta.url), 'utf8'),
)

test('the approval of the manifest that an enclave ran is valid', () => {
  const verdicts = approvalVerdicts(recorded.manifest, [recorded.approval])
  expect(verdicts).toEqual(['Valid'])
  expect(isApproved(recorded.manifest, verdicts)).toBe(true)
})

function newOperator() {
  const [encryption, signing] = [newP256Pair(), newP256Pair()]
  const publicKey = encryption.uncompressed + signing.uncompressed
  return {
    publicKey,
    /** Another signature at every call. */
    approvalOf(manifest: ManifestV1): Approval {
      const digest = createHash('sha256').update(manifestHash(manifest)).digest()
      const privateKey = Buffer.from(signing.secretHex, 'hex')
      const signature = p256.sign(digest, privateKey, { prehash: false, extraEntropy: true })
      return { publicKey, signature: Buffer.from(signature).toString('hex') }
    },
  }
}

const [ada, ben, stranger] = [newOperator(), newOperator(), newOperator()]
const manifest: ManifestV1 = {
  ...recorded.manifest,
  manifestSet: {
    threshold: 2,
    members: [
      { alias: 'Ada', pubKey: ada.publicKey },
      { alias: 'Ben', pubKey: ben.publicKey },
    ],
  },
}

test('one approval of a member counts, the earliest, however many signatures the member makes', () => {
  const approvals = [ada.approvalOf(manifest), ada.approvalOf(manifest)]
  expect(approvals[0]).not.toEqual(approvals[1])
  const verdicts = approvalVerdicts(manifest, approvals)
  expect(verdicts).toEqual(['Valid', 'Duplicate'])
  expect(isApproved(manifest, verdicts)).toBe(false)
})

test('a threshold of members makes a quorum', () => {
  const verdicts = approvalVerdicts(
    manifest,
    [ada, ben].map((operator) => operator.approvalOf(manifest)),
  )
  expect(verdicts).toEqual(['Valid', 'Valid'])
  expect(isApproved(manifest, verdicts)).toBe(true)
})

test('an approval of a key outside the manifest set is refused as such, whatever it signs', () => {
  const { signature } = ada.approvalOf(manifest)
  const approvals = [stranger.approvalOf(manifest), { publicKey: stranger.publicKey, signature }]
  expect(approvalVerdicts(manifest, approvals)).toEqual(['NotInManifestSet', 'NotInManifestSet'])
})

test('a signature of another manifest or member is invalid rather than a duplicate', () => {
  const other = { ...manifest, namespace: { ...manifest.namespace, nonce: manifest.namespace.nonce + 1 } }
  const approvals = [
    ada.approvalOf(other),
    { publicKey: ada.publicKey, signature: ben.approvalOf(manifest).signature },
    ada.approvalOf(manifest),
    ada.approvalOf(other),
  ]
  const verdicts = approvalVerdicts(manifest, approvals)
  expect(verdicts).toEqual(['InvalidSignature', 'InvalidSignature', 'Valid', 'InvalidSignature'])
})
