import { expect, test } from 'vitest'
import { asId } from '../fields/ids.ts'
import type { Activity, Vote } from './activity.ts'
import { documentOf } from './documents.ts'

const id = (last: number) => `01234567-89ab-7cde-8f01-00000000000${last}`
const [organizationId, childId, activityId] = [id(1), id(2), id(3)]

function vote(at: number): Vote {
  const userId = asId(id(4 + at))
  return {
    ...{ voteId: id(6 + at), userId, organizationId, userName: `voter ${at}`, selection: 'VOTE_SELECTION_APPROVED' },
    ...{ message: `{"vote":${at}}`, publicKey: '02aa', signature: '3045', scheme: 'SIGNATURE_SCHEME_TK_API_P256' },
    createdAtMs: 1_700_000_000_000 + at,
  }
}

const waiting: Activity = {
  ...{ activityId: asId(activityId), organizationId, type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8' },
  ...{
    status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED',
    fingerprint: `sha256:${'0'.repeat(64)}`,
    result: {},
    votes: [vote(0)],
  },
  ...{ createdAtMs: 1_700_000_000_000, updatedAtMs: 1_700_000_000_000 },
}
const done: Activity = {
  ...{ ...waiting, status: 'ACTIVITY_STATUS_COMPLETED', votes: [vote(0), vote(1)], result: { made: childId } },
  changes: [
    [],
    [
      { organizationId, records: [] },
      { organizationId: childId, records: [{ kind: 'user', recordId: id(9) }] },
    ],
  ],
}

/** The logs of all servers have the digests of such bytes, so they never change. */
test('a document of a version has the bytes that the log has bound, also once the activity has later versions', () => {
  const first = documentOf(waiting, { organizationId, version: 1 })
  expect(first).toEqual({
    document: `{"activityId":"${activityId}","version":1,"vote":{"voteId":"${id(6)}","userId":"${id(4)}","organizationId":"${organizationId}","userName":"voter 0","selection":"VOTE_SELECTION_APPROVED","publicKey":"02aa","scheme":"SIGNATURE_SCHEME_TK_API_P256","createdAtMs":1700000000000},"changes":[],"contentDigest":"142e03d1b08996ef911a8ad5e381457b1c92c607bd9c5e3a2c09d438b4f25518"}`,
    content: '{"message":"{\\"vote\\":0}","signature":"3045","result":{}}',
  })
  expect(documentOf(done, { organizationId, version: 1 })).toEqual(first)
  const last = documentOf(done, { organizationId, version: 2 })
  expect(last.content).toBe(`{"message":"{\\"vote\\":1}","signature":"3045","result":{"made":"${childId}"}}`)
  expect(last.document).toContain(`"changes":[{"organizationId":"${organizationId}","records":[]}],"contentDigest":`)
  expect(documentOf(done, { organizationId: childId, version: 2 })).toEqual({
    document: `{"activityId":"${activityId}","version":2,"changes":[{"organizationId":"${childId}","records":[{"kind":"user","recordId":"${id(9)}"}]}]}`,
    content: undefined,
  })
})
