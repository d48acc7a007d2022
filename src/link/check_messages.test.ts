import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeFrame, FrameDecoder } from './channel/frames.ts'
import {
  MessageError,
  readCreateOrganizationRequest,
  readOpenMessageRequest,
  readUnsealRequest,
  readVaultRequest,
} from './check_messages.ts'
import type { Presented, VaultRequest } from './verbs.ts'

const sealed = Uint8Array.of(1, 2, 3)
const tag = { version: 3, tag: 'aa' }
const record = { recordId: 'r', version: 1, sealed }
const activity = { activityId: 'a', version: 1, sealed }
const lookupRow = { organizationId: 'o', kind: 'user', recordId: 'r' }
const page = { limit: 10, after: 'x' }

const presented: readonly Presented[] = [
  { read: { read: 'headTag', organizationId: 'o' }, found: { read: 'headTag', row: tag } },
  { read: { read: 'headTag', organizationId: 'o' }, found: { read: 'headTag', row: undefined } },
  { read: { read: 'head', organizationId: 'o' }, found: { read: 'head', row: { ...tag, sealed } } },
  {
    read: { read: 'record', organizationId: 'o', kind: 'user', recordId: 'r' },
    found: { read: 'record', row: record },
  },
  {
    read: { read: 'record', organizationId: 'o', kind: 'user', recordId: 'r' },
    found: { read: 'record', row: undefined },
  },
  {
    read: { read: 'lookup', organizationId: 'o', lookup: 'name', key: 'k' },
    found: { read: 'lookup', rows: [lookupRow] },
  },
  {
    read: { read: 'holders', parentId: 'o', lookup: 'name', key: 'k', ...page },
    found: { read: 'holders', rows: undefined },
  },
  {
    read: { read: 'page', organizationId: 'o', kind: 'user', ownerId: 'w', limit: 1, before: 'x' },
    found: { read: 'page', rows: [record] },
  },
  { read: { read: 'activity', organizationId: 'o', activityId: 'a' }, found: { read: 'activity', row: activity } },
  {
    read: { read: 'request', organizationId: 'o', requestKey: 'f' },
    found: { read: 'request', row: activity },
  },
  {
    read: { read: 'activities', organizationId: 'o', statuses: ['s'], types: [], limit: 1 },
    found: { read: 'activities', rows: [activity] },
  },
]

const request: VaultRequest = {
  path: '/public/v1/query/whoami',
  body: Uint8Array.of(1),
  stamps: [{ header: 'x-stamp', value: 'v' }],
  dialect: 'spec',
  sourceAddress: '203.0.113.7',
  presented,
  isTrial: true,
  outcomes: [
    { of: 'written', changeKey: '0f'.repeat(16), index: 7, isChange: true },
    { of: 'lost', decisionId: 'd' },
  ],
}

test('a request with every kind of read arrives as it was sent', () => {
  const [arrived] = new FrameDecoder().push(encodeFrame(request))
  expect(readVaultRequest(arrived)).toEqual(request)
})

test('what a frame left out is undefined again', () => {
  expect(readUnsealRequest({})).toEqual({ vaultState: undefined })
  expect(readUnsealRequest({ vaultState: sealed })).toEqual({ vaultState: sealed })
  const { sourceAddress: _, ...withoutSource } = request
  expect(readVaultRequest(withoutSource)).toEqual(withoutSource)
  const names = { organizationName: 'a', userName: 'b', apiKeyName: 'c', apiPublicKey: '02' }
  expect(readCreateOrganizationRequest(names)).toEqual({ ...names, userEmail: undefined })
  expect(readCreateOrganizationRequest({ ...names, userEmail: 'e' })).toEqual({ ...names, userEmail: 'e' })
})

describe('a message is refused', () => {
  const present = (read: object, found: object) => ({ ...request, presented: [{ read, found }] })
  const readRecord = { read: 'record', organizationId: 'o', kind: 'user', recordId: 'r' }
  const readHead = { read: 'head', organizationId: 'o' }
  for (const [name, message] of [
    ['that is nothing', undefined],
    ['that is a list', [request]],
    ['without a body', { ...request, body: undefined }],
    ['with a body of text', { ...request, body: 'text' }],
    ['with another member', { ...request, more: 1 }],
    ['with a source that is no text', { ...request, sourceAddress: 7 }],
    ['with an unknown dialect', { ...request, dialect: 'latin' }],
    ['with an unknown stamp header', { ...request, stamps: [{ header: 'cookie', value: 'v' }] }],
    ['with a list that is an object', { ...request, committed: {} }],
    ['with an unknown read', present({ read: 'constructor' }, { read: 'constructor' })],
    ['that is told with a no that it may recall', { ...request, mayRecall: false }],
    ['with a read that is a list', { ...request, presented: [{ read: ['head'], found: { read: 'head' } }] }],
    ['with a version of text', present(readHead, { read: 'head', row: { version: '3', tag: 'aa', sealed } })],
    ['with a version below zero', present(readHead, { read: 'head', row: { version: -1, tag: 'aa', sealed } })],
    [
      'with a version beyond the integers',
      present(readHead, { read: 'head', row: { ...tag, version: 2 ** 53, sealed } }),
    ],
    ['with a row that has another member', present(readHead, { read: 'head', row: { ...tag, sealed, more: 1 } })],
    ['with rows where a row belongs', present(readHead, { read: 'head', rows: [] })],
    ['with the answer to another read', present(readHead, { read: 'headTag', row: tag })],
    [
      'with another record than was asked for',
      present(readRecord, { read: 'record', row: { ...record, recordId: 's' } }),
    ],
    [
      'with another activity than was asked for',
      present({ read: 'activity', organizationId: 'o', activityId: 'b' }, { read: 'activity', row: activity }),
    ],
  ] as const) {
    test(name, () => {
      expect(() => readVaultRequest(message)).toThrow(MessageError)
    })
  }

  test('by the other verbs as well', () => {
    expect(() => readUnsealRequest({ vaultState: 'text' })).toThrow(MessageError)
    expect(() => readUnsealRequest(undefined)).toThrow(MessageError)
    expect(() => readCreateOrganizationRequest({ organizationName: 'a' })).toThrow(MessageError)
    const opening = { organizationId: 'o', messageId: 'm', sealed, presented: [] }
    expect(readOpenMessageRequest(opening)).toEqual(opening)
    for (const wrong of [
      { sealed: 'text' },
      { sealed: undefined },
      { messageId: 7 },
      { organizationId: null },
      { presented: [{}] },
      { presented: undefined },
      { more: 1 },
    ]) {
      expect(() => readOpenMessageRequest({ ...opening, ...wrong })).toThrow(MessageError)
    }
  })

  test('and nothing but MessageError is thrown, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (message, inside) => {
        for (const tried of [message, { ...request, presented: [{ read: inside, found: message }] }]) {
          try {
            readVaultRequest(tried)
          } catch (error) {
            expect(error).toBeInstanceOf(MessageError)
          }
        }
      }),
    )
  })
})
