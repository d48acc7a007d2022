import { expect, test } from 'vitest'
import { createLogTo } from '../../process/log.ts'
import { UnreadAnswers } from './unread_answers.ts'

const mib = 1024 * 1024
const log = createLogTo({ write: () => {} }, { level: 'error' })

function start(all: number, ofPeer: number) {
  const clock = { nowMs: 0 }
  const reset: string[] = []
  const answers = new UnreadAnswers({ max: { all, ofPeer }, log, nowMs: () => clock.nowMs })
  const peerOf = (address: string, isShared = false) => ({ address, isShared })
  function send(peer: ReturnType<typeof peerOf>, name: string, unreadBytes: number) {
    const connection = { unreadBytes, reset: () => reset.push(name) }
    answers.onTaken(peer, connection)
    return {
      read(bytes: number) {
        connection.unreadBytes -= bytes
        answers.onTaken(peer, connection)
      },
    }
  }
  return { clock, reset, peerOf, send }
}

test('a client that reads is not the one that has waited longest', () => {
  const { clock, reset, peerOf, send } = start(100 * mib, 10 * mib)
  const peer = peerOf('192.0.2.1')
  const first = send(peer, 'first', 4 * mib)
  send(peer, 'second', 4 * mib)
  clock.nowMs = 1_000
  first.read(mib)
  send(peer, 'third', 4 * mib)
  expect(reset).toEqual(['second'])
})

test('an answer that is taken, or whose connection ended, leaves room', () => {
  const { reset, peerOf, send } = start(10 * mib, 10 * mib)
  const peer = peerOf('192.0.2.1')
  for (let count = 0; count < 100; count += 1) send(peer, 'taken', 8 * mib).read(8 * mib)
  expect(reset).toEqual([])
})

test('the only answer of a peer is kept while it is read, however large it is, and gives way once it stalls', () => {
  const { clock, reset, peerOf, send } = start(10 * mib, 5 * mib)
  const first = send(peerOf('192.0.2.1'), 'first', 9 * mib)
  send(peerOf('192.0.2.2'), 'second', 4 * mib)
  expect(reset).toEqual([])
  clock.nowMs = 1_500
  first.read(1)
  clock.nowMs = 2_500
  send(peerOf('192.0.2.3'), 'third', mib)
  expect(reset).toEqual(['second'])
  clock.nowMs = 5_000
  send(peerOf('192.0.2.4'), 'fourth', mib)
  expect(reset).toEqual(['second', 'first'])
})

test('the connections of a proxy have no bound of one peer, and give way once they stall', () => {
  const { clock, reset, peerOf, send } = start(10 * mib, 5 * mib)
  const proxy = peerOf('192.0.2.1', true)
  send(proxy, 'first', 6 * mib)
  send(proxy, 'second', 6 * mib)
  expect(reset).toEqual([])
  clock.nowMs = 2_000
  send(proxy, 'third', mib)
  expect(reset).toEqual(['first'])
})
