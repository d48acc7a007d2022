import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { expect, test } from 'vitest'
import type { Commit } from '../../../protocol/reads.ts'
import { takenBytesMax } from '../fair_queue.ts'
import type { Job } from './batch.ts'
import { bytesOf, jobsMessage, weightOf } from './writer_messages.ts'

/** Bytes that are a part of a larger buffer. */
const bytes = (...values: number[]) => Uint8Array.of(99, ...values, 99).subarray(1, -1)
const removed = { organizationId: 'o', kind: 'user', recordId: 'r', version: 2, sealed: undefined }

const commit: Commit = {
  readSet: [],
  heads: [{ organizationId: 'o', parentId: undefined, version: 1, tag: 't', sealed: bytes(1, 2) }],
  records: [
    { ...removed, ownerId: undefined, sealed: bytes(3) },
    { ...removed, ownerId: undefined },
  ],
  lookups: [],
  activities: [
    { organizationId: 'o', activityId: 'a', requestKey: 'k', type: 't', status: 's', version: 1, sealed: bytes(4, 5) },
  ],
  outbox: [],
  erasures: [],
}
const jobs: readonly Job[] = [
  { do: 'commit', commit },
  { do: 'initializeVaultState', state: bytes(6, 7, 8) },
  { do: 'probe' },
  {
    do: 'keepLog',
    kept: { logId: 'l', log: undefined, bundles: [{ number: 0, root: bytes(9), entries: bytes(1, 2, 3, 4) }] },
  },
]

test('jobs arrive in the thread as they are, with all their bytes in one buffer that is moved', () => {
  const { message, moved } = jobsMessage(jobs)
  const { port1, port2 } = new MessageChannel()
  port1.postMessage(message, [moved])
  const received = receiveMessageOnPort(port2)?.message
  port1.close()
  expect(received).toEqual({ kind: 'jobs', jobs })
  expect(received.jobs[1].state.buffer.byteLength).toBe(12)
  expect(moved.detached).toBe(true)
})

test('the bytes of the jobs stay where they were', () => {
  const [job] = jobs
  expect(job?.do === 'commit' && job.commit.heads[0]?.sealed).toEqual(Uint8Array.of(1, 2))
  expect(jobs.map(bytesOf)).toEqual([5, 3, 0, 4])
})

test('a portion of a queue and an erasure have a transaction of their own, and all else weighs its bytes', () => {
  const [endpoint, message] = [
    { organizationId: 'o', endpointId: 'e' },
    { organizationId: 'o', messageId: 'm' },
  ]
  const changes = [
    { do: 'changeQueue', change: { queue: 'webhooks', change: 'drop', ...endpoint } },
    { do: 'changeQueue', change: { queue: 'notices', change: 'sweep', nowMs: 1 } },
    { do: 'changeQueue', change: { queue: 'webhooks', change: 'remove', ...message } },
    { do: 'commit', commit: { ...commit, erasures: [{ organizationId: 'o', kind: 'user', ownerId: undefined }] } },
  ] as const satisfies readonly Job[]
  expect(changes.map(weightOf)).toEqual([takenBytesMax, takenBytesMax, 0, takenBytesMax + 5])
  expect(jobs.map(weightOf)).toEqual(jobs.map(bytesOf))
})
