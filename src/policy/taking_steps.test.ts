import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AuthenticationMethod, type AuthenticationStep, authenticationTypes } from './authentication_methods.ts'
import { type Proof, progressOf } from './mfa.ts'
import { isAsStrong, stepsNobodyTakes } from './taking_steps.ts'

const passkey = { type: 'AUTHENTICATION_TYPE_PASSKEY' } as const
const apiKey = { type: 'AUTHENTICATION_TYPE_API_KEY' } as const
const session = { type: 'AUTHENTICATION_TYPE_SESSION' } as const
const mail = { type: 'AUTHENTICATION_TYPE_EMAIL_OTP' } as const
const named = (method: AuthenticationMethod, id: string) => ({ ...method, id })
const step = (...any: readonly AuthenticationMethod[]): AuthenticationStep => ({ any })
const by = (method: AuthenticationMethod, id: string, factor = id): Proof => ({ method: named(method, id), factor })

describe('the steps that nobody takes', () => {
  const [p, q, k] = [by(passkey, 'p'), by(passkey, 'q'), by(apiKey, 'k')]
  test.each<[string, readonly AuthenticationStep[], readonly Proof[], readonly number[]]>([
    ['one passkey takes one step', [step(passkey), step(passkey)], [p, k], [1]],
    ['two passkeys take two', [step(passkey), step(passkey)], [p, q], []],
    [
      'a factor that takes an earlier step leaves it to a step that only it can take',
      [step(passkey, apiKey), step(passkey)],
      [p, k],
      [],
    ],
    ['a step that names the credential is taken by it again', [step(passkey), step(named(passkey, 'p'))], [p], []],
    ['a step that names none is not', [step(named(passkey, 'p')), step(passkey)], [p], [1]],
    [
      'one key is one factor, as a passkey and as an API key',
      [step(passkey), step(apiKey)],
      [p, by(apiKey, 'k', 'p')],
      [1],
    ],
    ['a session is of the factor that opened it', [step(apiKey), step(session)], [k, by(session, 's', 'k')], [1]],
    ['a code is a factor each time', [step(mail), step(mail), step(mail)], [{ method: mail }], []],
    [
      'a step without means is one, and those behind it are judged too',
      [step(passkey), step(apiKey), step(apiKey)],
      [k],
      [0, 2],
    ],
  ])('%s', (_, steps, proofs, expected) => {
    expect(stepsNobodyTakes(steps, proofs)).toEqual(expected)
  })

  test('are those that no order of proofs takes', () => {
    const id = fc.constantFrom('1', '2')
    const type = fc.constantFrom(...authenticationTypes.slice(2))
    const method: fc.Arbitrary<AuthenticationMethod> = fc.oneof(fc.record({ type }), fc.record({ type, id }))
    const steps = fc.array(fc.record({ any: fc.array(method, { minLength: 1, maxLength: 2 }) }), {
      minLength: 1,
      maxLength: 3,
    })
    const factor = fc.constantFrom('a', 'b', undefined)
    const proof = fc
      .tuple(fc.record({ type, id }), factor)
      .map(([one, of]): Proof => ({ method: one, ...(of === undefined ? {} : { factor: of }) }))
    fc.assert(
      fc.property(steps, fc.array(proof, { maxLength: 4 }), (all, proofs) => {
        const isTaken = (given: readonly Proof[]): boolean =>
          progressOf(all, given).due === undefined ||
          (given.length < all.length && proofs.some((one) => isTaken([...given, one])))
        expect(stepsNobodyTakes(all, proofs).length === 0).toBe(isTaken([]))
      }),
    )
  })
})

describe('steps are as strong as others', () => {
  const credentials = [by(passkey, 'p'), by(passkey, 'q'), by(apiKey, 'k'), by(apiKey, 'same', 'p')]
  const [p, q, k] = [named(passkey, 'p'), named(passkey, 'q'), named(apiKey, 'k')]
  test.each<[boolean, readonly AuthenticationStep[], readonly AuthenticationStep[]]>([
    [false, [step(passkey), step(apiKey)], [step(passkey), step(passkey)]],
    [true, [step(passkey), step(apiKey), step(passkey)], [step(passkey), step(passkey)]],
    [true, [step(mail), step(passkey)], [step(passkey), step(mail)]],
    [true, [step(p), step(mail)], [step(passkey, apiKey)]],
    [true, [step(p), step(q)], [step(passkey), step(passkey)]],
    [false, [step(p), step(p)], [step(passkey), step(passkey)]],
    [false, [step(passkey), step(p)], [step(passkey), step(passkey)]],
    [false, [step(passkey), step(p)], [step(p), step(passkey)]],
    [true, [step(passkey), step(p)], [step(passkey), step(p)]],
    [true, [step(p), step(k)], [step(passkey), step(apiKey)]],
    [false, [step(p), step(named(apiKey, 'same'))], [step(passkey), step(apiKey)]],
    [true, [step(apiKey), step(passkey, apiKey)], [step(passkey, apiKey), step(apiKey)]],
  ])('%s: %j, %j', (expected, steps, others) => {
    expect(isAsStrong(steps, others, credentials)).toBe(expected)
  })

  test('only if the credentials that took them can take the others', () => {
    const asked = fc.constantFrom(passkey, apiKey, session, p, q, k, named(apiKey, 'same'))
    const some = fc.array(fc.record({ any: fc.array(asked, { minLength: 1, maxLength: 2 }) }), {
      minLength: 1,
      maxLength: 3,
    })
    const proofs = [...credentials, by(session, 's', 'p'), by(session, 's', 'k')]
    const takings = (
      steps: readonly AuthenticationStep[],
      given: readonly Proof[] = [],
    ): readonly (readonly Proof[])[] =>
      progressOf(steps, given).satisfiedMethods.length < given.length
        ? []
        : given.length === steps.length
          ? [given]
          : proofs.flatMap((one) => takings(steps, [...given, one]))
    fc.assert(
      fc.property(some, some, (steps, others) => {
        if (!isAsStrong(steps, others, credentials)) return
        for (const used of takings(steps)) expect(stepsNobodyTakes(others, used)).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})
