import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { bytesIn, linesIn, textIn, textOf, utf8Of } from '../lines.ts'
import { Malformed, type Reading, readable, reading } from '../reading.ts'
import { isKeyName } from './verifier_keys.ts'

/** A text with signatures under it (C2SP signed-note v1). */
export type Note = {
  /** Ends with a line feed. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

export type NoteSignature = {
  readonly name: string
  /** Eight hex digits: `keyIdOf` of the key. */
  readonly keyId: string
  /** At least one byte. */
  readonly signature: Uint8Array
}

/** One that verifies signatures of one key. */
export type Verifier = {
  readonly name: string
  readonly keyId: string
  /** Undefined unless the signature is one of this text. */
  readonly verify: (text: string, signature: Uint8Array) => Verified | undefined
}

export type Verified = {
  /** When the text was signed, in seconds since 1970. Signatures of logs say no time, and 0 says none either. */
  readonly timeS: number | undefined
}

/** One that signs with one key. */
export type Signer = { readonly name: string; readonly keyId: string; readonly sign: (text: string) => Uint8Array }

export const noteBytesMax = 262_144
/** The specification asks for 16 at least. */
export const noteSignaturesMax = 64

const signatureStart = '— '

/** Reads a note without verifying it. */
export function readNote(bytes: Uint8Array): Reading<Note> {
  return reading(() => {
    const whole = textIn(bytes, { bytesMax: noteBytesMax })
    // The text may have empty lines too: the last one ends it.
    const end = whole.lastIndexOf('\n\n')
    if (end === -1) throw new Malformed('no empty line stands between text and signatures')
    return { text: whole.slice(0, end + 1), signatures: signaturesIn(whole.slice(end + 2)) }
  })
}

/** Throws a RangeError if text or signatures have no form. */
export function writeNote({ text, signatures }: Note): Uint8Array {
  return readable(utf8Of(`${text}\n${signatureLines(signatures)}`), readNote)
}

/** Reads the signature lines with which a witness answers (C2SP tlog-witness v1). */
export function readSignatureLines(bytes: Uint8Array): Reading<readonly NoteSignature[]> {
  return reading(() => signaturesIn(textIn(bytes, { bytesMax: noteBytesMax })))
}

export function writeSignatureLines(signatures: readonly NoteSignature[]): Uint8Array {
  return readable(utf8Of(signatureLines(signatures)), readSignatureLines)
}

/** Signs a text, which ends with a line feed. */
export function signatureOf(text: string, { name, keyId, sign }: Signer): NoteSignature {
  return { name, keyId, signature: sign(text) }
}

/** A note after its verification with known keys. */
export type Opened =
  | { readonly kind: 'signed'; readonly by: ReadonlyMap<Verifier, Verified> }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Verifies a note. Signatures of unknown keys are ignored. The note is refused if one of a known key is wrong, or if
 * there is none of a known key.
 */
export function openNote({ text, signatures }: Note, verifiers: readonly Verifier[]): Opened {
  const by = new Map<Verifier, Verified>()
  for (const { name, keyId, signature } of signatures) {
    const [verifier, another] = verifiers.filter((known) => known.name === name && known.keyId === keyId)
    if (verifier === undefined) continue
    const verified = another === undefined ? verifier.verify(text, signature) : undefined
    if (verified === undefined) return { kind: 'refused', reason: `a signature of ${name}+${keyId} is wrong` }
    if (!by.has(verifier)) by.set(verifier, verified)
  }
  return by.size === 0 ? { kind: 'refused', reason: 'no known key has signed' } : { kind: 'signed', by }
}

function signaturesIn(text: string): readonly NoteSignature[] {
  const lines = linesIn(text)
  if (lines.length === 0) throw new Malformed('there is no signature')
  if (lines.length > noteSignaturesMax) throw new Malformed(`there are more than ${noteSignaturesMax} signatures`)
  return lines.map(signatureIn)
}

function signatureIn(line: string): NoteSignature {
  const [name = '', encoded = '', ...others] = line.startsWith(signatureStart) ? line.slice(2).split(' ') : []
  if (!isKeyName(name) || others.length > 0) throw new Malformed('a signature is a dash, a name and base64')
  const bytes = bytesIn(encoded)
  if (bytes.length < 5) throw new Malformed('a signature has four bytes of its key, and more')
  return { name, keyId: bytesToHex(bytes.subarray(0, 4)), signature: bytes.subarray(4) }
}

function signatureLines(signatures: readonly NoteSignature[]): string {
  return textOf(
    signatures.map(({ name, keyId, signature }) => {
      const encoded = base64.encode(concatBytes(hexToBytes(keyId), signature))
      return `${signatureStart}${name} ${encoded}`
    }),
  )
}
