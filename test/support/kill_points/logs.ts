import { randomInt } from 'node:crypto'
import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { hashOfLogEntry } from '../../../src/protocol/log/encode_entry.ts'
import { readCheckpoint } from '../../../src/protocol/log/notes/checkpoint.ts'
import { readNote } from '../../../src/protocol/log/notes/note.ts'
import { fingerprintOf, requestKeyOf } from '../../../src/protocol/wire/fingerprint.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { changeKeyOf } from '../../../src/vault/books/entry_names.ts'
import { digestOfRow } from '../document_digests.ts'
import { isUnsynced } from '../journals.ts'
import { merkleTreeOf } from '../merkle_tree.ts'
import { sealsOf } from '../seals.ts'
import { type StoppedLog, stoppedLogOf } from '../stopped_log.ts'

/** The checkpoints that were served: their roots by size, by log. */
export type Served = Map<string, Map<number, Buffer>>

/** An activity that a client was told of. */
export type Told = {
  readonly id: string
  readonly body: string
  readonly makesHead: boolean
  /** The power was cut soon after. A signature may have no entry then. */
  readonly mayBeLost: boolean
}

/** A loss of power takes any part of what is written and not synced. All else in the folder of a journal is in frames. */
export function cutPower(folder: string): void {
  const journal = join(folder, 'mark')
  for (const path of readdirSync(journal)
    .filter(isUnsynced)
    .map((name) => join(journal, name))) {
    const left = randomInt(3)
    if (left === 0) rmSync(path)
    if (left === 1) truncateSync(path, randomInt(statSync(path).size + 1))
  }
}

/** Reads the checkpoints of all logs again and again, from any server that answers. */
export async function watchLogs(
  urls: () => readonly string[],
  { served, signal }: { readonly served: Served; readonly signal: AbortSignal },
): Promise<void> {
  for (; !signal.aborted; await setTimeout(20)) {
    for (const url of urls()) {
      const notes = await checkpointsAt(url).catch(() => [])
      for (const [logId, bytes] of notes) see(served, logId, bytes)
    }
  }
}

async function checkpointsAt(url: string): Promise<readonly (readonly [string, Buffer])[]> {
  const { logs } = (await (await fetch(new URL('/log/', url))).json()) as { logs: readonly { path: string }[] }
  return Promise.all(
    logs.map(async ({ path }) => {
      const answer = await fetch(new URL(`${path}/checkpoint`, url))
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
      return [path.slice('/log/'.length), Buffer.from(await answer.arrayBuffer())] as const
    }),
  )
}

function see(served: Served, logId: string, bytes: Buffer): void {
  const note = readNote(bytes)
  const checkpoint = note.kind === 'malformed' ? note : readCheckpoint(note.value.text)
  if (checkpoint.kind === 'malformed') throw new Error(checkpoint.reason)
  const { size, root } = checkpoint.value
  const roots = served.get(logId) ?? new Map<number, Buffer>()
  served.set(logId, roots)
  expect(roots.get(size) ?? Buffer.from(root), `two trees of ${size} entries`).toEqual(Buffer.from(root))
  roots.set(size, Buffer.from(root))
}

/**
 * Checks the logs of nodes that have stopped. Each change that was told has one entry, each signature has one, no entry
 * is missing or twice, and every checkpoint that was served is of the beginning of its log.
 */
export async function expectLogged(
  {
    folders,
    store,
    organizationId,
  }: { readonly folders: readonly string[]; readonly store: Store; readonly organizationId: string },
  { told, served }: { readonly told: readonly Told[]; readonly served: Served },
): Promise<{ readonly entries: number; readonly lost: number; readonly takenUp: number }> {
  const seals = await sealsOf(folders[0] ?? '', await store.vaultState())
  const logs: StoppedLog[] = []
  for (const folder of folders) logs.push(await stoppedLogOf(folder, store))
  for (const log of logs) expectWhole(log, served.get(log.logId) ?? new Map())
  const all = logs.flatMap(({ entries }) => entries)
  const tags = all.flatMap(({ makes }) => makes?.tag ?? [])
  expect(new Set(tags).size).toBe(tags.length)
  const byChange = Map.groupBy(all, ({ changeKey }) => changeKey)
  let lost = 0
  for (const { id, body, makesHead, mayBeLost } of told) {
    const requestKey = requestKeyOf(Number(JSON.parse(body).timestampMs), fingerprintOf(Buffer.from(body)))
    const entries = byChange.get(changeKeyOf({ organizationId, requestKey, version: 1 })) ?? []
    if (makesHead) {
      expect(entries.filter(({ makes }) => makes !== undefined).length, `entries of the change ${id}`).toBe(1)
    } else {
      const [found] = await store.find([{ read: 'activity', organizationId, activityId: id }])
      const row = found?.read === 'activity' ? found.row : undefined
      const digest = row && digestOfRow(seals, organizationId, row)
      const count = entries.filter(({ activity }) => row !== undefined && activity?.documentDigest === digest).length
      if (count === 0 && mayBeLost) lost += 1
      else expect(count, `entries of ${id}, of which ${entries.length} are of its bytes`).toBe(1)
    }
  }
  return { entries: all.length, lost, takenUp: all.filter(({ isTakenUp }) => isTakenUp).length }
}

function expectWhole({ bytes, entries }: StoppedLog, roots: ReadonlyMap<number, Buffer>): void {
  const last = new Map<string, { readonly number: number; readonly index: number }>()
  for (const [index, { organizationId, number, before }] of entries.entries()) {
    const previous = last.get(organizationId)
    expect([number, before]).toEqual([(previous?.number ?? 0) + 1, previous?.index])
    last.set(organizationId, { number, index })
  }
  const tree = merkleTreeOf(bytes.map(hashOfLogEntry))
  expect(Math.max(0, ...roots.keys())).toBeLessThanOrEqual(bytes.length)
  for (const [size, root] of roots) expect(tree.root(size), `the tree of ${size} entries`).toEqual(root)
}
