import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { documentDigest } from '../src/contract/records/documents.ts'
import { SecretBytes } from '../src/protocol/crypto/secret_bytes.ts'
import { encodeLogEntry, hashOfLogEntry } from '../src/protocol/log/encode_entry.ts'
import {
  inBase64,
  writeExportEnd,
  writeExportedBundle,
  writeExportedDocument,
  writeExportHeader,
} from '../src/protocol/log/exports/export_lines.ts'
import type { LogEntry } from '../src/protocol/log/log_entry.ts'
import { writeCheckpoint } from '../src/protocol/log/notes/checkpoint.ts'
import { signatureOf, writeNote } from '../src/protocol/log/notes/note.ts'
import { type SigningKey, signerOf, verifierKeyOf } from '../src/protocol/log/notes/signatures.ts'
import { writeVerifierKey } from '../src/protocol/log/notes/verifier_keys.ts'
import { tileWidth } from '../src/protocol/log/tree/tiles.ts'
import { emptyFrontier, grown, leafHash, nodeHash, rootOf } from '../src/protocol/log/tree/tree.ts'
import { inclusionProof } from '../src/protocol/log/tree/tree_proofs.ts'

const organizationId = '0190aaaa-0000-7000-8000-000000000001'
const userId = '0190aaaa-0000-7000-8000-000000000002'
const privateKeyId = '0190aaaa-0000-7000-8000-000000000003'
const startMs = 1_790_000_000_000
const times = { createdAtMs: startMs, updatedAtMs: startMs }
const secret = new Uint8Array(32).fill(7)
const publicKey = bytesToHex(p256.getPublicKey(secret))
const head = { version: 1, tag: '0c'.repeat(16) }

const key: SigningKey = {
  ...{ name: 'keys.example/log/bench', type: 'Ed25519' },
  seed: new SecretBytes(new Uint8Array(32).fill(1)),
}
export const benchPolicy = `log ${writeVerifierKey(verifierKeyOf(key))}\nquorum none\n`

/** The user and the key with which it signs. */
const genesis = {
  act: 'make_organization',
  changes: [
    {
      organizationId,
      organization: { organizationName: 'bench', rootQuorum: { threshold: 1, userIds: [userId] } },
      records: [
        {
          ...{ kind: 'user', recordId: userId },
          record: {
            ...{ userId, userName: 'root', authenticators: [], oauthProviders: [], userTags: [], ...times },
            apiKeys: [{ apiKeyId: userId, apiKeyName: 'k', publicKey, curveType: 'API_KEY_CURVE_P256', ...times }],
          },
        },
        {
          ...{ kind: 'private_key', recordId: privateKeyId },
          record: {
            ...{ privateKeyId, privateKeyName: 'k', curve: 'CURVE_SECP256K1', addresses: [], privateKeyTags: [] },
            ...{ publicKey: bytesToHex(secp256k1.getPublicKey(secret)), exported: false, imported: false, ...times },
          },
        },
      ],
    },
  ],
}

const type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'
const payload = 'bench '.repeat(20)
const message = JSON.stringify({
  ...{ type, timestampMs: String(startMs), organizationId },
  parameters: {
    ...{ signWith: privateKeyId, payload },
    ...{ encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' },
  },
})
const signed = bytesToHex(secp256k1.sign(sha256(Buffer.from(payload)), secret, { prehash: false }))
const result = { signRawPayloadResult: { r: signed.slice(0, 64), s: signed.slice(64), v: '00' } }
const stamp = p256.sign(sha256(Buffer.from(message)), secret, { prehash: false, format: 'der' })
const content = JSON.stringify({ message, signature: bytesToHex(stamp), result })
const contentDigest = documentDigest(content)

const idOf = (index: number) => `0190aaaa-0000-7000-9000-${String(index).padStart(12, '0')}`

function documentOf(index: number): string {
  const vote = {
    ...{ voteId: idOf(index), userId, organizationId, userName: 'root', selection: 'VOTE_SELECTION_APPROVED' },
    ...{ publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', createdAtMs: startMs + index },
    method: { type: 'AUTHENTICATION_TYPE_API_KEY', id: userId },
  }
  return JSON.stringify({ activityId: idOf(index), version: 1, vote, changes: [], contentDigest })
}

function entryOf(index: number, document: string): LogEntry {
  const place = { atMs: startMs + index, organizationId, number: index + 1 }
  if (index === 0) {
    const made = { activity: undefined, changeKey: '0d'.repeat(16), restsOn: undefined, makes: head }
    return { ...place, ...made, before: undefined, isOfOperator: true, document: JSON.stringify(genesis) }
  }
  const documentDigestOf = documentDigest(document)
  return {
    ...{ ...place, before: index - 1, changeKey: '0d'.repeat(16), restsOn: head, makes: undefined },
    activity: {
      ...{ activityId: idOf(index), version: 1, type, status: 'ACTIVITY_STATUS_COMPLETED' },
      documentDigest: documentDigestOf,
    },
  }
}

/** Writes an export of one organization that has signed so many payloads. Every stamp and signature in it is right. */
export async function writeBenchExport(path: string, signatures: number): Promise<void> {
  const size = signatures + 1
  const bundles = Math.ceil(size / tileWidth)
  const indexesOf = (bundle: number) => {
    const from = bundle * tileWidth
    return Array.from({ length: Math.min(tileWidth, size - from) }, (_, at) => from + at)
  }
  const encoded = (index: number) => encodeLogEntry(entryOf(index, documentOf(index)))
  const levels = [
    Array.from({ length: bundles }, (_, bundle) =>
      rootOf(indexesOf(bundle).reduce((tree, at) => grown(tree, leafHash(hashOfLogEntry(encoded(at)))), emptyFrontier)),
    ),
  ]
  for (let below = levels[0] ?? []; below.length > 1; below = levels.at(-1) ?? []) {
    const pairs = Math.floor(below.length / 2)
    levels.push(
      Array.from({ length: pairs }, (_, at) => nodeHash(below[2 * at] ?? secret, below[2 * at + 1] ?? secret)),
    )
  }
  const root = rootOf((levels[0] ?? []).reduce(grown, emptyFrontier))
  const text = writeCheckpoint({ origin: key.name, size, root, extensions: [] })
  const checkpoint = Buffer.from(
    writeNote({ text, signatures: [signatureOf(text, signerOf(key, { timeS: 0 }))] }),
  ).toString()

  const file = createWriteStream(path)
  let bytes = 0
  const append = (line: string) => {
    bytes += Buffer.byteLength(line) + 1
    return file.write(`${line}\n`)
  }
  append(writeExportHeader({ organizationId, logs: [{ keys: [writeVerifierKey(verifierKeyOf(key))], checkpoint }] }))
  const starts = [bytes]
  for (let bundle = 0; bundle < bundles; bundle += 1) {
    const indexes = indexesOf(bundle)
    const hashOf = ({ level, index }: { readonly level: number; readonly index: number }) =>
      levels[level]?.[index] ?? hexToBytes('00')
    const proof = inclusionProof({ index: bundle, size: bundles }, hashOf).map(inBase64)
    const entries = indexes.map((index) => inBase64(encoded(index)))
    append(writeExportedBundle(0, { from: bundle * tileWidth, indexes, entries, hashes: [], proof }))
    let isRoom = true
    for (const index of indexes) {
      if (index > 0) isRoom = append(writeExportedDocument({ log: 0, index, document: documentOf(index), content }))
    }
    if (!isRoom) await new Promise((resolve) => file.once('drain', resolve))
  }
  file.end(`${writeExportEnd({ starts, entries: size })}\n`)
  await finished(file)
}
