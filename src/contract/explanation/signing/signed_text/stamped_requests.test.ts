import { expect, test } from 'vitest'
import { code, note, noteOf, shortName } from '../../shown_values.ts'
import { requestNotes } from './stamped_requests.ts'

const organizationId = '019b76da-a800-7001-aab7-e0bc7bbd7b6d'
const notesOf = (text: string) => requestNotes(Buffer.from(text), { organizationId })
const thisOrganization = code('thisOrganization')
const body = { type: 'ACTIVITY_TYPE_EXPORT_WALLET', timestampMs: '1', organizationId, parameters: {} }

const personal = (text: string) => `\x19Ethereum Signed Message:\n${text.length}${text}`

test.each([
  ['as clients write it', JSON.stringify(body)],
  ['with blanks', `\r\n ${JSON.stringify(body, null, 2)}\n`],
  ['in another order', JSON.stringify(Object.fromEntries(Object.entries(body).toReversed()))],
  ['with escapes', JSON.stringify(body).replace('organizationId', '\\u006frganizationId')],
  ['with names as gRPC has them', JSON.stringify(body).replace('organizationId', 'organization_id')],
  ['as a personal message', personal(JSON.stringify(body))],
  ['as a personal message in another one', personal(personal(JSON.stringify(body)))],
  ['in capitals', JSON.stringify({ ...body, organizationId: organizationId.toUpperCase() })],
])('a request is found %s', (_, text) => {
  expect(notesOf(text)).toEqual([noteOf('isRequest', code('ACTIVITY_TYPE_EXPORT_WALLET'), thisOrganization)])
})

test('a query, and a type of another server, are requests', () => {
  expect(notesOf(JSON.stringify({ organizationId, walletId: 'w' }))).toEqual([
    noteOf('isRequest', code('anyQuery'), thisOrganization),
  ])
  expect(notesOf('{"organizationId":"other","type":"Log in"}')).toEqual([
    noteOf('isRequest', shortName('Log in'), shortName('other')),
  ])
  expect(notesOf('{"organizationId":5,"type":3,"parameters":{}}')).toEqual([
    noteOf('isRequest', code('unknownRequest'), code('unknownOrganization')),
  ])
})

test('a type that no activity has is a word of who asks', () => {
  for (const type of ['ACTIVITY_TYPE_CHECKED_AND_HARMLESS', 'ACTIVITY_TYPE_SIGN_TRANSACTION_AND_NOTHING_ELSE']) {
    expect(notesOf(JSON.stringify({ ...body, type }))).toEqual([noteOf('isRequest', shortName(type), thisOrganization)])
  }
  expect(notesOf(JSON.stringify({ ...body, type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' }))).toEqual([
    noteOf('isRequest', code('ACTIVITY_TYPE_SIGN_TRANSACTION_V2'), thisOrganization),
  ])
})

test.each([
  ['twice the same member', '{"organizationId":"a","organizationId":"b"}'],
  ['a mark of byte order', `\ufeff${JSON.stringify(body)}`],
  ['more levels than a body has', `{"organizationId":"a","b":${'['.repeat(40)}${']'.repeat(40)}}`],
  ['an escape in the name', '{"organ\\u0069zationId":"a","organizationId":"b"}'],
  ['more after it', `${JSON.stringify(body)}{}`],
])('JSON that only other servers read may be a request: %s', (_, text) => {
  expect(notesOf(text)).toEqual([noteOf('isRequest', code('unknownRequest'), code('unknownOrganization'))])
})

test('what a client signs beside a verification token says so', () => {
  const login = { login: { publicKey: '02' }, tokenId: 'token', type: 'USAGE_TYPE_LOGIN' }
  expect(notesOf(JSON.stringify(login))).toEqual([note('logsIn')])
  expect(notesOf(JSON.stringify({ ...login, type: 'USAGE_TYPE_SIGNUP' }))).toEqual([note('logsIn')])
})

test.each([
  '',
  'Log in to organizationId 5',
  '{"hello":"world"}',
  '{"type":"login","tokenId":5}',
  '{"user":{"organizationId":"a"}}',
  '[{"organizationId":"a"}]',
  '"organizationId"',
  'example.com wants you to sign in with {"organizationId":"a"}',
])('another text is none: %s', (text) => {
  expect(notesOf(text)).toEqual([])
})
