import { readAddCheckpoint, sizeMediaType, writeSize } from '../../protocol/log/add_checkpoint.ts'
import { readCheckpoint } from '../../protocol/log/notes/checkpoint.ts'
import { type NoteSignature, readSignatureLines, type Verifier, writeNote } from '../../protocol/log/notes/note.ts'
import { type SigningKey, signerOf } from '../../protocol/log/notes/signatures.ts'
import { cosignatures, decide, type WitnessAnswer } from '../../protocol/log/witness.ts'
import type { Log } from '../../service/process/log.ts'
import type { KeptHeads } from './kept_heads.ts'

/** An answer over HTTP. */
export type HttpAnswer = { readonly status: number; readonly contentType: string; readonly body: Uint8Array }

export type Witness = {
  /** Answers the body of `POST /add-checkpoint`. */
  add(body: Uint8Array): Promise<HttpAnswer>
}

type WitnessParts = {
  /** The keys of each log, by its origin. */
  readonly logs: ReadonlyMap<string, readonly Verifier[]>
  readonly keys: readonly SigningKey[]
  readonly heads: KeptHeads
  readonly log: Log
}

/** The log has a line of a history that is not continued at most so often for each origin: strangers can cause it. */
const warningMs = 60_000

/** A witness of C2SP tlog-witness v1, for these logs. */
export function createWitness({ logs, keys, heads, log }: WitnessParts): Witness {
  const warnedMs = new Map<string, number>()
  let last: Promise<unknown> = Promise.resolve()

  async function answerTo(body: Uint8Array): Promise<HttpAnswer> {
    let origin = ''
    const answer = decide(body, (named) => {
      origin = named
      const verifiers = logs.get(named)
      return verifiers && { verifiers, latest: heads.get(named)?.checkpoint }
    })
    if (answer.status === 422) warnOf(origin, answer.reason)
    return answer.status === 200 ? cosigned(answer, body) : refusalOf(answer)
  }

  async function cosigned({ text, origin }: Extract<WitnessAnswer, { status: 200 }>, body: Uint8Array) {
    const timeS = Math.floor(Date.now() / 1_000)
    const lines = cosignatures(
      text,
      keysFor(text).map((key) => signerOf(key, { timeS })),
    )
    const signatures = [...logSignatures(body, logs.get(origin) ?? []), ...signaturesIn(lines)]
    const checkpoint = readCheckpoint(text)
    if (checkpoint.kind === 'malformed') throw new Error('a decided checkpoint can be read')
    await heads.put({ checkpoint: checkpoint.value, note: writeNote({ text, signatures }) })
    return { status: 200, contentType: plain, body: lines }
  }

  /** ML-DSA-44 signs no extension lines. */
  function keysFor(text: string): readonly SigningKey[] {
    const checkpoint = readCheckpoint(text)
    const hasExtensions = checkpoint.kind === 'read' && checkpoint.value.extensions.length > 0
    return hasExtensions ? keys.filter(({ type }) => type === 'Ed25519 cosignature') : keys
  }

  function warnOf(origin: string, reason: string): void {
    if (performance.now() - (warnedMs.get(origin) ?? Number.NEGATIVE_INFINITY) < warningMs) return
    warnedMs.set(origin, performance.now())
    log.warn({ origin, reason, kept: heads.get(origin)?.checkpoint.size }, 'a log was refused a cosignature')
  }

  return {
    // To decide and to store is one step: requests are answered one after the other.
    add(body) {
      const answer = last.then(() => answerTo(body))
      last = answer.catch(() => {})
      return answer
    },
  }
}

export const plain = 'text/plain; charset=utf-8'

function refusalOf(answer: Exclude<WitnessAnswer, { status: 200 }>): HttpAnswer {
  if (answer.status === 409) return { status: 409, contentType: sizeMediaType, body: writeSize(answer.size) }
  return { status: answer.status, contentType: plain, body: Buffer.from(`${answer.reason}\n`) }
}

/** One signature of each key of the log, which the decision has verified. Those of others are not kept. */
function logSignatures(body: Uint8Array, verifiers: readonly Verifier[]): readonly NoteSignature[] {
  const request = readAddCheckpoint(body)
  if (request.kind === 'malformed') throw new Error('a decided request can be read')
  return verifiers.flatMap(
    (key) => request.value.note.signatures.find(({ name, keyId }) => name === key.name && keyId === key.keyId) ?? [],
  )
}

function signaturesIn(lines: Uint8Array): readonly NoteSignature[] {
  const read = readSignatureLines(lines)
  if (read.kind === 'malformed') throw new Error('signatures that were just made can be read')
  return read.value
}
