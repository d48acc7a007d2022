/** Several nodes on one PostgreSQL database, each with a vault and a journal of its own. */

import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { type Client, clientOf } from './client.ts'
import type { Server, ServerOptions } from './in_process.ts'
import { temporaryDatabase } from './postgres/postgres.ts'
import { start } from './start.ts'

export type Cluster = Awaited<ReturnType<typeof startCluster>>

/** Starts three nodes. After the test, none of them may have noticed an incident: the database is honest. */
export async function startCluster(options: ServerOptions = {}) {
  const databaseUrl = await temporaryDatabase()
  const first = await start({ ...options, databaseUrl })
  const nodes = [first, await addNode(), await addNode()] as const
  onTestFinished(() => {
    for (const { incidents } of nodes) expect(incidents).toEqual([])
  })
  const organization = await first.createOrganization()
  return {
    databaseUrl,
    nodes,
    addNode,
    ...organization,
    /** Nodes take turns. */
    nodeAt: (index: number): Server => nodes[index % nodes.length] ?? first,
    /** A client of the root user. */
    on: (node: Server): Client => clientOf(node, organization),
  }

  /** Another node has a folder of its own, with a copy of the key file, as an operator makes it. */
  function addNode(given: Pick<ServerOptions, 'databaseUrl'> = {}): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), 'claviger-node-'))
    mkdirSync(join(folder, 'vault'), { mode: 0o700 })
    copyFileSync(join(first.folder, 'vault', 'root.key'), join(folder, 'vault', 'root.key'))
    return start({ ...options, databaseUrl, ...given, folder })
  }
}

type Answer = Awaited<ReturnType<Server['post']>>

/** Asks as a client does: 503 says that the same request may be sent again. */
export async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask()
    if (answer.status !== 503 || attempt === 50) return answer
    await setTimeout(Math.random() * 50)
  }
}
