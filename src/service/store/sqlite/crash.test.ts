import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryPath, temporaryStore } from '../../../../test/support/store/fixtures.ts'
import { openReader } from './connection.ts'

const child = fileURLToPath(new URL('../../../../test/support/store/crash_child.ts', import.meta.url))

test('a process killed while it commits loses nothing that it acknowledged and leaves nothing half-done', async () => {
  const path = temporaryPath()
  const acknowledged: string[] = []
  for (const killedAfter of [1, 150, 400]) {
    acknowledged.push(...(await commitAndKill(path, killedAfter)))

    const store = await temporaryStore(path)
    expect(await store.health()).toEqual({ readError: undefined, writeError: undefined })
    await store.close()
    const [records, lookups, activities] = ['records', 'lookups', 'activities'].map((table) => idsIn(path, table))
    expect(lookups).toEqual(records)
    expect(activities).toEqual(records)
    expect(acknowledged.filter((id) => !records?.has(id))).toEqual([])
  }
  expect(acknowledged.length).toBeGreaterThan(500)
})

async function commitAndKill(path: string, killedAfter: number): Promise<readonly string[]> {
  const process_ = spawn(process.execPath, [child, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(process_, 'exit')
  const ids: string[] = []
  for await (const line of createInterface({ input: process_.stdout })) {
    ids.push(line)
    if (ids.length === killedAfter) process_.kill('SIGKILL')
  }
  expect(await exited).toEqual([null, 'SIGKILL'])
  return ids
}

function idsIn(path: string, table: string): ReadonlySet<string> {
  using database = openReader(path)
  const column = table === 'activities' ? 'activity_id' : 'record_id'
  const rows = database.prepare(`select ${column} as id from ${table} order by 1`).all()
  return new Set(rows.map(({ id }) => String(id)))
}
