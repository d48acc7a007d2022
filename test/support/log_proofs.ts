import { expect, onTestFinished } from 'vitest'
import { hashOfLogEntry } from '../../src/protocol/log/encode_entry.ts'
import { holdsExcerpt } from '../../src/protocol/log/exports/excerpt.ts'
import { decodeLogEntry, type LogEntry } from '../../src/protocol/log/log_entry.ts'
import { verifierOf } from '../../src/protocol/log/notes/signatures.ts'
import { readPolicy } from '../../src/protocol/log/policy.ts'
import { readProof, verifyProof } from '../../src/protocol/log/proof.ts'
import { emptyFrontier, grown, leafHash, rootOf } from '../../src/protocol/log/tree/tree.ts'
import { startPublisher } from '../../src/service/transparency/publisher.ts'
import { clientOf, ethereumAccount, signingOf } from './client.ts'
import type { Server } from './in_process.ts'
import { soon } from './soon.ts'
import { resultOf } from './two_organizations.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

/** Publishes the log of a server until the test ends. `changed`: verbs of its store that answer otherwise. */
export function publishing(
  { vault, store }: Server,
  changed: Partial<Server['store']> = {},
  { indexEveryMs }: { readonly indexEveryMs?: number } = {},
) {
  const often = { everyMs: 5, ...(indexEveryMs === undefined ? {} : { indexEveryMs }) }
  const publisher = startPublisher({ vault, store: { ...store, ...changed }, log: quiet, ...often })
  onTestFinished(() => publisher.close())
  return publisher
}

/** Makes an organization that signs. It takes two entries. */
export async function signer(server: Server) {
  const { organizationId, apiKey } = await server.createOrganization()
  const root = clientOf(server, { organizationId, apiKey })
  const accounts = [ethereumAccount("m/44'/60'/0'/0/0")]
  const made = await resultOf(root.activity('create_wallet', { walletName: 'w', accounts }))
  const [signWith] = made.activity.result.createWalletResult.addresses
  const sign = async (text: string) => {
    const { activity } = await resultOf(root.activity('sign_raw_payload', signingOf(signWith, text)))
    return String(activity.id)
  }
  return { organizationId, root, sign }
}

/** The size of the only log of a server that publishes, once it has a checkpoint and grows no more. */
export async function settledSize({ store }: Server): Promise<number> {
  const sizes = [-1]
  await soon(async () => {
    sizes.push((await store.logs())[0]?.size ?? 0)
    expect(sizes.at(-1)).toBeGreaterThan(0)
    expect(sizes.at(-1)).toBe(sizes.at(-2))
  })
  return sizes.at(-1) ?? 0
}

/** Waits for a checkpoint of so many entries, and returns it with a policy that knows the log. */
export async function covered({ store }: Server, size: number) {
  await soon(async () => expect((await store.logs())[0]?.size).toBe(size))
  const [log] = await store.logs()
  if (log === undefined) throw new Error('no log')
  const keys = Buffer.from(log.keys).toString('ascii').split('\n')
  const policy = readPolicy(Buffer.from(`${keys.map((key) => `log ${key}\n`).join('')}quorum none\n`))
  if (policy.kind === 'malformed') throw new Error(policy.reason)
  return { log, policy: policy.value }
}

export type Recorded = {
  version: number
  origin: string
  index: number
  recordedAt: object
  entry: string
  proof: string
}

/** The entries that prove an activity, each of which verifies by the policy. */
export async function proven(client: Pick<ReturnType<typeof clientOf>, 'query'>, activityId: string, known: object) {
  const { proof } = (await client.query('get_activity_proof', { activityId })).body
  const entries = proof.entries.map((recorded: Recorded) => {
    const bytes = Buffer.from(recorded.entry, 'base64')
    const read = readProof(Buffer.from(recorded.proof))
    if (read.kind === 'malformed') throw new Error(read.reason)
    const accepted = verifyProof(read.value, { entry: hashOfLogEntry(bytes), verifierOf, ...known } as never)
    expect([accepted.kind, read.value.index]).toEqual(['accepted', recorded.index])
    return { ...recorded, entry: decodeLogEntry(bytes) }
  })
  return { entries, uncoveredVersions: proof.uncoveredVersions }
}

/** All entries of the client's organization in the tree of the log, each of which is proven by the page. */
export async function listed(
  client: Pick<ReturnType<typeof clientOf>, 'query'>,
  log: { logId: string; size: number },
  root: Uint8Array,
) {
  const entries: { index: number; entry: LogEntry | undefined }[] = []
  let pages = 0
  for (let fromBundle: string | undefined = '0'; fromBundle !== undefined; pages += 1) {
    const asked = { logId: log.logId, size: String(log.size), fromBundle }
    const { status, body } = await client.query('list_log_entries', asked)
    expect(status, JSON.stringify(body)).toBe(200)
    for (const bundle of body.bundles) {
      const bytes = bundle.entries.map((entry: string) => Buffer.from(entry, 'base64'))
      const hashes = (texts: readonly string[]) => texts.map((text) => Buffer.from(text, 'base64'))
      const excerpt = { ...bundle, hashes: hashes(bundle.hashes), proof: hashes(bundle.proof) }
      const leaves = bytes.map((entry: Buffer) => leafHash(hashOfLogEntry(entry)))
      expect(holdsExcerpt(excerpt, { leaves, size: log.size, root })).toBe(true)
      for (const [at, entry] of bytes.entries())
        entries.push({ index: bundle.indexes[at], entry: decodeLogEntry(entry) })
    }
    fromBundle = body.nextBundle
  }
  return { entries, pages }
}

/** The root of the tree that a log had when it had `size` entries. */
export async function rootOfLog({ store }: Server, { logId, size }: { logId: string; size: number }) {
  let tree = emptyFrontier
  for (let number = 0; number * 256 < size; number += 1) {
    const bytes = (await store.logBundle({ logId, number })) ?? new Uint8Array()
    for (let at = 0; at < bytes.length && tree.size < size; ) {
      const end = at + 2 + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)
      tree = grown(tree, leafHash(hashOfLogEntry(bytes.subarray(at + 2, end))))
      at = end
    }
  }
  return rootOf(tree)
}
