import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { vaultSettingsIn } from '../../../test/support/vault_settings.ts'
import { encodeFrame } from '../../link/channel/frames.ts'
import { LaneRefused, requestLane } from '../../link/channel/lane_request.ts'
import type { VaultRequest } from '../../link/verbs.ts'
import { startVault, VaultUnavailable } from '../../service/vault/client.ts'
import { connectVault } from '../../service/vault/vault_socket.ts'
import { listenForService } from './listener.ts'

// The vaults that it starts are stubs, in processes of their own.

const entryPath = join(import.meta.dirname, '..', '..', '..', 'test', 'support', 'stub_vault.ts')
const settings = vaultSettingsIn('/nowhere')

async function listening(path = join(mkdtempSync(join(tmpdir(), 'claviger-listener-')), 'vault.sock')) {
  const logged: [string, object][] = []
  const note = (fields: object, message: string) => void logged.push([message, fields])
  const log = { info: note, warn: note, error: note }
  const listener = await listenForService({ path, settings, log, entryPath })
  onTestFinished(() => listener.close())
  return { path, logged, listener }
}

/** A service that uses the vault behind the socket. */
function connected(path: string, limits: { readonly silentTicksMax?: number } = {}) {
  const errors: string[] = []
  const vault = startVault({
    open: (signal) => connectVault({ path, dial: () => new PassThrough().destroy(), signal }),
    vaultState: { load: async () => Buffer.from('stored'), initialize: async (state) => state },
    log: { info() {}, warn() {}, error: (_fields, message) => void errors.push(message) },
    ...limits,
  })
  onTestFinished(() => vault.close())

  async function ask(requestPath: string, body = new Uint8Array()): Promise<Buffer> {
    const request: VaultRequest = { path: requestPath, body, stamps: [], dialect: 'spec', presented: [], outcomes: [] }
    const answer = await vault.answer(request)
    if (answer.kind !== 'answer') throw new Error(`expected an answer, got ${answer.kind}`)
    return Buffer.from(answer.body)
  }
  return { vault, errors, ask, pid: async () => Number(await ask('/pid')) }
}

async function isReady({ vault }: ReturnType<typeof connected>): Promise<void> {
  while (vault.state() !== 'ready') await sleep(5)
}

/** The reply to a connection that sends these bytes. */
function rawReply(path: string, bytes: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(path, () => socket.write(bytes))
    let reply = ''
    socket.on('data', (chunk) => (reply += chunk.toString('latin1')))
    socket.on('error', () => {})
    socket.on('close', () => resolve(reply))
  })
}

test('only owner and group may open the socket', async () => {
  const { path } = await listening()
  expect(statSync(path).mode & 0o777).toBe(0o660)
})

test('a service that connects has a vault, which answers on both lanes', async () => {
  const { path } = await listening()
  const { vault, ask } = connected(path)
  await vault.started
  const body = new Uint8Array(3_000_000).fill(7)
  const [large, small] = await Promise.all([ask('/digest', body), ask('/pid')])
  expect(large).toEqual(createHash('sha256').update(body).digest())
  expect(Number(small)).toBeGreaterThan(0)
})

test('a second service is refused while the first is there, and has a vault of its own afterwards', async () => {
  const { path } = await listening()
  const first = connected(path)
  await first.vault.started
  const pid = await first.pid()
  const lane = connect(path)
  await expect(requestLane(lane, { lane: 'small', service: 'another' })).rejects.toThrow(
    new LaneRefused('it serves another server, and takes one at a time'),
  )
  const second = connected(path)
  await sleep(300)
  expect([second.vault.state(), await first.pid()]).toEqual(['starting', pid])
  await first.vault.close()
  await second.vault.started
  expect(await second.pid()).not.toBe(pid)
})

test('a vault that dies is followed by another one for the same service', async () => {
  const { path, logged } = await listening()
  const service = connected(path)
  await service.vault.started
  const pid = await service.pid()
  await expect(service.ask('/die')).rejects.toThrow(VaultUnavailable)
  await isReady(service)
  expect(await service.pid()).not.toBe(pid)
  expect(logged).toContainEqual(['the vault of that server has ended', { exitCode: 3, signal: null }])
})

describe('a vault that hangs is ended', () => {
  const killed = ['the vault of that server has ended', { exitCode: null, signal: 'SIGKILL' }] as const

  test('and followed by another one for the same service', async () => {
    const { path, logged } = await listening()
    const service = connected(path, { silentTicksMax: 2 })
    await service.vault.started
    const pid = await service.pid()
    process.kill(pid, 'SIGSTOP')
    await expect(service.pid()).rejects.toThrow(VaultUnavailable)
    while (service.errors.length === 0) await sleep(20)
    await isReady(service)
    expect(await service.pid()).not.toBe(pid)
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    expect(service.errors).toEqual(['the vault answered nothing for 2 s, so it was ended and will be started again'])
    expect(logged).toContainEqual(killed)
  })

  test('with its service, so the next service has one', async () => {
    const { path, logged } = await listening()
    const first = connected(path)
    await first.vault.started
    process.kill(await first.pid(), 'SIGSTOP')
    await first.vault.close()
    const second = connected(path)
    await second.vault.started
    expect(logged).toContainEqual(killed)
  })

  test('by its own service only', async () => {
    const { path, logged } = await listening()
    const service = connected(path)
    await service.vault.started
    const pid = await service.pid()
    await rawReply(path, encodeFrame({ ends: 'of another service' }))
    expect([await service.pid(), logged.length]).toEqual([pid, 1])
  })
})

test('a service waits for a vault that does not listen yet, and for one that listens again', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'claviger-listener-')), 'vault.sock')
  const service = connected(path)
  await sleep(200)
  const { listener } = await listening(path)
  await service.vault.started
  const pid = await service.pid()
  await listener.close()
  await expect(service.pid()).rejects.toThrow()
  await listening(path)
  await isReady(service)
  expect(await service.pid()).not.toBe(pid)
})

test('a vault that is ended takes nobody who was connected, and waits for nobody', async () => {
  const { path, listener, logged } = await listening()
  const lanes = [connect({ path, allowHalfOpen: true }), connect({ path, allowHalfOpen: true })]
  for (const lane of lanes) lane.on('error', () => {}).resume()
  onTestFinished(() => lanes.forEach((lane) => void lane.destroy()))
  await sleep(50)
  await listener.close()
  lanes.forEach((lane, index) => void lane.write(encodeFrame({ lane: index === 0 ? 'small' : 'large', service: 'a' })))
  await sleep(100)
  expect(lanes.map(({ destroyed }) => destroyed)).toEqual([true, true])
  expect(logged.filter(([message]) => message === 'a server has connected')).toEqual([])
})

test('a vault whose process cannot be started says so, and takes the service later', async () => {
  const { execPath } = process
  onTestFinished(() => {
    process.execPath = execPath
  })
  const { path, logged } = await listening()
  process.execPath = '/nowhere'
  const lanes = { small: connect(path), large: connect(path) }
  const request = (lane: keyof typeof lanes) => requestLane(lanes[lane], { lane, service: 'a' })
  await expect(Promise.all([request('small'), request('large')])).rejects.toThrow('its process could not be started')
  expect(logged).toEqual([['the vault of that server has ended', { error: expect.any(Error) }]])
  process.execPath = execPath
  await connected(path).vault.started
})

test('two vaults do not listen on one socket', async () => {
  const { path } = await listening()
  await expect(listening(path)).rejects.toThrow(`another vault listens on ${path}`)
})

describe('a connection is refused that', () => {
  for (const [what, bytes, reason] of [
    ['asks for another lane', encodeFrame({ lane: 'third', service: 'a' }), 'a message that asks for no lane'],
    ['names no service', encodeFrame({ lane: 'small' }), 'a message that asks for no lane'],
    ['sends no object', encodeFrame('small'), 'no single message'],
    ['sends more before the reply', Buffer.concat([encodeFrame({}), encodeFrame({})]), 'no single message'],
    ['sends no frame', Buffer.from('GET / HTTP/1.1\r\n'), 'is over'],
    ['begins a long message', encodeFrame({ text: 'a'.repeat(1_024) }), 'a message of more than 1024 bytes'],
  ] as const) {
    test(what, async () => {
      const { path, logged } = await listening()
      expect(await rawReply(path, bytes)).toContain(reason)
      expect(logged).toEqual([['a connection to the vault was refused', { reason: expect.stringContaining(reason) }]])
      await connected(path).vault.started
    })
  }

  test('asks for a lane that its service has already', async () => {
    const { path } = await listening()
    const ask = () => {
      const socket = connect(path)
      onTestFinished(() => void socket.destroy())
      return requestLane(socket, { lane: 'small', service: 'one' })
    }
    await expect(Promise.race([ask(), ask()])).rejects.toThrow(new LaneRefused('the lane small was asked for twice'))
  })

  test.each([
    ['stays', () => {}],
    [
      'sends more and goes',
      (socket: Socket) => {
        socket.write('more')
        setTimeout(() => socket.destroy(), 10)
      },
    ],
  ])('and %s, so it keeps no place', async (_what, goOn) => {
    const { path } = await listening()
    for (let count = 0; count < 16; count += 1) {
      const socket = connect({ path, allowHalfOpen: true })
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => {}).write('GET / HTTP/1.1\r\n')
      await once(socket, 'data')
      goOn(socket)
    }
    await sleep(100)
    await connected(path).vault.started
  })

  test('asks for one lane only, so it does not keep the others waiting', async () => {
    const { path } = await listening()
    const lane = connect(path)
    onTestFinished(() => void lane.destroy())
    const refused = expect(requestLane(lane, { lane: 'small', service: 'half' })).rejects.toThrow()
    await connected(path).vault.started
    await refused
  })
})
