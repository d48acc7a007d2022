import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { VaultUnavailable } from '../../link/channel/channel.ts'
import {
  bytesOfPeerMax,
  bytesOfQuietMax,
  createSendingTurns,
  heldMsMax,
  ofPeerMax,
  ofQuietMax,
  type Sender,
  sentBytesMax,
  sentMax,
  waitingMax,
} from './sending_turns.ts'

function started() {
  const turns = createSendingTurns()
  const sent: string[] = []
  const answers = new Map<string, () => void>()
  const by = (peer: string, organizationId = '', credential = ''): Sender => ({ peer, organizationId, credential })

  function ask(name: string, sender: Sender, { bytes = 0, waitMsMax = 10_000 } = {}): Promise<number> {
    const asked = turns.run(sender, { bytes, waitMsMax }, (leftMs) => {
      sent.push(name)
      return new Promise<number>((resolve) => answers.set(name, () => resolve(leftMs)))
    })
    // Those that nobody answers are refused after the test.
    asked.catch(() => {})
    return asked
  }

  async function answer(name: string): Promise<void> {
    answers.get(name)?.()
    await nextTurn()
  }

  function fill(peer: string, places = sentMax): void {
    for (let index = 0; index < places; index += 1) void ask(`${peer}${index}`, by(peer))
    sent.length = 0
  }

  return { turns, sent, by, ask, answer, fill }
}

test('the vault has so many requests at a time, and the next is sent for one that was answered', async () => {
  const { sent, by, ask, answer, fill } = started()
  fill('a')
  void ask('waits', by('a'))
  expect(sent).toEqual([])
  await answer('a7')
  expect(sent).toEqual(['waits'])
})

test('a peer that has few with the vault waits for nobody, whatever others have', () => {
  const { sent, by, ask, fill } = started()
  fill('a')
  for (let index = 0; index < 1_000; index += 1) void ask('waits', by('a', `made up ${index}`))
  for (let index = 0; index <= ofQuietMax; index += 1) void ask(`b${index}`, by('b'))
  expect(sent).toEqual(['b0', 'b1', 'b2', 'b3'])
})

test('peers take turns, then the organizations of one, then their credentials', async () => {
  const { sent, by, ask, answer, fill } = started()
  for (let index = 0; index < ofQuietMax; index += 1) void ask('b', by('b'))
  fill('a', sentMax - ofQuietMax)
  void ask('a x 1', by('a', 'x', 'one'))
  void ask('a x 1 again', by('a', 'x', 'one'))
  void ask('a x 2', by('a', 'x', 'two'))
  void ask('a y', by('a', 'y'))
  void ask('b 1', by('b', 'x'))
  void ask('b 2', by('b', 'y'))
  for (let index = 0; index < 10; index += 1) await answer(`a${index}`)
  expect(sent).toEqual(['a x 1', 'b 1', 'a y', 'b 2', 'a x 2', 'a x 1 again'])
})

test('the bytes of what the vault has are bounded too, but for one request', async () => {
  const { sent, by, ask, answer } = started()
  for (let index = 0; index < ofQuietMax; index += 1) void ask(`a${index}`, by('a'))
  void ask('large', by('a'), { bytes: 10 * sentBytesMax })
  void ask('small', by('a'), { bytes: 1 })
  expect(sent.slice(ofQuietMax)).toEqual(['large'])
  await answer('large')
  expect(sent.slice(ofQuietMax)).toEqual(['large', 'small'])
})

test('a request is told that it has to wait, before others are sent', () => {
  const { turns, by, fill } = started()
  fill('a', sentMax - 1)
  const told: string[] = []
  for (const name of ['goes', 'waits']) {
    const asked = turns.run(by('a'), { bytes: 1, waitMsMax: 10_000, onWait: () => told.push(name) }, async () => {})
    asked.catch(() => {})
  }
  expect(told).toEqual(['waits'])
})

test('the bytes of what the vault has of a peer are bounded, also of what has left its place', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { sent, by, ask, answer } = started()
  const bytes = bytesOfPeerMax / 8
  for (let index = 0; index < 20; index += 1) void ask(`a${index}`, by('a'), { bytes, waitMsMax: 100 * heldMsMax })
  await vi.advanceTimersByTimeAsync(20 * heldMsMax)
  expect(sent).toHaveLength(8)
  void answer('a0')
  await vi.advanceTimersByTimeAsync(heldMsMax)
  expect(sent).toHaveLength(9)
  void ask('b', by('b'), { bytes })
  expect(sent.at(-1)).toBe('b')
})

test('quiet peers wait too while what the vault has of all is large', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { sent, by, ask } = started()
  const bytes = bytesOfQuietMax / 8
  for (let index = 0; index < 20; index += 1) void ask(`${index}`, by(`${index}`), { bytes })
  expect(sent).toHaveLength(8)
  await vi.advanceTimersByTimeAsync(heldMsMax)
  expect(sent).toHaveLength(9)
})

test('a request that takes long leaves its place', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { sent, by, ask, fill } = started()
  fill('a')
  void ask('waits', by('a'))
  await vi.advanceTimersByTimeAsync(heldMsMax)
  expect(sent).toEqual(['waits'])
})

test('a request is sent with the time that is left, and not once there is none', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { sent, by, ask, answer, fill } = started()
  fill('a')
  const late = ask('late', by('a'), { waitMsMax: 50 }).catch((error: unknown) => error)
  const left = ask('waits', by('a'), { waitMsMax: 1_000 })
  await vi.advanceTimersByTimeAsync(100)
  expect(await late).toBeInstanceOf(VaultUnavailable)
  await vi.advanceTimersByTimeAsync(heldMsMax - 100)
  expect(sent).toEqual(['waits'])
  void answer('waits')
  expect(await left).toBe(1_000 - heldMsMax)
})

test('so many wait at most', async () => {
  const { by, ask, fill } = started()
  fill('a')
  for (let index = 0; index < waitingMax; index += 1) void ask('waits', by('a'))
  await expect(ask('one more', by('a'))).rejects.toBeInstanceOf(VaultUnavailable)
})

test('a peer has so many with the vault, also of those that have left their places, and others are sent', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { sent, by, ask, answer } = started()
  for (let index = 0; index < 3 * ofPeerMax; index += 1) void ask(`a${index}`, by('a', `${index}`))
  await vi.advanceTimersByTimeAsync(10 * heldMsMax)
  expect(sent).toHaveLength(ofPeerMax)
  for (let index = 0; index < sentMax; index += 1) void ask(`b${index}`, by('b'))
  expect(sent).toHaveLength(ofPeerMax + sentMax)
  await vi.advanceTimersByTimeAsync(heldMsMax)
  void answer('a0')
  await vi.advanceTimersByTimeAsync(1)
  expect(sent.slice(ofPeerMax + sentMax)).toEqual([`a${ofPeerMax}`])
})

test('a peer whose requests have left their places is not quiet', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { sent, by, ask, fill } = started()
  for (let index = 0; index < ofQuietMax; index += 1) void ask(`a${index}`, by('a'))
  await vi.advanceTimersByTimeAsync(heldMsMax)
  fill('b')
  fill('b')
  void ask('waits', by('a'))
  expect(sent).toEqual([])
})
