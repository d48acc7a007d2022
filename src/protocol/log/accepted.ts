import { type Checkpoint, readCheckpoint } from './notes/checkpoint.ts'
import { type Note, openNote, type Verifier } from './notes/note.ts'
import { type VerifierKey, writeVerifierKey } from './notes/verifier_keys.ts'
import { isQuorum, type Policy } from './policy.ts'

export type Accepted =
  | {
      readonly kind: 'accepted'
      readonly checkpoint: Checkpoint
      /** The witnesses that have cosigned, by their names in the policy, and when, in seconds since 1970. */
      readonly witnesses: ReadonlyMap<string, number | undefined>
    }
  | { readonly kind: 'refused'; readonly reason: string }

/** Nothing is wrong, and witnesses have not cosigned. */
export const withoutQuorum = { kind: 'refused', reason: 'there is no quorum of witnesses' } as const

/**
 * Whether a checkpoint is one that the policy accepts: its log, which the policy names, has signed it, and so has a
 * quorum of witnesses. A wrong signature of any key of the policy refuses it.
 */
export function acceptCheckpoint(
  note: Note,
  { policy, verifierOf }: { readonly policy: Policy; readonly verifierOf: (key: VerifierKey) => Verifier },
): Accepted {
  const checkpoint = readCheckpoint(note.text)
  if (checkpoint.kind === 'malformed') return { kind: 'refused', reason: checkpoint.reason }
  const logs = policy.logs.filter(({ key }) => key.name === checkpoint.value.origin)
  if (logs.length === 0) return { kind: 'refused', reason: 'the policy names no such log' }
  // A key may be that of a log and of a witness.
  const keys = new Map([...logs, ...policy.witnesses].map(({ key }) => [writeVerifierKey(key), key]))
  const verifiers = new Map([...keys].map(([text, key]) => [text, verifierOf(key)]))
  const opened = openNote(note, [...verifiers.values()])
  if (opened.kind === 'refused') return opened
  const verifiedBy = (key: VerifierKey) => {
    const verifier = verifiers.get(writeVerifierKey(key))
    return verifier && opened.by.get(verifier)
  }
  if (!logs.some(({ key }) => verifiedBy(key))) return { kind: 'refused', reason: 'the log has not signed' }
  const witnesses = new Map<string, number | undefined>()
  for (const { name, key } of policy.witnesses) {
    const verified = verifiedBy(key)
    if (verified) witnesses.set(name, verified.timeS)
  }
  if (!isQuorum(new Set(witnesses.keys()), policy)) return withoutQuorum
  return { kind: 'accepted', checkpoint: checkpoint.value, witnesses }
}
