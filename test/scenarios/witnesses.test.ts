import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { acceptCheckpoint } from '../../src/protocol/log/accepted.ts'
import { readNote } from '../../src/protocol/log/note.ts'
import { readPolicy } from '../../src/protocol/log/policy.ts'
import { verifierOf } from '../../src/protocol/log/signatures.ts'
import { organizationOver } from '../support/http_organization.ts'
import { type ReachableServer, startRunningServer } from '../support/running_server.ts'
import { killLaunched } from '../support/server_command.ts'
import { copyServerFolder } from '../support/server_database.ts'
import { makeWitness, startWitness, textFile } from '../support/witness_command.ts'

/** A real server whose log a real witness cosigns, over HTTP. */

afterAll(killLaunched)

type ListedLog = {
  readonly origin: string
  readonly keys: readonly string[]
  readonly size: number
  readonly path: string
}

const within = { timeout: 20_000, interval: 50 }

/** What anybody reads of a server's one log. */
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
    listedSoon: () => vi.waitFor(listed, within),
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
    witness,
    /** For who verifies: the server does not need the lines of its own log. */
    policy: log.keys.map((key) => `log ${key}\n`).join('') + policy,
    flags: ['--witnesses-file', textFile(policy)],
  }
}

test('a witness cosigns each checkpoint, and a log that goes on from an old copy of a server gets no cosignature', async () => {
  const { folder, log, witness, policy, flags } = await witnessedServer()
  const server = await startRunningServer({ folder, flags })
  const { text, listed, readiness } = publicLog(server)
  await makeTags(server, numbered('tag', 5))
  const size = log.size + 5
  await vi.waitFor(async () => expect(acceptedSize(await text(`${log.path}/cosigned`), policy)).toBe(size), within)
  // The newest checkpoint has the same cosignatures.
  await vi.waitFor(async () => expect(acceptedSize(await text(`${log.path}/checkpoint`), policy)).toBe(size), within)
  expect(await listed()).toEqual({ ...log, size })
  expect(await witness.kept(log.origin)).toContain(`\n${size}\n`)
  expect(await readiness()).toEqual([200, []])
  await server.stop()

  const copy = join(mkdtempSync(join(tmpdir(), 'claviger-copy-')), 'data')
  copyServerFolder(folder, copy)
  const onward = await startRunningServer({ folder, flags })
  await makeTags(onward, numbered('later', 4))
  await vi.waitFor(async () => expect(await witness.kept(log.origin)).toContain(`\n${size + 4}\n`), within)
  const kept = await witness.kept(log.origin)
  await onward.stop()

  const forked = await startRunningServer({ folder: copy, flags })
  const other = publicLog(forked)
  await makeTags(forked, numbered('other', 2))
  const trouble = (reason: string) => [200, [`the witness ${witness.url} does not cosign: ${reason}`]]
  await vi.waitFor(
    async () => expect(await other.readiness()).toEqual(trouble(`it has cosigned ${size + 4} entries of ${size + 2}`)),
    within,
  )
  await makeTags(forked, numbered('more', 7))
  await vi.waitFor(
    async () => expect(await other.readiness()).toEqual(trouble('it has cosigned what this log does not continue')),
    within,
  )
  expect((await other.listed()).size).toBe(size + 9)
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

test('a server goes on without a witness that is away, says so once, and once more when it is there again', async () => {
  const { folder, log, witness, policy, flags } = await witnessedServer()
  const { port } = new URL(witness.url)
  await witness.stop()
  const server = await startRunningServer({ folder, flags })
  const { text, listed, readiness } = publicLog(server)
  await makeTags(server, ['one'])
  await vi.waitFor(async () => expect((await listed()).size).toBe(log.size + 1), within)
  await makeTags(server, ['two'])
  await vi.waitFor(async () => expect((await listed()).size).toBe(log.size + 2), within)
  expect(await readiness()).toEqual([200, [expect.stringMatching(/^the witness .* does not cosign: .*ECONNREFUSED/)]])
  expect(await text(`${log.path}/cosigned`)).toBeUndefined()
  const again = await startWitness({ data: witness.data, logs: log.keys, port: Number(port) })
  await vi.waitFor(
    async () => expect(acceptedSize(await text(`${log.path}/cosigned`), policy)).toBe(log.size + 2),
    within,
  )
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
