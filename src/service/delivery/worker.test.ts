import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { VaultUnavailable } from '../vault/client.ts'
import { type Hands, startWorker } from './worker.ts'

async function start() {
  const looked = Promise.withResolvers<Hands>()
  const worker = startWorker({
    lookMs: 60_000,
    look: async (hands) => looked.resolve(hands),
    onError: (error) => expect.fail(String(error)),
  })
  return { worker, hands: await looked.promise }
}

test('nothing is kept of the messages that were opened', async () => {
  const { worker, hands } = await start()
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  const usedBytesAfter = async (messages: number) => {
    for (let count = 0; count < messages; count += 1) await hands.unlessStopped(Promise.resolve(count))
    gc()
    return process.memoryUsage().heapUsed
  }
  const before = await usedBytesAfter(1_000)
  expect((await usedBytesAfter(50_000)) - before).toBeLessThan(50_000 * 40)
  await worker.close(AbortSignal.abort())
})

test('at the end nothing waits for the vault, whenever it was asked', async () => {
  const { worker, hands } = await start()
  const hanging = () => hands.unlessStopped(new Promise<never>(() => {}))
  const before = hanging()
  const closed = worker.close(AbortSignal.abort())
  await expect(before).rejects.toBeInstanceOf(VaultUnavailable)
  await expect(hanging()).rejects.toBeInstanceOf(VaultUnavailable)
  // The vault dies later. Nobody hears of it.
  await expect(hands.unlessStopped(Promise.reject(new Error('late')))).rejects.toBeInstanceOf(Error)
  await closed
})

test('the next look comes soon if one does not see all that waits, unless it has failed', async () => {
  const looks: string[] = []
  const third = Promise.withResolvers<void>()
  const worker = startWorker({
    lookMs: 60_000,
    isMore: () => true,
    async look() {
      looks.push('look')
      if (looks.length < 3) return
      third.resolve()
      throw new Error('the database is away')
    },
    onError: () => looks.push('error'),
  })
  await third.promise
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(looks).toEqual(['look', 'look', 'look', 'error'])
  await worker.close()
})
