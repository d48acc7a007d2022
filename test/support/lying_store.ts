import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Commit } from '../../src/protocol/reads.ts'
import { createSubmit } from '../../src/service/requests/submit.ts'
import type { Store } from '../../src/service/store/store.ts'
import { activityRequest } from './client.ts'
import { type ApiKeyPair, type Server, startInProcess } from './in_process.ts'
import { copyDatabaseIn, openStoreIn } from './server_database.ts'
import { stampWith } from './stamping.ts'

/** A database at one time: a copy with a store on it. */
export type Branch = { readonly folder: string; readonly store: Store }

type Answered = { readonly status: number; readonly body: ReturnType<typeof JSON.parse> }

/**
 * Controls the database under a running server: it shows any branch, and answers a commit as the test says, wherever
 * the commit was written. Requests do not queue here, because each has its own service.
 */
export function lyingStoreOn(server: Server) {
  let shown: Store = server.store
  let answerCommit = (commit: Commit): ReturnType<Store['commit']> => shown.commit(commit)
  const store: Store = {
    ...server.store,
    find: (reads) => shown.find(reads),
    commit: (commit) => answerCommit(commit),
  }

  async function post(path: string, text: string, apiKey: ApiKeyPair): Promise<Answered> {
    const log = { debug() {}, info() {}, warn() {}, error: (...args: unknown[]) => server.incidents.push(args) }
    const body = Buffer.from(text)
    const submit = createSubmit({ store, vault: server.vault, log: log as never })
    const stamps = [{ header: 'x-stamp', value: stampWith(apiKey, body) }] as const
    const answer = await submit({ path, body, stamps, dialect: 'spec', sourceAddress: '127.0.0.1' })
    return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString('utf8')) }
  }

  return {
    post,
    /** Copies the server's own database as it is now. */
    branch: (): Promise<Branch> => branchOf(server.folder),
    show(branch: Branch | 'own') {
      shown = branch === 'own' ? server.store : branch.store
    },
    showMixed(find: Store['find']) {
      shown = { ...shown, find }
    },
    answerCommitsWith(answer: typeof answerCommit) {
      answerCommit = answer
    },
    honestly() {
      shown = server.store
      answerCommit = (commit) => shown.commit(commit)
    },
    activity(name: string, of: { organizationId: string; parameters: Readonly<Record<string, unknown>> }) {
      const { path, body } = activityRequest(name, { ...of, timestampMs: Date.now() })
      return { path, body, post: (apiKey: ApiKeyPair) => post(path, body, apiKey) }
    },
  }
}

/** A copy of a server's database. */
export async function branchOf(folder: string): Promise<Branch> {
  const copy = mkdtempSync(join(tmpdir(), 'claviger-branch-'))
  copyDatabaseIn(folder, copy)
  const store = await openStoreIn(copy)
  onTestFinished(async () => {
    await store.close()
    rmSync(copy, { recursive: true, force: true })
  })
  return { folder: copy, store }
}

/** Starts a server with the key and the journal that another one has on disk now, and any database. */
export async function startAfterCrash(
  server: Pick<Server, 'folder'>,
  database: { readonly folder: string },
  options: Parameters<typeof startInProcess>[0] = {},
): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-crashed-'))
  for (const part of ['vault', 'mark']) cpSync(join(server.folder, part), join(folder, part), { recursive: true })
  copyDatabaseIn(database.folder, folder)
  const started = await startInProcess({ ...options, folder })
  onTestFinished(async () => {
    await started.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return started
}

/** Makes a function whose promises resolve once it was called `count` times. */
export function barrier(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let come = 0
  return () => {
    come += 1
    if (come === count) resolve()
    return promise
  }
}
