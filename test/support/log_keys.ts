import { SecretBytes } from '../../src/protocol/crypto/secret_bytes.ts'
import { type Note, type Signer, signatureOf } from '../../src/protocol/log/notes/note.ts'
import { type SigningKey, verifierKeyOf } from '../../src/protocol/log/notes/signatures.ts'
import { type KeyType, writeVerifierKey } from '../../src/protocol/log/notes/verifier_keys.ts'

/** A key of a log or a witness whose seed is one byte, repeated. */
export function logKey(name: string, type: KeyType, byte: number): SigningKey {
  return { name, type, seed: new SecretBytes(new Uint8Array(32).fill(byte)) }
}

/** The text form of its public key. */
export function vkey(key: SigningKey): string {
  return writeVerifierKey(verifierKeyOf(key))
}

/** A text that these have signed. */
export function signedNote(text: string, signers: readonly Signer[]): Note {
  return { text, signatures: signers.map((signer) => signatureOf(text, signer)) }
}
