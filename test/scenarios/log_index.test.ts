import { expect, test } from 'vitest'
import { logsMax } from '../../src/service/store/store.ts'
import { covered, listed, proven, publishing, type Recorded, rootOfLog, signer } from '../support/log_proofs.ts'
import { soon } from '../support/soon.ts'
import { start } from '../support/start.ts'
import { resultOf } from '../support/two_organizations.ts'

test('bundles that an earlier version has stored are found before and after they are indexed', async () => {
  const server = await start()
  const { root, sign } = await signer(server)
  const ids: string[] = []
  for (let number = 0; number < 520; number += 1) ids.push(await sign(String(number)))
  const older = publishing(server, { indexBundle: async () => {} })
  const known = await covered(server, 522)
  await older.close()
  const find = async () => {
    for (const at of [0, 255, 400, 519]) {
      const { entries } = await proven(root, ids[at] ?? '', known)
      expect(entries.map(({ index }: Recorded) => index)).toEqual([at + 2])
    }
    const { entries } = await listed(root, known.log, await rootOfLog(server, known.log))
    expect(entries).toHaveLength(522)
  }
  expect(known.log.indexed).toBe(0)
  await find()
  publishing(server)
  await soon(async () => expect((await server.store.logs())[0]?.indexed).toBe(2))
  await find()
})

test('bundles that a node left without an index when it went are indexed by the others while they run', async () => {
  const server = await start()
  const { sign } = await signer(server)
  for (let number = 0; number < 254; number += 1) await sign(String(number))
  publishing(server, {}, { indexEveryMs: 50 })
  const { log } = await covered(server, 256)
  const logId = 'f'.repeat(32)
  const entries = (await server.store.logBundle({ logId: log.logId, number: 0 })) ?? Buffer.of()
  const bundles = [{ number: 0, root: Buffer.alloc(32), entries }]
  await server.store.keepLog({ logId, log: { ...log, logId, origin: `localhost/log/${logId}` }, bundles })
  await soon(async () => expect((await server.store.log(logId))?.indexed).toBe(1))
})

test('a log behind a thousand others is indexed, found in proofs and listed for exports', async () => {
  const server = await start()
  const { root, sign } = await signer(server)
  const activityId = await sign('first')
  for (let number = 0; number < 253; number += 1) await sign(String(number))
  publishing(server, {}, { indexEveryMs: 50 })
  const { log } = await covered(server, 256)
  const entries = (await server.store.logBundle({ logId: log.logId, number: 0 })) ?? Buffer.of()
  const keep = (logId: string, size: number) => {
    const row = { ...log, logId, size, origin: `localhost/log/${logId}` }
    const bundles = size === 0 ? [] : [{ number: 0, root: Buffer.alloc(32), entries }]
    return server.store.keepLog({ logId, log: row, bundles })
  }
  for (let at = 0; at < logsMax; at += 1) await keep(at.toString(16).padStart(32, '0'), 0)
  const last = 'f'.repeat(32)
  await keep(last, 256)
  await soon(async () => expect((await server.store.log(last))?.indexed).toBe(1))
  const { proof } = await resultOf(root.query('get_activity_proof', { activityId }))
  const origins = proof.entries.map(({ origin }: Recorded) => origin)
  expect(origins.toSorted()).toEqual([log.origin, `localhost/log/${last}`].toSorted())
  const { bundles } = await resultOf(root.query('list_log_entries', { logId: last, size: '256' }))
  expect(bundles).toHaveLength(1)
}, 60_000)
