import { readActivityProof, verifyActivityProof, writeActivityProof } from '../../src/protocol/log/activity_proof.ts'
import { encodeLogEntry, hashOfLogEntry } from '../../src/protocol/log/encode_entry.ts'
import { inBase64 } from '../../src/protocol/log/exports/export_lines.ts'
import { writeCheckpoint } from '../../src/protocol/log/notes/checkpoint.ts'
import { signerOf, verifierOf } from '../../src/protocol/log/notes/signatures.ts'
import { readPolicy } from '../../src/protocol/log/policy.ts'
import { writeProof } from '../../src/protocol/log/proof.ts'
import { emptyFrontier, grown, leafHash, rootOf } from '../../src/protocol/log/tree/tree.ts'
import { inclusionProof } from '../../src/protocol/log/tree/tree_proofs.ts'
import { logsOf, organizationId } from './log_exports.ts'
import { logKey, signedNote, vkey } from './log_keys.ts'

const origin = 'keys.example/log/00000000000000000000000000000000'
const key = logKey(origin, 'Ed25519', 1)
const witness = logKey('witness.example/one', 'Ed25519 cosignature', 2)
const cosignedS = 1_790_000_060
const size = 7
const index = 5

const [log] = logsOf(
  1,
  Array.from({ length: size }, (_, at) => ({ log: 0, makes: at + 1 })),
)
const entries = (log?.entries ?? []).map(encodeLogEntry)
const activityId = log?.entries[index]?.activity?.activityId ?? ''
const otherId = log?.entries[0]?.activity?.activityId ?? ''
const policyText = `log ${vkey(key)}\nwitness one ${vkey(witness)}\nquorum one\n`

/** The text of the proof of one entry. */
function proofOf(at: number, extra?: Uint8Array): string {
  const leaves = entries.map((entry) => leafHash(hashOfLogEntry(entry)))
  const treeOf = (some: readonly Uint8Array[]) => rootOf(some.reduce(grown, emptyFrontier))
  const hashes = inclusionProof({ index: at, size }, ({ level, index: place }) =>
    treeOf(leaves.slice(place * 2 ** level, (place + 1) * 2 ** level)),
  )
  const text = writeCheckpoint({ origin, size, root: treeOf(leaves), extensions: [] })
  const signers = [signerOf(key, { timeS: 0 }), signerOf(witness, { timeS: cosignedS })]
  return Buffer.from(writeProof({ extra, index: at, hashes, note: signedNote(text, signers) })).toString()
}

function fileOf(change: { activityId?: string; entries?: { entry: string; proof: string }[] } = {}): string {
  const proven = [{ entry: inBase64(entries[index] ?? Buffer.of()), proof: proofOf(index) }]
  const whole = { organizationId, activityId, keys: [vkey(key)], entries: proven, uncoveredVersions: [] }
  return writeActivityProof({ ...whole, ...change })
}

/** The vectors of proofs of an activity, with what the code says of each. */
export function activityProofVectors() {
  const entry = entries[index] ?? Buffer.of()
  const altered = Uint8Array.from(entry, (byte, at) => (at === 7 ? byte ^ 1 : byte))
  const rows: readonly (readonly [name: string, file: string, policy: string | undefined])[] = [
    ['an activity', fileOf(), policyText],
    ['without a policy', fileOf(), undefined],
    ['a bare proof with its entry', proofOf(index, entry), policyText],
    ['a bare proof without a policy', proofOf(index, entry), undefined],
    ['a bare proof without its entry', proofOf(index), policyText],
    ['an altered entry', fileOf({ entries: [{ entry: inBase64(altered), proof: proofOf(index) }] }), policyText],
    ['an entry that is none', fileOf({ entries: [{ entry: 'AAAA', proof: proofOf(index) }] }), policyText],
    ['the proof of another entry', fileOf({ entries: [{ entry: inBase64(entry), proof: proofOf(4) }] }), policyText],
    ['another activity', fileOf({ activityId: otherId }), policyText],
    ['no entries', fileOf({ entries: [] }), policyText],
    ['a policy that does not name the log', fileOf(), policyText.replace(/^log.*\n/, '')],
    [
      'a quorum that has not cosigned',
      fileOf(),
      policyText.replace(vkey(witness), vkey({ ...witness, name: 'other' })),
    ],
  ]
  return {
    comment:
      'Proofs of an activity, and for each of their entries whether it is proven by this policy (null: by the keys of the file). `results` is null if the file is malformed.',
    activities: rows.map(([name, file, policy]) => {
      const read = readActivityProof(Buffer.from(file))
      const known = policy === undefined ? undefined : readPolicy(Buffer.from(policy))
      if (known?.kind === 'malformed') throw new Error(known.reason)
      const verdicts =
        read.kind === 'read' ? verifyActivityProof(read.value, { policy: known?.value, verifierOf }) : undefined
      return { name, file, policy: policy ?? null, results: verdicts?.map(({ kind }) => kind) ?? null }
    }),
  }
}
