import { verifyAppProofSignature } from '@turnkey/crypto'
import { expect } from 'vitest'

/** Returns the content of a proof, after the clients' own package has verified its signature. */
export function readProof(proof: Parameters<typeof verifyAppProofSignature>[0]): ReturnType<typeof JSON.parse> {
  expect(Object.keys(proof).sort()).toEqual(['proofPayload', 'publicKey', 'scheme', 'signature'])
  verifyAppProofSignature(proof)
  return JSON.parse(proof.proofPayload)
}
