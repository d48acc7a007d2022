import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { vaultSettingsIn } from '../../../test/support/vault_settings.ts'
import type { Channel } from '../../link/channel/channel.ts'
import type { VaultRequest } from '../../link/verbs.ts'
import { startVault, VaultUnavailable } from './client.ts'
import { endIfSilent } from './silence.ts'
import { spawnVault } from './vault_process.ts'

describe('the ticks: a vault that', () => {
  const ticksMax = 30
  const silent = Array<0>(ticksMax).fill(0)

  test('answers nothing is ended after as many, counted from the first question', async () => {
    const vault = watched([])
    expect(await vault.isEnded).toBe(true)
    expect([vault.ends(), vault.ticks(), vault.asked()[0]]).toEqual([1, 1 + ticksMax, 1])
  })

  test('says something in the last of them is kept, as often as that happens', async () => {
    const almost = [...silent, 1]
    const vault = watched([...almost, ...almost, ...almost, 'closed'])
    expect(await vault.isEnded).toBe(false)
    expect([vault.ends(), vault.ticks()]).toEqual([0, 3 * almost.length + 1])
  })

  test('answers others is not asked', async () => {
    const vault = watched([1, 200, 1, 3, 'closed'])
    expect(await vault.isEnded).toBe(false)
    expect(vault.asked()).toEqual([])
  })

  test('is gone in the last of them is not ended', async () => {
    const vault = watched([...silent, 'closed'])
    expect(await vault.isEnded).toBe(false)
    expect([vault.ends(), vault.ticks()]).toEqual([0, 1 + ticksMax])
  })

  /** A vault that sends so much in each tick, then nothing. */
  function watched(ticks: readonly (number | 'closed')[]) {
    const closed = Promise.withResolvers<undefined>()
    const asked: number[] = []
    let [tick, heard, ends] = [0, 7, 0]
    const channel: Channel = {
      closed: closed.promise,
      close() {},
      heard: () => heard,
      async call() {
        asked.push(tick)
        throw new VaultUnavailable('nobody waits for this reply')
      },
    }
    async function next(): Promise<void> {
      const came = ticks[tick] ?? 0
      tick += 1
      if (came === 'closed') closed.resolve(undefined)
      else heard += came
      await new Promise(setImmediate)
    }
    const end = () => {
      ends += 1
    }
    const isEnded = endIfSilent({ channel, end }, { ticksMax, tick: next })
    return { isEnded, asked: () => asked, ticks: () => tick, ends: () => ends }
  }
})

describe('the process of a vault', () => {
  const message = 'the vault answered nothing for 2 s, so it was ended and will be started again'
  type Asked = ReturnType<typeof started>

  test.each([
    ['stands still', async ({ pid }: Asked) => void process.kill(await pid(), 'SIGSTOP')],
    ['is in a step without an end', async ({ ask }: Asked) => void ask('/block').catch(() => {})],
  ])('that %s is ended, and the next one answers', async (_what, hang) => {
    const asked = started()
    const { vault, logged, ask, pid } = asked
    await vault.started
    const hanging = await pid()
    await hang(asked)
    await expect(ask('/pid')).rejects.toBeInstanceOf(VaultUnavailable)
    while (logged.length === 0 || vault.state() !== 'ready') await sleep(20)
    expect(await pid()).not.toBe(hanging)
    expect(() => process.kill(hanging, 0)).toThrow('ESRCH')
    expect(logged).toEqual([['error', { exitCode: null, signal: 'SIGKILL' }, message]])
  })

  test('is ended also if nobody asks it for anything', async () => {
    const { vault, logged, pid } = started()
    await vault.started
    process.kill(await pid(), 'SIGSTOP')
    while (logged.length === 0) await sleep(20)
    expect(logged.map(([, , text]) => text)).toEqual([message])
  })

  test('is kept while it is unsealed, though that takes longer', async () => {
    const { vault, logged, pid } = started({ state: 'slow', silentTicksMax: 3 })
    await vault.started
    await pid()
    expect(logged).toEqual([])
  })

  test('is kept though this process stood still for longer', async () => {
    const { vault, logged, pid } = started({ silentTicksMax: 3 })
    await vault.started
    const first = await pid()
    // Twice, because in every other second something has come before it stands still: the answer to a question.
    for (let time = 1; time <= 2; time += 1) {
      await sleep(1_100)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_500)
    }
    await sleep(100)
    expect([await pid(), logged]).toEqual([first, []])
  })

  test('is kept though a request takes longer', async () => {
    const { vault, logged, ask, pid } = started({ silentTicksMax: 3 })
    await vault.started
    const first = await pid()
    await expect(ask('/hang', 6_000)).rejects.toBeInstanceOf(VaultUnavailable)
    expect([await pid(), logged]).toEqual([first, []])
  })

  function started({ state = 'stored', silentTicksMax = 2 } = {}) {
    const logged: [string, object, string][] = []
    const noted = (level: string) => (fields: object, text: string) => void logged.push([level, fields, text])
    const log = { info: noted('info'), warn: noted('warn'), error: noted('error') }
    const settings = vaultSettingsIn(mkdtempSync(join(tmpdir(), 'claviger-silence-')))
    const entryPath = join(import.meta.dirname, '..', '..', '..', 'test', 'support', 'stub_vault.ts')
    const vault = startVault({
      open: () => spawnVault({ settings, dial: () => new PassThrough().destroy(), log, entryPath }),
      vaultState: { load: async () => Buffer.from(state), initialize: async (made) => made },
      log,
      silentTicksMax,
    })
    onTestFinished(() => vault.close())

    async function ask(path: string, waitMsMax?: number): Promise<string> {
      const request = { path, body: new Uint8Array(), stamps: [], presented: [], outcomes: [] } as const
      const limits: Pick<VaultRequest, 'waitMsMax'> = waitMsMax === undefined ? {} : { waitMsMax }
      const answer = await vault.answer({ ...request, dialect: 'spec', ...limits })
      return answer.kind === 'answer' ? Buffer.from(answer.body).toString() : answer.kind
    }
    return { vault, logged, ask, pid: async () => Number(await ask('/pid')) }
  }
})
