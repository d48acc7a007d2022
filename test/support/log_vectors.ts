import { hash } from 'node:crypto'
import { bytesToHex } from '@noble/hashes/utils.js'
import { ml_dsa44 } from '@noble/post-quantum/ml-dsa.js'
import { writeAddCheckpoint } from '../../src/protocol/log/add_checkpoint.ts'
import { readCheckpoint, writeCheckpoint } from '../../src/protocol/log/notes/checkpoint.ts'
import { cosignedTree, timed } from '../../src/protocol/log/notes/cosignature.ts'
import { type Note, openNote, readNote, type Signer, writeNote } from '../../src/protocol/log/notes/note.ts'
import { type SigningKey, signerOf, verifierKeyOf, verifierOf } from '../../src/protocol/log/notes/signatures.ts'
import { keyIdOf, keyTypes, readVerifierKey } from '../../src/protocol/log/notes/verifier_keys.ts'
import { isQuorum, readPolicy } from '../../src/protocol/log/policy.ts'
import { readProof, verifyProof, writeProof } from '../../src/protocol/log/proof.ts'
import {
  hashesFrom,
  readEntries,
  readTilePath,
  rootOver,
  type Tile,
  tilePath,
  tilesOfGrowth,
  tileWidth,
  writeEntries,
} from '../../src/protocol/log/tree/tiles.ts'
import { emptyFrontier, grown, leafHash, rootOf } from '../../src/protocol/log/tree/tree.ts'
import { consistencyProof, continues, includes, inclusionProof } from '../../src/protocol/log/tree/tree_proofs.ts'
import { decide } from '../../src/protocol/log/witness.ts'
import { activityProofVectors } from './activity_proof_vectors.ts'
import { entryVectors } from './log_entry_vectors.ts'
import { logKey, signedNote, vkey } from './log_keys.ts'

/**
 * The vectors of `test/vectors/log` for other implementers, by their file. Where one says what becomes of it, the code
 * was asked, and the reader in Python says whether that is right. Here ML-DSA-44 signs deterministically, by another
 * library.
 */
export function logVectors(): ReadonlyMap<string, string> {
  const files = { tree: tree(), keys: keys(), notes: notes(), checkpoints: checkpoints(), tiles: tiles() }
  const others = { entries: entryVectors(), policies: policies(), proofs: proofs(), witness: witness() }
  const all = Object.entries({ ...files, ...others, activities: activityProofVectors() })
  return new Map(all.map(([name, content]) => [`${name}.json`, `${JSON.stringify(content, null, 2)}\n`]))
}

const treeSize = 66_000
/** Those of the smaller sizes that tell much. */
const sizes = [0, 1, 2, 3, 4, 7, 8, 13]

const hex = (bytes: Uint8Array) => bytesToHex(bytes)
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString()
const entryAt = (index: number): Uint8Array => hash('sha256', `entry ${index}`, 'buffer')

const log = logKey('example.com/log', 'Ed25519', 1)
const witnessKey = logKey('witness.example/w', 'Ed25519 cosignature', 2)
const secondWitness = logKey('witness.example/ü', 'Ed25519 cosignature', 3)
const stranger = logKey('example.com/log', 'Ed25519', 4)
const quantumLog = logKey('example.com/log', 'ML-DSA-44 cosignature', 5)
const quantumWitness = logKey('witness.example/w', 'ML-DSA-44 cosignature', 6)
const timeS = 1_700_000_000

const leaves = Array.from({ length: treeSize }, (_, index) => leafHash(entryAt(index)))
const roots = [rootOf(emptyFrontier)]
for (let frontier = emptyFrontier; frontier.size < treeSize; ) {
  frontier = grown(frontier, leaves[frontier.size] ?? frontierEnd())
  roots.push(rootOf(frontier))
}
const rootAt = (size: number) => roots[size] ?? frontierEnd()
const levels = levelsOf(leaves)

function frontierEnd(): never {
  throw new Error('there is no leaf behind the last one')
}

/** The hashes of each level of tiles. */
function levelsOf(level: readonly Uint8Array[]): readonly (readonly Uint8Array[])[] {
  const count = Math.floor(level.length / tileWidth)
  if (count === 0) return [level]
  const above = Array.from({ length: count }, (_, at) =>
    rootOver(Buffer.concat(level.slice(at * tileWidth, (at + 1) * tileWidth))),
  )
  return [level, ...levelsOf(above)]
}

function bytesOf({ level, index, width }: Tile): Uint8Array {
  const start = index * tileWidth
  if (level !== 'entries') return Buffer.concat(levels[level]?.slice(start, start + width) ?? [])
  return writeEntries(Array.from({ length: width }, (_, at) => entryAt(start + at)))
}

const hashOf = (size: number) => hashesFrom(bytesOf, { size })

function signer(key: SigningKey, signedS = timeS): Signer {
  if (key.type !== 'ML-DSA-44 cosignature') return signerOf(key, { timeS: signedS })
  const { secretKey } = ml_dsa44.keygen(key.seed.reveal())
  const sign = (text: string) => {
    const read = readCheckpoint(text)
    const message = read.kind === 'read' && cosignedTree(read.value, { name: key.name, timeS: signedS })
    if (!message) throw new Error('no such key signs this text')
    return timed(signedS, ml_dsa44.sign(message, secretKey, { extraEntropy: false }))
  }
  return { name: key.name, keyId: keyIdOf(verifierKeyOf(key)), sign }
}

function checkpointAt(
  size: number,
  change: { origin?: string; root?: Uint8Array; extensions?: string[] } = {},
): string {
  return writeCheckpoint({ origin: log.name, size, root: rootAt(size), extensions: [], ...change })
}

const signed = (text: string, by: readonly SigningKey[], signedS?: number) =>
  signedNote(
    text,
    by.map((key) => signer(key, signedS)),
  )

/** Whether a row needs ML-DSA-44. */
const needs = (...all: readonly SigningKey[]) => ({ mlDsa: all.some(({ type }) => type === 'ML-DSA-44 cosignature') })

function tree() {
  const changed = (proof: readonly Uint8Array[]) =>
    proof.map((one, at) => (at === 0 ? one.map((byte) => byte ^ 1) : one))
  const inclusion = sizes.flatMap((size) =>
    Array.from({ length: size }, (_, index) => {
      const proof = inclusionProof({ index, size }, hashOf(size))
      return [proof, proof.length === 0 ? [rootAt(1)] : changed(proof), [...proof, rootAt(2)]].map((hashes) => ({
        index,
        size,
        proof: hashes.map(hex),
        isRight: includes({ index, size, leaf: leaves[index] ?? rootAt(0), proof: hashes, root: rootAt(size) }),
      }))
    }).flat(),
  )
  const consistency = sizes.flatMap((to) =>
    Array.from({ length: to + 1 }, (_, from) => {
      const proof = consistencyProof({ from, to }, hashOf(to))
      return [proof, proof.length === 0 ? [rootAt(1)] : changed(proof), proof.slice(1), [...proof, rootAt(2)]].map(
        (hashes) => ({
          from,
          to,
          proof: hashes.map(hex),
          isRight: continues({ from, to, fromRoot: rootAt(from), toRoot: rootAt(to), proof: hashes }),
        }),
      )
    }).flat(),
  )
  return {
    comment: 'Entry i is the SHA-256 of the text `entry i`, as in `entry 0`. Root i is that of the first i of them.',
    leaves: leaves.slice(0, 13).map(hex),
    roots: roots.slice(0, 14).map(hex),
    inclusion,
    consistency,
  }
}

function keys() {
  const right = vkey(log)
  const texts = [
    ...[log, witnessKey, secondWitness, quantumLog, quantumWitness].map(vkey),
    right.replace('log+', 'lag+'),
    right.toUpperCase(),
    right.slice(0, -4),
    `${right}AAAA`,
    `${right}\n`,
    right.replace('example', 'exa mple'),
    'example.com/log+9be5d3c6',
    '',
  ]
  return {
    comment: 'Keys as text. `id` and `publicKey` are in hex; both are null if the text is malformed.',
    keys: texts.map((text) => {
      const read = readVerifierKey(text)
      const key = read.kind === 'read' ? read.value : undefined
      return {
        text,
        name: key?.name ?? null,
        type: key ? keyTypes[key.type].byte : null,
        id: key ? keyIdOf(key) : null,
        publicKey: key ? hex(key.publicKey) : null,
      }
    }),
  }
}

function notes() {
  const text = checkpointAt(13)
  const free = 'any text\n\nof three lines\n'
  const wrong = (note: Note): Note => ({ ...note, text: note.text.replace('13', '12').replace('three', 'four') })
  const note = (of: Note) => textOf(writeNote(of))
  const [logSigns, both] = [signed(text, [log]), signed(text, [log, witnessKey])]
  const quantum = signed(text, [quantumLog, quantumWitness])
  const mixed: Note = {
    text,
    signatures: [...logSigns.signatures, ...signed(checkpointAt(8), [witnessKey]).signatures],
  }
  const right = note(logSigns)
  const rows: readonly (readonly [string, string, readonly SigningKey[]])[] = [
    ['one key', right, [log]],
    ['any text', note(signed(free, [log])), [log]],
    ['two known keys', note(both), [log, witnessKey]],
    ['one known key of two', note(both), [witnessKey]],
    ['a name with letters beyond ASCII', note(signed(text, [secondWitness])), [secondWitness]],
    [
      'extension lines',
      note(signed(checkpointAt(13, { extensions: ['a', 'b'] }), [log, witnessKey])),
      [log, witnessKey],
    ],
    ['no known key', right, [witnessKey]],
    ['a key of the same name', right, [stranger]],
    ['a wrong signature', note(wrong(logSigns)), [log]],
    ['a wrong cosignature', note(wrong(signed(text, [witnessKey]))), [witnessKey]],
    ['a wrong signature beside a right one', note(mixed), [log, witnessKey]],
    ['a wrong signature of an unknown key', note(mixed), [log]],
    ['a signature twice', note({ text, signatures: [...logSigns.signatures, ...logSigns.signatures] }), [log]],
    ['ML-DSA-44 of a log and of a witness', note(quantum), [quantumLog, quantumWitness]],
    ['ML-DSA-44 without a time', note(signed(text, [quantumLog], 0)), [quantumLog]],
    ['a wrong signature of ML-DSA-44', note(wrong(quantum)), [quantumLog]],
    ['no signature', `${text}\n`, [log]],
    ['no empty line', right.replace('\n\n', '\n'), [log]],
    ['no last line feed', right.slice(0, -1), [log]],
    ['a carriage return', right.replace('\n', '\r\n'), [log]],
    ['a hyphen for the dash', right.replace('—', '-'), [log]],
    ['a blank behind the signature', right.replace(/\n$/, ' \n'), [log]],
    ['no padding', right.replace(/=+\n$/, '\n'), [log]],
    ['a line behind the signatures', `${right}a\n`, [log]],
  ]
  return {
    comment: 'Notes, and what they are to a verifier who knows `keys`. `by` has the keys that have signed, and when.',
    notes: rows.map(([name, content, known]) => {
      const read = readNote(Buffer.from(content))
      const verifiers = known.map((key) => verifierOf(verifierKeyOf(key)))
      const opened = read.kind === 'read' ? openNote(read.value, verifiers) : undefined
      const by = opened?.kind === 'signed' ? opened.by : new Map()
      return {
        name,
        note: content,
        keys: known.map(vkey),
        result: opened?.kind ?? 'malformed',
        by: known.flatMap((key, at) => {
          const [, verified] = [...by].find(([verifier]) => verifier === verifiers[at]) ?? []
          return verified ? [{ key: vkey(key), timeS: verified.timeS ?? null }] : []
        }),
        ...needs(...known),
      }
    }),
  }
}

function checkpoints() {
  const right = checkpointAt(13)
  const root = base64(rootAt(13))
  const texts = [
    right,
    checkpointAt(0),
    checkpointAt(13, { extensions: ['one', 'two words'] }),
    checkpointAt(13, { origin: 'any text, also ü' }),
    right.replace('\n13\n', '\n9007199254740991\n'),
    right.replace('\n13\n', '\n9007199254740992\n'),
    right.replace('\n13\n', '\n013\n'),
    right.replace('\n13\n', '\n-13\n'),
    right.replace('\n13\n', '\n0x13\n'),
    right.replace('\n13\n', '\n\n'),
    right.replace(root, root.slice(0, -1)),
    right.replace(root, hex(rootAt(13))),
    right.replace(root, base64(rootAt(13).subarray(1))),
    right.replace('example.com/log', ''),
    `${right}\n`,
    right.slice(0, -1),
    'example.com/log\n13\n',
    '',
  ]
  return {
    comment: 'Texts of checkpoints. `root` is in hex. `checkpoint` is null if the text is malformed.',
    checkpoints: texts.map((text) => {
      const read = readCheckpoint(text)
      return { text, checkpoint: read.kind === 'read' ? { ...read.value, root: hex(read.value.root) } : null }
    }),
  }
}

function tiles() {
  const paths = [
    'tile/0/000',
    'tile/entries/x001/x234/067.p/17',
    'tile/5/999.p/255',
    'tile/1/x001/000',
    'tile/63/001.p/1',
  ]
  const wrongPaths = [
    'tile/64/000',
    'tile/00/000',
    'tile/0/x000/001',
    'tile/0/0001',
    'tile/0/000.p/256',
    'tile/0/000.p/0',
    'tile/0/x001',
  ]
  const bundles = [
    { width: 1, hex: '0000' },
    { width: 2, hex: '0001aa0003bbccdd' },
    { width: 1, hex: '0001aa0003bbccdd' },
    { width: 3, hex: '0001aa0003bbccdd' },
    { width: 2, hex: '0001aa0003bbcc' },
    { width: 1, hex: '00' },
  ]
  return {
    comment:
      'Paths, bundles (an empty list of entries is malformed), and files of logs of several sizes by the SHA-256 of their content, of which those of the greatest size are partial or above level 0. Entry i is the SHA-256 of the text `entry i`.',
    paths: [...paths, ...wrongPaths].map((path) => {
      const read = readTilePath(path)
      return { path, tile: read.kind === 'read' ? read.value : null }
    }),
    bundles: bundles.map((bundle) => {
      const read = readEntries(Buffer.from(bundle.hex, 'hex'), bundle)
      return { ...bundle, entries: read.kind === 'read' ? read.value.map(hex) : [] }
    }),
    logs: [1, 255, 256, 257, 513, treeSize].map((size) => ({
      size,
      root: hex(rootAt(size)),
      files: [...tilesOfGrowth({ from: 0, to: size })]
        .filter(({ level, width }) => size < 1_000 || width < tileWidth || Number(level) > 0)
        .map((tile) => ({ path: tilePath(tile), bytes: bytesOf(tile).length, sha256: hash('sha256', bytesOf(tile)) })),
    })),
  }
}

const policyLines = {
  log: `log ${vkey(log)} https://example.com/log`,
  w: `witness w ${vkey(witnessKey)}`,
  ü: `witness ü ${vkey(secondWitness)}`,
  quantum: `witness q ${vkey(quantumWitness)}`,
}

function policies() {
  const { log: logLine, w, ü, quantum } = policyLines
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['one witness', [logLine, w, 'quorum w']],
    ['nobody', [logLine, 'quorum none']],
    ['one of two', [logLine, w, ü, 'group g any w ü', 'quorum g']],
    ['both', [logLine, w, ü, 'group g all w ü', 'quorum g']],
    ['two of three', [logLine, w, ü, quantum, 'group g 2 w ü q', 'quorum g']],
    ['a group of a group', [logLine, w, ü, quantum, 'group g any w q', 'group h all g ü', 'quorum h']],
    ['blanks and comments', ['# a comment', '', `\t${logLine} `, ` ${w}\t`, '  # another', 'quorum\tw']],
    ['no quorum', [logLine, w]],
    ['two quorums', [w, 'quorum w', 'quorum w']],
    ['a quorum before its witness', ['quorum w', w]],
    ['a comment behind a line', [`${logLine} # a comment`, 'quorum none']],
    ['a member twice', [w, 'group g any w', 'group h any w', 'quorum h']],
    ['a threshold above the members', [w, 'group g 2 w', 'quorum g']],
    ['a threshold of 0', [w, 'group g 0 w', 'quorum g']],
    ['a witness with the key of a log', [`witness l ${vkey(log)}`, 'quorum l']],
    ['a log twice', [logLine, logLine, 'quorum none']],
    ['none as a name', [`witness none ${vkey(witnessKey)}`, 'quorum none']],
    ['another word', ['logs x', 'quorum none']],
    ['a carriage return', ['quorum none\r']],
  ]
  const sets = [[], ['w'], ['ü'], ['w', 'ü'], ['q', 'ü'], ['w', 'ü', 'q']]
  return {
    comment: 'Policies, and which sets of witnesses are a quorum; `quorums` is null if the policy is malformed.',
    policies: rows.map(([name, lines]) => {
      const policy = `${lines.join('\n')}\n`
      const read = readPolicy(Buffer.from(policy))
      // Names are bytes, each of which is one character.
      const octets = (names: readonly string[]) => new Set(names.map((one) => Buffer.from(one).toString('latin1')))
      const quorums =
        read.kind === 'read'
          ? sets.map((set) => ({ witnesses: set, isQuorum: isQuorum(octets(set), read.value) }))
          : null
      return { name, policy, quorums }
    }),
  }
}

function proofs() {
  const size = 513
  const index = 300
  const text = checkpointAt(size)
  const note = signed(text, [log, witnessKey, secondWitness])
  const proof = { extra: undefined, index, hashes: inclusionProof({ index, size }, hashOf(size)), note }
  const { log: logLine, w, ü, quantum } = policyLines
  const both = [logLine, w, ü, 'group g all w ü', 'quorum g']
  const written = textOf(writeProof(proof))
  const quantumNote = signed(text, [quantumLog, quantumWitness])
  const quantumPolicy = [`log ${vkey(quantumLog)}`, quantum, 'quorum q']
  const rows: readonly (readonly [string, string, number, readonly string[]])[] = [
    ['an entry', written, index, both],
    ['extra data', textOf(writeProof({ ...proof, extra: Buffer.from('extra') })), index, both],
    [
      'the only entry',
      textOf(writeProof({ ...proof, index: 0, hashes: [], note: signed(checkpointAt(1), [log]) })),
      0,
      [logLine, 'quorum none'],
    ],
    ['another entry', written, index + 1, both],
    ['another index', textOf(writeProof({ ...proof, index: index + 1 })), index, both],
    ['a hash less', textOf(writeProof({ ...proof, hashes: proof.hashes.slice(1) })), index, both],
    [
      'no signature of the log',
      textOf(writeProof({ ...proof, note: signed(text, [witnessKey, secondWitness]) })),
      index,
      both,
    ],
    ['no quorum', textOf(writeProof({ ...proof, note: signed(text, [log, witnessKey]) })), index, both],
    ['a log that the policy does not name', written, index, [w, ü, 'group g all w ü', 'quorum g']],
    [
      'another key of the log',
      textOf(writeProof({ ...proof, note: signed(text, [stranger, witnessKey, secondWitness]) })),
      index,
      both,
    ],
    ['ML-DSA-44', textOf(writeProof({ ...proof, note: quantumNote })), index, quantumPolicy],
    ['no index', written.replace(/index.*\n/, ''), index, both],
    ['another first line', written.replace('@v1', '@v2'), index, both],
    ['no checkpoint', written.slice(0, written.indexOf('\n\n') + 1), index, both],
  ]
  return {
    comment:
      'Proofs that the entry, in hex, is in the log, and what a verifier with this policy says. `witnesses` has the times of their cosignatures.',
    proofs: rows.map(([name, content, at, lines]) => {
      const policy = `${lines.join('\n')}\n`
      const [read, readRules] = [readProof(Buffer.from(content)), readPolicy(Buffer.from(policy))]
      if (readRules.kind === 'malformed') throw new Error(readRules.reason)
      const known = { entry: entryAt(at), policy: readRules.value, verifierOf }
      const verified = read.kind === 'read' ? verifyProof(read.value, known) : undefined
      const by = verified?.kind === 'accepted' ? [...verified.witnesses] : []
      const witnesses = Object.fromEntries(
        by.map(([octets, signedS]) => [Buffer.from(octets, 'latin1').toString(), signedS ?? null]),
      )
      return {
        name,
        proof: content,
        entry: hex(known.entry),
        policy,
        result: verified?.kind ?? 'malformed',
        witnesses,
        mlDsa: policy.includes(' q '),
      }
    }),
  }
}

function witness() {
  const request = (old: number, size: number, change: { note?: Note; proof?: readonly Uint8Array[] } = {}) => {
    const proof = old > size ? [] : consistencyProof({ from: old, to: size }, hashOf(size))
    return textOf(writeAddCheckpoint({ old, proof, note: signed(checkpointAt(size), [log]), ...change }))
  }
  const right = request(8, 13)
  const other = signed(checkpointAt(13, { root: rootAt(12) }), [log])
  const wrong = { text: checkpointAt(13), signatures: signed(checkpointAt(12), [log]).signatures }
  const rows: readonly (readonly [string, number, string])[] = [
    ['a tree that continues', 8, right],
    ['the first tree', 0, request(0, 13)],
    ['the same tree', 13, request(13, 13)],
    ['another old size', 7, right],
    ['another old size of nothing', 13, request(0, 13)],
    ['an old size above the new one', 8, request(13, 8)],
    ['no proof', 8, request(8, 13, { proof: [] })],
    ['another tree', 8, request(8, 13, { note: other })],
    ['another tree of the same size', 13, request(13, 13, { note: other })],
    ['a proof from nothing', 0, request(0, 13, { proof: [rootAt(1)] })],
    ['a stranger', 8, request(8, 13, { note: signed(checkpointAt(13), [stranger]) })],
    ['a wrong signature', 8, request(8, 13, { note: wrong })],
    ['an unknown log', 8, request(8, 13, { note: signed(checkpointAt(13, { origin: 'example.com/other' }), [log]) })],
    ['no checkpoint', 8, right.slice(0, right.indexOf('\n\n') + 1)],
    ['a text that is no checkpoint', 8, request(8, 13, { note: signed('a\n', [log]) })],
    ['no old size', 8, right.replace(/old.*\n/, '')],
  ]
  return {
    comment:
      'Requests to a witness that knows one log, by one key and the tree of `latest` leaves whose root is in hex, and its answers.',
    origin: log.name,
    key: vkey(log),
    requests: rows.map(([name, latest, content]) => {
      const head = { size: latest, root: rootAt(latest) }
      const known = { verifiers: [verifierOf(verifierKeyOf(log))], latest: head }
      const answer = decide(Buffer.from(content), (origin) => (origin === log.name ? known : undefined))
      const size = answer.status === 409 ? { size: answer.size } : {}
      return {
        name,
        latest: { size: latest, root: hex(head.root) },
        request: content,
        answer: { status: answer.status, ...size },
      }
    }),
  }
}
