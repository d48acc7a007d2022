import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { PublishedLog, PublishLogRequest } from '../../link/verbs.ts'
import { startPublisher } from './publisher.ts'

const published: PublishedLog = {
  ...{ origin: `localhost/log/${'0a'.repeat(16)}`, keys: [], size: 1, checkpoint: Buffer.of(1) },
  ...{ bundles: [], unfinished: Buffer.of(0, 1, 7) },
}

test('a journal is compared once the vault has seen the checkpoint that the database has', async () => {
  const seen: PublishLogRequest[] = []
  const reading = Promise.withResolvers<Awaited<ReturnType<Parameters<typeof startPublisher>[0]['store']['log']>>>()
  const unused = async () => {
    throw new Error('nothing is written')
  }
  const publisher = startPublisher({
    vault: {
      async publishLog(request) {
        seen.push(request)
        return request.seen === undefined ? published : { ...published, forked: 'it has forked' }
      },
    },
    store: {
      log: () => reading.promise,
      logs: async () => [],
      keepLog: unused,
      logBundle: unused,
      indexBundle: unused,
    },
    log: { debug() {}, info() {}, warn() {}, error() {} } as never,
  })
  let isCompared = false
  const compared = publisher.compared.then(() => {
    isCompared = true
  })
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
  expect([isCompared, seen]).toEqual([false, [{ stored: [] }]])
  const { origin, size } = published
  const row = { logId: '0a'.repeat(16), origin, keys: Buffer.of(), size, last: Buffer.of(), indexed: 0 }
  reading.resolve({ ...row, checkpoint: Buffer.of(2) })
  await compared
  expect(seen.at(-1)).toEqual({ stored: [], seen: Buffer.of(2) })
  await publisher.close()
})
