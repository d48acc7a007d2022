import { expect, test, vi } from 'vitest'
import { covered, listed, proven, publishing, type Recorded, rootOfLog, signer } from '../support/log_proofs.ts'
import { start } from '../support/start.ts'

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
  await vi.waitFor(async () => expect((await server.store.logs())[0]?.indexed).toBe(2))
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
  await vi.waitFor(async () => expect((await server.store.log(logId))?.indexed).toBe(1))
})
