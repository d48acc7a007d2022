import { describe, expect, test } from 'vitest'
import type { Activity } from '../../api/activity.ts'
import { linesOf } from './difference.tsx'
import { versionsOf } from './versions.ts'

/** An activity that was completed at the second. */
function done(second: number, type: string, parameters: object, result: object): Activity {
  const at = `2026-03-01T00:00:0${second}.000Z`
  return {
    id: `a-${second}`,
    organizationId: 'o-1',
    status: 'ACTIVITY_STATUS_COMPLETED',
    type: `ACTIVITY_TYPE_${type}`,
    intent: { someIntent: { ...parameters } },
    result: { someResult: { ...result } },
    votes: [],
    fingerprint: '',
    canApprove: false,
    canReject: false,
    createdAt: at,
    updatedAt: at,
  }
}

const written = { policyName: 'One', effect: 'EFFECT_ALLOW', condition: 'true', notes: '' }
const created = done(1, 'CREATE_POLICY_V3', written, { policyId: 'p-1' })
const update = (second: number, changes: object) =>
  done(second, 'UPDATE_POLICY_V2', { policyId: 'p-1', ...changes }, { policyId: 'p-1' })

describe('the versions of a policy', () => {
  test('are in the order of completion, the newest first, each with its changes', () => {
    const later = update(3, { policyCondition: '', time: 'false' })
    const versions = versionsOf('p-1', [created, later, update(2, { policyName: 'Two' })])
    expect(versions.map(({ changes }) => changes)).toEqual([
      [
        { field: 'condition', from: 'true', to: '' },
        { field: 'time', from: '', to: 'false' },
      ],
      [{ field: 'policyName', from: 'One', to: 'Two' }],
      [],
    ])
    expect(versions.map(({ isCreation }) => isCreation)).toEqual([false, false, true])
  })

  test('begin with its place among several that were made at once', () => {
    const policies = [{ ...written, policyName: 'Other' }, written]
    const several = done(1, 'CREATE_POLICIES', { policies }, { policyIds: ['p-2', 'p-1'] })
    expect(versionsOf('p-1', [several])).toMatchObject([{ fields: { policyName: 'One', condition: 'true' } }])
  })

  test('leave out those of other policies', () => {
    const other = done(2, 'UPDATE_POLICY_V2', { policyId: 'p-2', policyName: 'X' }, { policyId: 'p-2' })
    expect(versionsOf('p-1', [other, created])).toHaveLength(1)
  })

  test('do not guess what the older form means', () => {
    const old = done(1, 'CREATE_POLICY_V2', { ...written, selectors: [] }, { policyId: 'p-1' })
    const [changed, first] = versionsOf('p-1', [update(2, { policyCondition: 'false' }), old])
    expect(first).toMatchObject({ hasSelectors: true, fields: { policyName: 'One' } })
    expect(first?.fields).not.toHaveProperty('condition')
    expect(changed?.changes).toEqual([])
  })
})

test('lines that were replaced one for one show the words that differ', () => {
  expect(linesOf('a == 1 &&\nb == 2', 'a == 1 &&\nb == 3')).toEqual([
    { kind: 'kept', pieces: [{ text: 'a == 1 &&', isChanged: false }] },
    {
      kind: 'removed',
      pieces: [
        { text: 'b == ', isChanged: false },
        { text: '2', isChanged: true },
      ],
    },
    {
      kind: 'added',
      pieces: [
        { text: 'b == ', isChanged: false },
        { text: '3', isChanged: true },
      ],
    },
  ])
})
