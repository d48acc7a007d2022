import { createHash } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { decodeLogEntry, type LogEntry } from '../../src/protocol/log/log_entry.ts'
import { readCheckpoint } from '../../src/protocol/log/notes/checkpoint.ts'
import { openNote, readNote } from '../../src/protocol/log/notes/note.ts'
import { verifierOf } from '../../src/protocol/log/notes/signatures.ts'
import { readVerifierKey } from '../../src/protocol/log/notes/verifier_keys.ts'
import { readEntries, readEntriesUpTo } from '../../src/protocol/log/tree/tiles.ts'
import type { Store } from '../../src/service/store/store.ts'
import { createLogFiles } from '../../src/service/transparency/log_files.ts'
import { startPublisher } from '../../src/service/transparency/publisher.ts'
import { clientOf, ethereumAccount, signingOf } from '../support/client.ts'
import { digestOfRow } from '../support/document_digests.ts'
import type { Server } from '../support/in_process.ts'
import { merkleTreeOf } from '../support/merkle_tree.ts'
import { openVaultSeals } from '../support/seals.ts'
import { soon } from '../support/soon.ts'
import { start } from '../support/start.ts'
import { resultOf } from '../support/two_organizations.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

/** The log of a server as anybody reads it, over what the service serves. */
function publicLog({ store }: Pick<Server, 'store'>) {
  const files = createLogFiles(store)
  const file = async (path: string) => {
    const found = await files(path, 'a peer')
    if (found === undefined) throw new Error(`there is no ${path}`)
    return Buffer.from(found.body)
  }
  return {
    async list(): Promise<readonly { origin: string; keys: readonly string[]; size: number; path: string }[]> {
      return JSON.parse((await file('/log/')).toString()).logs
    },

    /** Verifies the checkpoint by the keys of the log, and its root by the hashes of all entries. */
    async verified(path: string, keys: readonly string[]) {
      const note = readNote(await file(`${path}/checkpoint`))
      if (note.kind === 'malformed') throw new Error(note.reason)
      const known = keys.map(readVerifierKey).map((key) => {
        if (key.kind === 'malformed') throw new Error(key.reason)
        return verifierOf(key.value)
      })
      const opened = openNote(note.value, known)
      expect(opened.kind === 'signed' && opened.by.size).toBe(known.length)
      const checkpoint = readCheckpoint(note.value.text)
      if (checkpoint.kind === 'malformed') throw new Error(checkpoint.reason)
      const { size, root } = checkpoint.value
      const hashes: Uint8Array[] = []
      for (let at = 0; at < size; at += 256) {
        const width = Math.min(256, size - at)
        const name = `${String(at / 256).padStart(3, '0')}${width === 256 ? '' : `.p/${width}`}`
        const entries = readEntries(await file(`${path}/tile/entries/${name}`), { width })
        if (entries.kind === 'malformed') throw new Error(entries.reason)
        hashes.push(...entries.value)
        const leaves = Buffer.concat(entries.value.map((hash) => sha256(Buffer.of(0), hash)))
        expect(await file(`${path}/tile/0/${name}`)).toEqual(leaves)
      }
      expect(merkleTreeOf(hashes).root(size)).toEqual(Buffer.from(root))
      return { size, root: Buffer.from(root), hashes }
    },

    file,
  }
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest()
}

/** Publishes the log until the test ends, and resolves once all that was entered before has been published. */
function publishing({ vault }: Pick<Server, 'vault'>, store: Parameters<typeof startPublisher>[0]['store']) {
  const publisher = startPublisher({ vault, store, log: quiet, everyMs: 5 })
  onTestFinished(() => publisher.close())
  return publisher
}

async function signingOrganization(server: Server) {
  const { organizationId, apiKey } = await server.createOrganization()
  const root = clientOf(server, { organizationId, apiKey })
  const accounts = [ethereumAccount("m/44'/60'/0'/0/0")]
  const made = await resultOf(root.activity('create_wallet', { walletName: 'w', accounts }))
  const [signWith] = made.activity.result.createWalletResult.addresses
  const signOn = (on: Server) => (number: number) =>
    resultOf(clientOf(on, { organizationId, apiKey }).activity('sign_raw_payload', signingOf(signWith, String(number))))
  return { organizationId, root, signWith, signOn }
}

async function entriesOf(store: Store, logId: string, number: number): Promise<readonly LogEntry[]> {
  const bundle = (await store.logBundle({ logId, number })) ?? new Uint8Array()
  const entries = readEntries(bundle, { width: 256 })
  if (entries.kind === 'malformed') throw new Error(entries.reason)
  return entries.value.map((entry) => {
    const decoded = decodeLogEntry(entry)
    if (decoded === undefined) throw new Error('an entry cannot be read')
    return decoded
  })
}

test('each activity is an entry of a log that anybody verifies, and that goes on after a restart', async () => {
  const server = await start()
  const { organizationId, root, signOn } = await signingOrganization(server)
  const sign = signOn(server)
  const publisher = publishing(server, server.store)
  const signed = new Map<string, number>()
  for (let number = 1; number <= 150; number += 1) signed.set((await sign(number)).activity.id, number)
  await resultOf(root.activity('create_user_tag', { userTagName: 'tag', userIds: [] }))
  await Promise.all(Array.from({ length: 110 }, async (_, at) => signed.set((await sign(1_000 + at)).activity.id, at)))
  const { list, verified } = publicLog(server)
  await soon(async () => expect((await list())[0]?.size).toBe(3 + 260))
  const [log] = await list()
  if (log === undefined) throw new Error('no log')
  expect(log.origin).toMatch(/^localhost\/log\/[0-9a-f]{32}$/)
  const first = await verified(log.path, log.keys)
  expect(first.size).toBe(263)

  const logId = log.path.slice('/log/'.length)
  await soon(async () => expect(await server.store.logBundle({ logId, number: 0 })).toBeDefined())
  const entries = await entriesOf(server.store, logId, 0)
  expect(entries.every((entry) => entry.organizationId === organizationId)).toBe(true)
  for (const [index, entry] of entries.entries()) {
    expect([entry.number, entry.before]).toEqual([index + 1, index === 0 ? undefined : index - 1])
  }
  // The organization, the wallet and the tag made heads, each on the one before.
  const heads = entries.filter(({ makes }) => makes !== undefined)
  expect(heads.map(({ makes }) => makes?.version)).toEqual([1, 2, 3])
  expect(heads.map(({ restsOn }) => restsOn)).toEqual([undefined, heads[0]?.makes, heads[1]?.makes])
  expect(heads.map(({ isOfOperator }) => isOfOperator)).toEqual([true, undefined, undefined])
  const seals = await openVaultSeals(server)
  const signatures = entries.filter(({ activity }) => activity?.type.startsWith('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD'))
  expect(signatures.length).toBe(256 - 3)
  for (const { activity, makes } of signatures) {
    expect([signed.has(activity?.activityId ?? ''), makes]).toEqual([true, undefined])
    const found = await server.store.find([
      { read: 'activity', organizationId, activityId: activity?.activityId ?? '' },
    ])
    const row = found[0]?.read === 'activity' ? found[0].row : undefined
    if (row === undefined) throw new Error('a signature has its row')
    expect(activity?.documentDigest).toBe(digestOfRow(seals, organizationId, row))
  }

  await publisher.close()
  await server.close()
  const later = await start({ folder: server.folder })
  publishing(later, later.store)
  await signOn(later)(5_000)
  await soon(async () => expect((await publicLog(later).list())[0]?.size).toBe(264))
  const second = await publicLog(later).verified(log.path, log.keys)
  expect(merkleTreeOf(second.hashes).root(first.size)).toEqual(first.root)
})

function countOf(bundle: Uint8Array): number | undefined {
  const entries = readEntriesUpTo(bundle, { widthMax: 256 })
  return entries.kind === 'read' ? entries.value.length : undefined
}

test('a database that drops or alters bundles is handed them again, and the log goes on', async () => {
  const server = await start()
  const { signOn } = await signingOrganization(server)
  const sign = signOn(server)
  for (let number = 1; number <= 254; number += 1) await sign(number)
  const first = await server.vault.publishLog({ stored: [] })
  expect(first.bundles.map(({ number }) => number)).toEqual([0])
  const [{ bytes } = { bytes: new Uint8Array() }] = first.bundles
  const altered = Uint8Array.from(bytes)
  altered[1_000] = (altered[1_000] ?? 0) ^ 1
  for (const stored of [[], [altered], [bytes.subarray(1)], [new Uint8Array()], [altered, bytes]]) {
    const again = await server.vault.publishLog({ stored })
    expect(again.bundles).toEqual(first.bundles)
  }
  await server.close()
  const later = await start({ folder: server.folder })
  expect((await later.vault.publishLog({ stored: [] })).bundles).toEqual(first.bundles)
  const forgotten = await later.vault.publishLog({ stored: [bytes] })
  expect([forgotten.bundles, forgotten.size]).toEqual([[], first.size])
  await later.close()
  const last = await start({ folder: server.folder })
  await signOn(last)(9_000)
  const grown = await last.vault.publishLog({ stored: [] })
  expect([grown.bundles, grown.size, countOf(grown.unfinished)]).toEqual([[], first.size + 1, (first.size + 1) % 256])
})

test('while the database stores nothing of the log it grows to a bound, then nothing is changed or signed', async () => {
  const server = await start({ logWaitingMbMax: 0.1 })
  const { root, signWith, signOn } = await signingOrganization(server)
  const sign = (text: string) => root.activity('sign_raw_payload', signingOf(signWith, text))
  const lying = publishing(server, { ...server.store, keepLog: async () => {} })
  const statuses = new Set<number>()
  for (let from = 0; from < 600 && !statuses.has(503); from += 50) {
    const asked = Array.from({ length: 50 }, (_, at) => sign(String(from + at)))
    for (const { status } of await Promise.all(asked)) statuses.add(status)
  }
  expect(statuses).toEqual(new Set([200, 503]))
  expect((await root.activity('create_user_tag', { userTagName: 'tag', userIds: [] })).status).toBe(503)
  expect((await root.query('whoami')).status).toBe(200)
  const refusal = expect.stringMatching(/^the database stores nothing of the transparency log/)
  expect(await server.vault.condition()).toMatchObject({ refusal })
  const line = 'nothing is changed or signed: the database stores nothing of the transparency log'
  expect(server.warnings.filter((warning) => warning.startsWith(line)).length).toBe(1)
  await lying.close()

  // A start does not forget it.
  await server.close()
  const later = await start({ folder: server.folder, logWaitingMbMax: 0.1 })
  expect(await later.vault.condition()).toMatchObject({ refusal })
  publishing(later, later.store)
  await soon(async () => expect(await later.vault.condition()).toMatchObject({ refusal: undefined }))
  expect(later.warnings).toContain('the database stores the transparency log again: changes and signatures go on')
  await signOn(later)(1)
})

test('tiles of other sizes, levels and logs than are published do not exist', async () => {
  const server = await start()
  const { signOn } = await signingOrganization(server)
  const publisher = publishing(server, server.store)
  const { list, file } = publicLog(server)
  await signOn(server)(1)
  await soon(async () => expect((await list())[0]?.size).toBe(3))
  await publisher.close()
  const [{ path } = { path: '' }] = await list()
  for (const name of ['tile/0/000.p/1', 'tile/0/000.p/3', 'tile/entries/000.p/2', 'checkpoint']) {
    expect((await file(`${path}/${name}`)).length, name).toBeGreaterThan(0)
  }
  for (const name of [
    ...['tile/0/000', 'tile/0/000.p/4', 'tile/0/000.p/0', 'tile/0/001.p/1', 'tile/1/000.p/1', 'tile/entries/000'],
    ...['tile/0/0', 'tile/0/x000/000', 'tile/64/000', 'tile/-1/000', 'checkpoint/', 'tile/../checkpoint', ''],
  ]) {
    await expect(file(`${path}/${name}`), name).rejects.toThrow('there is no')
  }
  await expect(file(`/log/${'0'.repeat(32)}/checkpoint`)).rejects.toThrow('there is no')
})
