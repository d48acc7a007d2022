import { expect, test } from 'vitest'
import { asId } from '../../contract/fields/ids.ts'
import type { RecordTypes } from '../../contract/records/records.ts'
import { recordsOf } from './recorded_organization.ts'

const times = { createdAtMs: 0, updatedAtMs: 0 }
const rootQuorum = { threshold: 1, userIds: [] }
const head = { organizationId: 'org', parentId: undefined, organizationName: 'Org', rootQuorum }
const userOf = (userId: string, userEmail?: string): RecordTypes['user'] => ({
  ...{ userId: asId(userId), userName: userId, userTags: [], apiKeys: [], authenticators: [], oauthProviders: [] },
  ...times,
  ...(userEmail === undefined ? {} : { userEmail }),
})
const idsBy = ({ organization: { lookups } }: ReturnType<typeof recordsOf>, key: string) =>
  lookups.rowsOf({ lookup: 'user_email', key }).map(({ recordId }) => recordId)

test('a record is found by what it goes by now, and keeps its place', () => {
  const records = recordsOf(head)
  records.put('user', userOf('ada', 'old@example.com'))
  records.put('user', userOf('bob', 'new@example.com'))
  records.put('user', userOf('ada', 'new@example.com'))
  expect([idsBy(records, 'old@example.com'), idsBy(records, 'new@example.com')]).toEqual([[], ['bob', 'ada']])
  expect(records.organization.allListed('user').map(({ userId }) => userId)).toEqual(['ada', 'bob'])
  records.remove('user', 'bob')
  expect(idsBy(records, 'new@example.com')).toEqual(['ada'])
  expect(records.organization.listed('user', 'bob')).toBeUndefined()
})

test('a listed record is no unlisted one, nor the other way', () => {
  const { organization, put } = recordsOf(head)
  put('user', userOf('ada'))
  put('signed_amounts', { signerId: 'key', paths: {}, ...times })
  expect(organization.unlisted('user', 'ada')).toBeUndefined()
  expect(organization.listed('user', 'ada')).toEqual(userOf('ada'))
  expect(organization.listed('signed_amounts', 'key')).toBeUndefined()
  expect(organization.unlisted('signed_amounts', 'key')?.record.signerId).toBe('key')
})
