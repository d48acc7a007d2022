import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AuthenticationMethod, type AuthenticationStep, authenticationTypes } from './authentication_methods.ts'
import { type Applies, enforcedPolicies, type Proof, progressOf, proofIn, stepText } from './mfa.ts'

const passkey = { type: 'AUTHENTICATION_TYPE_PASSKEY' } as const
const apiKey = { type: 'AUTHENTICATION_TYPE_API_KEY' } as const
const mail = { type: 'AUTHENTICATION_TYPE_EMAIL_OTP' } as const
const step = (...any: readonly AuthenticationMethod[]): AuthenticationStep => ({ any })
const by = (method: AuthenticationMethod, id: string): Proof => ({ method: { ...method, id }, factor: id })

describe('the policies that are enforced', () => {
  const policies = [
    { name: 'a', order: 2 },
    { name: 'b', order: -1 },
    { name: 'c', order: 2 },
  ]
  const enforced = (answers: { readonly [name: string]: Applies }) =>
    enforcedPolicies(policies, ({ name }) => answers[name] ?? 'no').map(({ name }) => name)

  test('are the first in order that applies, the older one of equal orders', () => {
    expect(enforced({ a: 'yes', b: 'yes', c: 'yes' })).toEqual(['b'])
    expect(enforced({ c: 'yes', a: 'yes' })).toEqual(['a'])
    expect(enforced({})).toEqual([])
  })

  test('are also those that apply perhaps and come before it', () => {
    expect(enforced({ b: 'perhaps', a: 'yes', c: 'yes' })).toEqual(['b', 'a'])
    expect(enforced({ b: 'perhaps', a: 'perhaps' })).toEqual(['b', 'a'])
    expect(enforced({ b: 'yes', a: 'perhaps' })).toEqual(['b'])
  })

  test('end the search', () => {
    const asked: number[] = []
    enforcedPolicies([{ order: 1 }, { order: 0 }], ({ order }) => {
      asked.push(order)
      return 'yes'
    })
    expect(asked).toEqual([0])
  })
})

const session = { type: 'AUTHENTICATION_TYPE_SESSION' } as const

describe('a session', () => {
  const openedBy = (factor: string) => ({ method: { ...session, id: 'profile' }, openedBy: factor, publicKey: 'own' })

  test('is of the factor by which it was opened, and takes no second step with it', () => {
    const [proof] = proofIn(openedBy('k'))
    if (proof === undefined) throw new Error('a session is a proof')
    const key = by(apiKey, 'k')
    for (const steps of [
      [step(apiKey), step(session)],
      [step(apiKey), step({ ...session, id: 'profile' })],
    ]) {
      expect(progressOf(steps, [key, proof]).due?.number).toBe(2)
      expect(progressOf(steps, [by(apiKey, 'other'), proof]).due).toBeUndefined()
    }
    for (const method of [apiKey, { ...apiKey, id: 'k' }]) {
      expect(progressOf([step(session), step(method)], [proof, key]).due?.number).toBe(2)
    }
  })

  test('proves nothing if nobody knows how it was opened, nor does one that it opened', () => {
    expect(proofIn({ method: session, publicKey: 'own' })).toEqual([])
    expect(proofIn(openedBy('unknown'))).toEqual([])
    // Earlier sessions kept the id of the provider that opened them.
    expect(proofIn(openedBy('01234567-89ab-7cde-8f01-23456789abcd'))).toEqual([])
  })
})

describe('steps', () => {
  test('are taken in order; a proof that comes too early does not count', () => {
    const steps = [step(apiKey), step(passkey)]
    expect(progressOf(steps, [])).toEqual({ satisfiedMethods: [], due: { number: 1, step: steps[0] } })
    const early = [by(passkey, 'p')]
    expect(progressOf(steps, early).due?.number).toBe(1)
    expect(progressOf(steps, [...early, by(apiKey, 'k')]).due?.number).toBe(2)
    const all = progressOf(steps, [by(apiKey, 'k'), by(passkey, 'p')])
    expect(all).toEqual({
      satisfiedMethods: [
        { ...apiKey, id: 'k' },
        { ...passkey, id: 'p' },
      ],
    })
  })

  test('with an id name one method, without an id any of the type', () => {
    expect(progressOf([step({ ...passkey, id: 'p' })], [by(passkey, 'q')]).due?.number).toBe(1)
    expect(progressOf([step({ ...passkey, id: 'p' })], [by(apiKey, 'p')]).due?.number).toBe(1)
    expect(progressOf([step(apiKey, { ...passkey, id: 'p' })], [by(passkey, 'p')]).due).toBeUndefined()
  })

  test('one credential takes a second step only if that step names it', () => {
    const twice = [by(apiKey, 'k'), by(apiKey, 'k')]
    expect(progressOf([step(apiKey), step(apiKey)], twice).due?.number).toBe(2)
    expect(progressOf([step(apiKey), step(apiKey)], [by(apiKey, 'k'), by(apiKey, 'other')]).due).toBeUndefined()
    expect(progressOf([step(apiKey), step({ ...apiKey, id: 'k' })], twice).due).toBeUndefined()
    // Each passcode is a proof of its own.
    expect(progressOf([step(mail), step(mail)], [{ method: mail }, { method: mail }]).due).toBeUndefined()
  })

  test('are named as a sentence part', () => {
    const steps = [step(mail), step(apiKey, { ...passkey, id: 'p' })]
    const { due } = progressOf(steps, [{ method: mail }])
    const text = 'step 2 of 2, AUTHENTICATION_TYPE_API_KEY or AUTHENTICATION_TYPE_PASSKEY p'
    expect(due && stepText(due, steps)).toBe(text)
  })
})

describe('for any steps and proofs', () => {
  const id = fc.constantFrom('1', '2', '3')
  const type = fc.constantFrom(...authenticationTypes)
  const methods: fc.Arbitrary<AuthenticationMethod> = fc.oneof(fc.record({ type }), fc.record({ type, id }))
  const steps = fc.array(fc.record({ any: fc.array(methods, { minLength: 1, maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 4,
  })
  const proofs = fc.array(
    fc.record({ type, id }).map((method): Proof => ({ method, factor: `${method.type} ${method.id}` })),
    { maxLength: 8 },
  )

  test('each step taken has a method that matches it, and a further proof never undoes one', () => {
    fc.assert(
      fc.property(steps, proofs, (all, given) => {
        const { satisfiedMethods, due } = progressOf(all, given)
        expect(due?.number).toBe(satisfiedMethods.length < all.length ? satisfiedMethods.length + 1 : undefined)
        satisfiedMethods.forEach((method, index) => {
          const matching = all[index]?.any.some(
            (one) => one.type === method.type && [undefined, method.id].includes(one.id),
          )
          expect(matching).toBe(true)
        })
        const before = progressOf(all, given.slice(0, -1)).satisfiedMethods
        expect(satisfiedMethods.slice(0, before.length)).toEqual(before)
        expect(satisfiedMethods.length - before.length).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('nothing is satisfied with fewer proofs than steps', () => {
    fc.assert(
      fc.property(steps, proofs, (all, given) => {
        expect(progressOf(all, given.slice(0, all.length - 1)).due).toBeDefined()
      }),
    )
  })
})
