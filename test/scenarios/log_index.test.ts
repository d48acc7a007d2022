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
