import { verifyActivityProof } from '../../../../protocol/log/activity_proof.ts'
import { encodeLogEntry } from '../../../../protocol/log/encode_entry.ts'
import { openNote } from '../../../../protocol/log/notes/note.ts'
import { verifierOf } from '../../../../protocol/log/notes/signatures.ts'
import type { VerifierKey } from '../../../../protocol/log/notes/verifier_keys.ts'
import type { Policy } from '../../../../protocol/log/policy.ts'
import { isSameHash } from '../../../../protocol/log/tree/tree.ts'
import type { Held, HeldCheckpoint, HeldProof } from '../../held_files.ts'
import type { Findings } from '../findings.ts'
import type { CheckedLog, PlacedEntry } from './check_log.ts'

/** How far the file is compared with what the reader has from elsewhere. */
export type HeldResult = {
  /** The checkpoints whose trees are those of the file. */
  readonly reached: readonly HeldTree[]
  /** Checkpoints of smaller trees, which the file goes beyond. It has no proof that it continues them. */
  readonly passed: readonly HeldTree[]
  /** Checkpoints of larger trees, before which the file ends. */
  readonly ahead: readonly HeldTree[]
  /** How many entries of the given proofs the file has. */
  readonly provenEntries: number
}

type HeldTree = { readonly origin: string; readonly size: number; readonly path: string }

export type ExportedTree = Pick<CheckedLog, 'origin' | 'size' | 'root'> & { readonly keys: readonly VerifierKey[] }

type Known = {
  readonly organizationId: string
  readonly logs: readonly ExportedTree[]
  readonly policy: Policy | undefined
  readonly findings: Findings
}

/** Checks that a file reaches the checkpoints that the reader holds, and has the entries of the proofs. */
export function createHeldCheck({ checkpoints, proofs }: Held, known: Known) {
  const { findings } = known
  const places = checkpoints.map((held) => ({ held, place: placeOf(held, known) }))
  const treesAt = (wanted: 'reached' | 'passed' | 'ahead') =>
    places.filter(({ place }) => place === wanted).map(({ held: { origin, size, path } }) => ({ origin, size, path }))
  const due = new Map(proofs.flatMap((proof) => [...entriesIn(proof, known)]))
  let provenEntries = 0

  return {
    add({ origin, index, entry }: PlacedEntry): void {
      if (due.size === 0) return
      const bytes = due.get(`${origin} ${index}`)?.bytes
      if (bytes === undefined) return
      due.delete(`${origin} ${index}`)
      if (Buffer.compare(bytes, encodeLogEntry(entry)) === 0) provenEntries += 1
      else findings.add({ origin, index, what: 'A FORK: the log has proven another entry at this place' })
    },
    /** To be called after the last entry. */
    end(): HeldResult {
      for (const { origin, index, path } of due.values()) {
        findings.add({ origin, index, what: `${path} proves this entry, and the file leaves it out` })
      }
      return { reached: treesAt('reached'), passed: treesAt('passed'), ahead: treesAt('ahead'), provenEntries }
    },
  }
}

function placeOf(held: HeldCheckpoint, { logs, policy, findings }: Known): 'reached' | 'passed' | 'ahead' | 'wrong' {
  const { origin, size, root, path, note } = held
  const wrong = (what: string) => {
    findings.add({ origin, what })
    return 'wrong' as const
  }
  const log = logs.find((each) => each.origin === origin)
  if (log === undefined) return wrong(`${path} is of this log, and the file has nothing of it`)
  const keys = policy === undefined ? log.keys : policy.logs.map(({ key }) => key).filter(({ name }) => name === origin)
  const opened = openNote(note, keys.map(verifierOf))
  if (opened.kind === 'refused') return wrong(`${path} is no checkpoint of this log: ${opened.reason}`)
  if (size > log.size) {
    const what = `OLDER THAN WHAT YOU HOLD: the file has a tree of ${log.size} entries, and ${path} one of ${size}. ${olderMeans}`
    findings.add({ origin, what: `${what} --checkpoint ${path}`, kind: 'older' })
    return 'ahead'
  }
  if (size < log.size) return 'passed'
  return isSameHash(root, log.root) ? 'reached' : wrong(`A FORK: ${path} has another tree of ${size} entries`)
}

const olderMeans =
  'Nobody can tell from it whether it is old or was cut off, nor whether it is the beginning of the larger tree. Ask for an export that ends there: claviger log export'

type DueEntry = { readonly origin: string; readonly index: number; readonly bytes: Uint8Array; readonly path: string }

/** The entries of a proof by their places. */
function* entriesIn(
  proof: HeldProof,
  { organizationId, policy, findings }: Known,
): Generator<readonly [string, DueEntry]> {
  const { path } = proof
  // The reader vouches for the proof, whether or not its checkpoint was cosigned in time.
  const withoutQuorum = policy && { ...policy, quorum: 'none' }
  for (const [at, verdict] of verifyActivityProof(proof, { policy: withoutQuorum, verifierOf }).entries()) {
    const bytes = proof.entries[at]?.entry
    if (verdict.kind === 'refused' || bytes === undefined) {
      findings.add({ what: `${path} proves nothing: ${verdict.kind === 'refused' ? verdict.reason : ''}` })
    } else if (verdict.entry.organizationId !== organizationId) {
      findings.add({ what: `${path} is of another organization, ${verdict.entry.organizationId}` })
    } else {
      const { origin } = verdict.by.checkpoint
      const { index } = verdict
      yield [`${origin} ${index}`, { origin, index, bytes, path }]
    }
  }
}
