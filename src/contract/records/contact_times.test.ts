import { expect, test } from 'vitest'
import { asId } from '../fields/ids.ts'
import { codeSentAtMsOf, hadContact, signedUpSince } from './contact_times.ts'
import { knownOfUser } from './known_values.ts'
import { differenceOf, withChanges } from './recent_changes.ts'
import type { Lookup, User } from './records.ts'

const [minute, day] = [60_000, 24 * 60 * 60_000]
const createdAtMs = 100 * day
const user: User = {
  userId: asId('0197c1f0-0000-7000-8000-000000000001'),
  userName: 'Ada',
  userEmail: 'Ada@Example.com',
  userPhoneNumber: '+14155550100',
  ...{ apiKeys: [], authenticators: [], oauthProviders: [], userTags: [] },
  ...{ createdAtMs, updatedAtMs: createdAtMs },
}
const mail = { lookup: 'user_email', key: 'ada@example.com' } as const
const number = { lookup: 'user_phone_number', key: '+14155550100' } as const
const since = (one: User, contact: Lookup) => (atMs: number) => hadContact(one, contact, atMs)

/** As the writer keeps the changes. */
function changed(before: User, change: Partial<User>, nowMs: number): User {
  const after = { ...before, ...change }
  const recentChanges = withChanges(
    before.recentChanges ?? [],
    differenceOf(knownOfUser(before), knownOfUser(after)),
    nowMs,
  )
  return { ...after, recentChanges }
}

test('a user has the contacts since the record was made', () => {
  expect([createdAtMs - 1, createdAtMs].map(since(user, mail))).toEqual([false, true])
  expect([createdAtMs - 1, createdAtMs].map(since(user, number))).toEqual([false, true])
})

test('a contact that came later is there since then, and the other one as before', () => {
  const atMs = createdAtMs + minute
  const moved = changed(
    changed(user, { userEmail: 'other@example.com' }, atMs - 1),
    { userEmail: 'ada@example.com' },
    atMs,
  )
  expect([atMs - 1, atMs].map(since(moved, mail))).toEqual([false, true])
  expect([createdAtMs].map(since(moved, number))).toEqual([true])
})

test('a change is known for as long as a token from before it can be good', () => {
  const atMs = createdAtMs + day
  const moved = changed(user, { userPhoneNumber: '+14155550101' }, atMs)
  const contact = { ...number, key: '+14155550101' }
  const lastMs = atMs + day + 10 * minute - 1
  const renamed = changed(moved, { userName: 'Grace' }, lastMs)
  expect([atMs - 1, atMs].map(since(renamed, contact))).toEqual([false, true])
})

test('after too many changes a contact is there since the latest that is not kept', () => {
  let many = changed(user, { userEmail: 'ada@example.com' }, createdAtMs)
  many = changed(many, { userEmail: 'first@example.com' }, createdAtMs + 1)
  many = changed(many, { userEmail: 'ada@example.com' }, createdAtMs + 2)
  const others = Array.from({ length: 101 }, (_, index) => ({
    what: 'address',
    value: `${index}`,
    atMs: createdAtMs + 3,
  }))
  const recentChanges = withChanges(many.recentChanges ?? [], others, createdAtMs + 3)
  expect(since({ ...many, recentChanges }, mail)(createdAtMs + 2)).toBe(false)
  expect(since({ ...many, recentChanges }, mail)(createdAtMs + 3)).toBe(true)
})

test('a token that does not say when its code was sent counts as one that has lived the longest', () => {
  const expiresAtMs = createdAtMs + day
  expect(codeSentAtMsOf({ codeSentAtMs: createdAtMs, expiresAtMs })).toBe(createdAtMs)
  expect(codeSentAtMsOf({ expiresAtMs })).toBe(createdAtMs - 10 * minute)
})

test('a contact of a sign-up is as old as the code that proves it, the other one a quarter of an hour', () => {
  const proved = { contact: mail, codeSentAtMs: createdAtMs - 20 * minute }
  const signedUp = { ...user, ...signedUpSince(user, { proved, nowMs: createdAtMs }) }
  const minutesBefore = (count: number) => createdAtMs - count * minute
  expect([21, 20].map(minutesBefore).map(since(signedUp, mail))).toEqual([false, true])
  expect([16, 15].map(minutesBefore).map(since(signedUp, number))).toEqual([false, true])
})
