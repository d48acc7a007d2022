import { verifyQosSignature } from './qos_public_key.ts'
import { type Manifest, manifestHash } from './tvc_manifest.ts'

/** An operator's approval of a manifest. `publicKey` is the operator's 130 bytes, `signature` is r‖s, both in hex. */
export type Approval = { readonly publicKey: string; readonly signature: string }

export type ApprovalVerdict = 'NotInManifestSet' | 'InvalidSignature' | 'Duplicate' | 'Valid'

/**
 * Returns a verdict on each approval, in order. The earliest valid approval of a member counts. Members are told apart
 * by their keys, byte for byte, not by signatures: one member can make many signatures over one manifest.
 */
export function approvalVerdicts(manifest: Manifest, approvals: readonly Approval[]): readonly ApprovalVerdict[] {
  const members = new Set(manifest.manifestSet.members.map(({ pubKey }) => pubKey))
  const message = manifestHash(manifest)
  const counted = new Set<string>()
  return approvals.map(({ publicKey, signature }) => {
    if (!members.has(publicKey)) return 'NotInManifestSet'
    if (!verifyQosSignature({ publicKey, message, signature })) return 'InvalidSignature'
    if (counted.has(publicKey)) return 'Duplicate'
    counted.add(publicKey)
    return 'Valid'
  })
}

/** Whether enough different members have approved. */
export function isApproved({ manifestSet }: Manifest, verdicts: readonly ApprovalVerdict[]): boolean {
  return verdicts.filter((verdict) => verdict === 'Valid').length >= manifestSet.threshold
}
