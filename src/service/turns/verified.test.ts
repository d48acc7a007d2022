import { expect, test } from 'vitest'
import { createVerified, verifiedMax } from './verified.ts'

const ada = { organizationId: 'one', credential: 'ada', peer: 'home' }
const userId = 'user ada'

test('who was verified is known by its user, with that credential, in that organization, at that address', () => {
  const verified = createVerified()
  expect(verified.of(ada)).toBeUndefined()
  verified.learn(ada, userId)
  expect(verified.of(ada)).toEqual({ userId, isRefused: false })
  for (const other of [{ organizationId: 'two' }, { credential: 'bob' }, { peer: 'away' }]) {
    expect(verified.of({ ...ada, ...other })).toBeUndefined()
  }
})

test('whose stamp is refused stays known as the user, until a stamp holds again, and no stranger becomes known', () => {
  const verified = createVerified()
  verified.refuse(ada)
  expect(verified.of(ada)).toBeUndefined()
  verified.learn(ada, userId)
  verified.refuse(ada)
  expect(verified.of(ada)).toEqual({ userId, isRefused: true })
  verified.learn(ada, userId)
  expect(verified.of(ada)).toEqual({ userId, isRefused: false })
})

test('a stamp that names no credential says of nobody who it is', () => {
  const verified = createVerified()
  const nobody = { organizationId: 'one', peer: 'home' }
  verified.learn(nobody, userId)
  expect(verified.of(nobody)).toBeUndefined()
})

test('so many are known at most: those that were verified the longest ago are forgotten', () => {
  const verified = createVerified()
  const bob = { ...ada, credential: 'bob' }
  for (const one of [ada, bob, ada]) verified.learn(one, userId)
  for (let index = 1; index < verifiedMax; index += 1) verified.learn({ ...ada, credential: `${index}` }, userId)
  expect([ada, bob].map((one) => verified.of(one)?.userId)).toEqual([userId, undefined])
})
