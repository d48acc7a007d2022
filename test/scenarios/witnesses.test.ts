import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { acceptCheckpoint } from '../../src/protocol/log/accepted.ts'
import { type Checkpoint, readCheckpoint } from '../../src/protocol/log/notes/checkpoint.ts'
import { readNote } from '../../src/protocol/log/notes/note.ts'
import { verifierOf } from '../../src/protocol/log/notes/signatures.ts'
import { readVerifierKey } from '../../src/protocol/log/notes/verifier_keys.ts'
import { readPolicy } from '../../src/protocol/log/policy.ts'
import { hashesFrom, readEntries, tilePath, tilesOfGrowth } from '../../src/protocol/log/tree/tiles.ts'
import { emptyFrontier, grown, leafHash, rootOf } from '../../src/protocol/log/tree/tree.ts'
import { includes, inclusionProof } from '../../src/protocol/log/tree/tree_proofs.ts'
import { ethereumAccount, signingOf } from '../support/client.ts'
import { needsDebianPython } from '../support/debian.ts'
import { organizationOver } from '../support/http_organization.ts'
import { type ReachableServer, startRunningServer } from '../support/running_server.ts'
import { killLaunched, run } from '../support/server_command.ts'
import { copyServerFolder } from '../support/server_database.ts'
import { soon } from '../support/soon.ts'
import { makeWitness, startWitness, textFile } from '../support/witness_command.ts'

/** A real server whose log a real witness cosigns, over HTTP. */

afterAll(killLaunched)

type ListedLog = {
  readonly origin: string
  readonly keys: readonly string[]
  readonly size: number
  readonly path: string
}

/** The files of a server's one log, as anybody reads them. */
function publicLog({ url }: Pick<ReachableServer, 'url'>) {
  const text = async (path: string) => {
    const answer = await fetch(url + path)
    return answer.status === 200 ? answer.text() : undefined
  }
  async function listed(): Promise<ListedLog> {
    const [log] = JSON.parse((await text('/log/')) ?? '').logs
    if (log === undefined) throw new Error('there is no log yet')
    return log
  }
  return {
    listed,
    listedSoon: () => soon(listed),
    /** The log once all that a start enters is published: nothing new for two seconds. */
    async listedAtRest() {
      let known = await soon(listed)
      for (;;) {
        await sleep(2_500)
        const found = await listed()
        if (found.size === known.size) return found
        known = found
      }
    },
    text,
    async readiness() {
      const answer = await fetch(`${url}/readyz`)
      return [answer.status, (await answer.json()).reasons]
    },
  }
}

const makeTags = async (server: ReachableServer, names: readonly string[]) => {
  const organization = organizationOver(server)
  for (const userTagName of names) await organization.done('create_user_tag', { userTagName, userIds: [] })
}
const numbered = (word: string, count: number) => Array.from({ length: count }, (_, at) => `${word} ${at}`)

/** Makes a wallet and then so many signatures. */
async function signMany(server: ReachableServer, count: number): Promise<void> {
  const organization = organizationOver(server)
  const accounts = [ethereumAccount("m/44'/60'/0'/0/0")]
  const { addresses } = await organization.done('create_wallet', { walletName: 'w', accounts })
  const sign = (number: number) => organization.done('sign_raw_payload', signingOf(addresses[0], `${number}`))
  for (let from = 0; from < count; from += 20) {
    await Promise.all(Array.from({ length: Math.min(20, count - from) }, (_, at) => sign(from + at)))
  }
}

function isMlDsa(text: string): boolean {
  const key = readVerifierKey(text)
  return key.kind === 'read' && key.value.type === 'ML-DSA-44 cosignature'
}

function checkpointIn(bytes: Uint8Array): Checkpoint {
  const note = readNote(bytes)
  const checkpoint = note.kind === 'read' ? readCheckpoint(note.value.text) : note
  if (checkpoint.kind === 'malformed') throw new Error(checkpoint.reason)
  return checkpoint.value
}

/** The size of a checkpoint that the policy accepts; an error if it does not. */
function acceptedSize(checkpoint: string | undefined, policyText: string): number {
  const [note, policy] = [readNote(Buffer.from(checkpoint ?? '')), readPolicy(Buffer.from(policyText))]
  if (note.kind === 'malformed') throw new Error(note.reason)
  if (policy.kind === 'malformed') throw new Error(policy.reason)
  const accepted = acceptCheckpoint(note.value, { policy: policy.value, verifierOf })
  if (accepted.kind === 'refused') throw new Error(accepted.reason)
  return accepted.checkpoint.size
}

/** A server that ran before and ended, and a witness that knows its log. */
async function witnessedServer() {
  const first = await startRunningServer()
  const log = await publicLog(first).listedSoon()
  await first.stop()
  const { data, keys } = await makeWitness()
  const witness = await startWitness({ data, logs: log.keys })
  const witnesses = keys.map((key, at) => `witness key${at} ${key} ${witness.url}\n`).join('')
  const policy = `${witnesses}group both all key0 key1\nquorum both\n`
  return {
    folder: first.folder,
    log,
    witness: { ...witness, keys },
    /** For who verifies: the server does not need the lines of its own log. */
    policy: log.keys.map((key) => `log ${key}\n`).join('') + policy,
    flags: ['--witnesses-file', textFile(policy)],
  }
}

test('a witness cosigns each checkpoint, and a log that goes on from an old copy of a server gets no cosignature', async () => {
  const { folder, log, witness, policy, flags } = await witnessedServer()
  const server = await startRunningServer({ folder, flags })
  const { text, listed, listedAtRest, readiness } = publicLog(server)
  const size = (await listedAtRest()).size + 5
  await makeTags(server, numbered('tag', 5))
  await soon(async () => expect(acceptedSize(await text(`${log.path}/cosigned`), policy)).toBe(size))
  // The newest checkpoint has the same cosignatures.
  await soon(async () => expect(acceptedSize(await text(`${log.path}/checkpoint`), policy)).toBe(size))
  expect(await listed()).toEqual({ ...log, size })
  expect(await witness.kept(log.origin)).toContain(`\n${size}\n`)
  expect(await readiness()).toEqual([200, []])
  await server.stop()

  const copy = join(mkdtempSync(join(tmpdir(), 'claviger-copy-')), 'data')
  copyServerFolder(folder, copy)
  const onward = await startRunningServer({ folder, flags })
  const onwardSize = (await publicLog(onward).listedAtRest()).size + 4
  await makeTags(onward, numbered('later', 4))
  await soon(async () => expect(await witness.kept(log.origin)).toContain(`\n${onwardSize}\n`))
  const kept = await witness.kept(log.origin)
  await onward.stop()

  const forked = await startRunningServer({ folder: copy, flags })
  const other = publicLog(forked)
  const forkedSize = (await other.listedAtRest()).size
  await makeTags(forked, numbered('other', 2))
  const trouble = (reason: string) => [200, [`the witness ${witness.url} does not cosign: ${reason}`]]
  await soon(async () =>
    expect(await other.readiness()).toEqual(trouble(`it has cosigned ${onwardSize} entries of ${forkedSize + 2}`)),
  )
  await makeTags(forked, numbered('more', 7))
  await soon(async () =>
    expect(await other.readiness()).toEqual(trouble('it has cosigned what this log does not continue')),
  )
  expect((await other.listed()).size).toBe(forkedSize + 9)
  expect(acceptedSize(await other.text(`${log.path}/cosigned`), policy)).toBe(size)
  expect(() => acceptedSize(undefined, policy)).toThrow()
  await expect(async () => acceptedSize(await other.text(`${log.path}/checkpoint`), policy)).rejects.toThrow(
    'no quorum',
  )
  expect(await witness.kept(log.origin)).toBe(kept)
  await forked.stop()
  const alarms = forked.complaints.filter((line) => line.includes('a witness contradicts the transparency log'))
  expect(alarms.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'error', witness: witness.url }),
  ])
  await witness.stop()
})

test('a mirror of a log verifies without the server, here and in Python, and an altered one does not', async (context) => {
  const python = needsDebianPython('cryptography', context)
  const { folder, log, witness, policy, flags } = await witnessedServer()
  const server = await startRunningServer({ folder, flags })
  const { text, listedAtRest } = publicLog(server)
  const { size: before } = await listedAtRest()
  await signMany(server, 260)
  const size = before + 1 + 260
  await soon(async () => expect(acceptedSize(await text(`${log.path}/checkpoint`), policy)).toBe(size))
  const mirror = mkdtempSync(join(tmpdir(), 'claviger-log-'))
  const copy = join(mirror, log.path.slice('/log/'.length))
  const mirroring = () => run(['log', 'mirror', mirror, '--server', server.url, '--policy', textFile(policy), '--json'])
  const result = { origin: log.origin, result: 'copied', size, cosigned: size }
  const first = await mirroring()
  expect([first.code, first.stderr, JSON.parse(first.stdout.join(''))]).toEqual([
    0,
    '',
    { logs: [{ ...result, before: 0 }] },
  ])
  const again = await mirroring()
  expect(JSON.parse(again.stdout.join(''))).toEqual({ logs: [{ ...result, before: size }] })
  for (const name of ['tile/entries/000', 'tile/1/000.p/1', `tile/0/001.p/${size - 256}`]) {
    expect(existsSync(join(copy, name))).toBe(true)
  }
  await server.stop()
  await witness.stop()

  const file = (name: string) => readFileSync(join(copy, name))
  expect(acceptedSize(`${file('checkpoint')}`, policy)).toBe(size)
  const { root } = checkpointIn(file('checkpoint'))
  const hashOf = hashesFrom((tile) => file(tilePath(tile)), { size })
  const bundles = tilesOfGrowth({ from: 0, to: size }).filter(({ level }) => level === 'entries')
  const entries = bundles.flatMap((tile) => {
    const read = readEntries(file(tilePath(tile)), tile)
    return read.kind === 'read' ? [...read.value] : []
  })
  expect(rootOf([...entries].map(leafHash).reduce(grown, emptyFrontier))).toEqual(root)
  for (const [index, entry] of [...entries].entries()) {
    const proof = inclusionProof({ index, size }, hashOf)
    expect(includes({ index, size, leaf: leafHash(entry), proof, root })).toBe(true)
  }

  const ofEd25519 = [...log.keys, ...witness.keys].filter((key) => !isMlDsa(key))
  expect(ofEd25519).toHaveLength(2)
  const reader = join(import.meta.dirname, '..', 'vectors', 'log', 'reader.py')
  const read = () => spawnSync(python, [reader, copy, ...ofEd25519], { encoding: 'utf8' })
  expect(read()).toMatchObject({ status: 0, stdout: `${log.origin} ${size}\n` })
  for (const name of ['tile/entries/000', 'tile/0/000', 'tile/1/000.p/1', 'checkpoint']) {
    const right = file(name)
    const altered = Buffer.from(right)
    altered[30] = (altered[30] ?? 0) ^ 1
    writeFileSync(join(copy, name), altered)
    expect(read(), name).toMatchObject({ status: 1, stdout: expect.stringMatching(/^wrong: /) })
    writeFileSync(join(copy, name), right)
  }
})

test('a server goes on without a witness that is away, says so once, and once more when it is there again', async () => {
  const { folder, log, witness, policy, flags } = await witnessedServer()
  const { port } = new URL(witness.url)
  await witness.stop()
  const server = await startRunningServer({ folder, flags })
  const { text, listed, listedAtRest, readiness } = publicLog(server)
  const { size } = await listedAtRest()
  await makeTags(server, ['one'])
  await soon(async () => expect((await listed()).size).toBe(size + 1))
  await makeTags(server, ['two'])
  await soon(async () => expect((await listed()).size).toBe(size + 2))
  expect(await readiness()).toEqual([200, [expect.stringMatching(/^the witness .* does not cosign: .*ECONNREFUSED/)]])
  expect(await text(`${log.path}/cosigned`)).toBeUndefined()
  const again = await startWitness({ data: witness.data, logs: log.keys, port: Number(port) })
  await soon(async () => expect(acceptedSize(await text(`${log.path}/cosigned`), policy)).toBe(size + 2))
  expect(await readiness()).toEqual([200, []])
  await again.stop()
  await server.stop()
  const lines = server.complaints.map((line) => JSON.parse(line)).filter((line) => line.witness !== undefined)
  expect(lines.map(({ level, message }) => [level, message])).toEqual([
    ['warn', 'a witness does not cosign'],
    ['info', 'a witness cosigns again'],
  ])
})

test.each([
  [
    'a misspelt word',
    'witnes w key\n',
    'line 1: a line begins with log, witness, group, quorum or #: did you mean witness?',
  ],
  ['no file', undefined, 'it cannot be read (ENOENT)'],
])('a server does not start with a policy that has %s', async (_name, text, reason) => {
  const path = text === undefined ? '/nowhere/policy' : textFile(text)
  await expect(startRunningServer({ flags: ['--witnesses-file', path] })).rejects.toThrow(
    `CLAVIGER_WITNESSES_FILE (--witnesses-file): ${path}: ${reason}`,
  )
})
