import { expect, test } from 'vitest'
import { createVerified, verifiedMax } from './verified.ts'

const ada = { organizationId: 'one', credential: 'ada', peer: 'home' }

test('who was answered is known, with that credential, in that organization, at that address', () => {
  const verified = createVerified()
  expect(verified.has(ada)).toBe(false)
  verified.learn(ada, 200)
  expect(verified.has(ada)).toBe(true)
  for (const other of [{ organizationId: 'two' }, { credential: 'bob' }, { peer: 'away' }]) {
    expect(verified.has({ ...ada, ...other })).toBe(false)
  }
})

test('who is refused is not known, and is forgotten if its stamp no longer holds', () => {
  const verified = createVerified()
  for (const status of [400, 401, 403, 404, 500, 503]) verified.learn(ada, status)
  expect(verified.has(ada)).toBe(false)
  verified.learn(ada, 200)
  for (const status of [400, 403, 404, 500, 503]) verified.learn(ada, status)
  expect(verified.has(ada)).toBe(true)
  verified.learn(ada, 401)
  expect(verified.has(ada)).toBe(false)
})

test('an answer to a request without a credential says of nobody who it is', () => {
  const verified = createVerified()
  const nobody = { organizationId: 'one', peer: 'home' }
  verified.learn(nobody, 200)
  expect(verified.has(nobody)).toBe(false)
})

test('so many are known at most: those that were answered the longest ago are forgotten', () => {
  const verified = createVerified()
  const bob = { ...ada, credential: 'bob' }
  for (const one of [ada, bob, ada]) verified.learn(one, 200)
  for (let index = 1; index < verifiedMax; index += 1) verified.learn({ ...ada, credential: `${index}` }, 200)
  expect([ada, bob].map(verified.has)).toEqual([true, false])
})
