import { isDeepStrictEqual } from 'node:util'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Note, Row, Value } from '../../../contract/explanation/explanation.ts'
import {
  code,
  list,
  listed,
  namedInTitle,
  note,
  noteOf,
  number,
  rowsOf,
  text,
  tree,
  wholeText,
} from '../../../contract/explanation/shown_values.ts'
import type { MfaPolicy, User } from '../../../contract/records/records.ts'
import type { AuthenticationMethod } from '../../../policy/authentication_methods.ts'
import { isAsStrong, stepsNobodyTakes } from '../../../policy/taking_steps.ts'
import type { FeatureName } from '../../../protocol/wire/feature_names.ts'
import { type Means, possibleProofs, proofsOfCredentials } from './possible_proofs.ts'

type Method = { readonly type: AuthenticationMethod['type']; readonly id?: string }
type Steps = readonly { readonly any: readonly Method[] }[]

/** The steps in their order, each with the means of which one is enough. */
export function stepsValue(steps: Steps | undefined, { named }: Pick<Now, 'named'>): Value | undefined {
  if (steps === undefined) return undefined
  return list(
    listed(steps, ({ any }) =>
      tree({
        any: list(
          listed(any, ({ type, id }) =>
            id === undefined ? code(type) : tree({ means: code(type), credential: named(id) }),
          ),
        ),
      }),
    ),
  )
}

type Shown = {
  readonly condition: string
  readonly requiredAuthenticationMethods: Steps
  readonly order: number
  readonly notes?: string
}

export function mfaPolicyRows(
  { condition, requiredAuthenticationMethods, order, notes = '' }: Shown,
  now: Pick<Now, 'named'>,
): readonly Row[] {
  return rowsOf({
    requiredAuthenticationMethods: stepsValue(requiredAuthenticationMethods, now),
    order: number(order),
    condition: wholeText(condition),
    notes: notes === '' ? undefined : wholeText(notes),
  })
}

/**
 * Warns of the policies that come before a new or changed one and let its user go by other steps. It may never be
 * enforced then: whether its condition is ever true without theirs is not told.
 */
export function afterOthers(
  { steps, earlier, user }: { readonly steps: Steps; readonly earlier: readonly MfaPolicy[]; readonly user: User },
  { named }: Pick<Now, 'named'>,
): readonly Note[] {
  const proofs = proofsOfCredentials(user)
  const others = earlier.filter(({ requiredAuthenticationMethods: theirs }) => !isAsStrong(theirs, steps, proofs))
  const ids = others.map(({ mfaPolicyId }) => named(mfaPolicyId))
  return ids.length === 0 ? [] : [noteOf('stepsAfterOthers', list(namedInTitle(ids)))]
}

type NewSteps = {
  /** The steps that were due before in the place of the new ones, of each policy. */
  readonly before: readonly Steps[]
  readonly after: Steps
  readonly user: User
}

/**
 * How new steps are weaker than those that were due before: fewer, or by means that no step had. Other changes have a
 * warning too. Steps that the user cannot take block whatever needs them.
 */
export function stepWarnings(
  { before, after, user }: NewSteps,
  now: Pick<Now, 'named' | 'find' | 'nowMs'>,
): readonly Note[] {
  const who = now.named(user.userId)
  const most = Math.max(0, ...before.map((steps) => steps.length))
  const had = new Set(before.flatMap((steps) => steps.flatMap(({ any }) => any.map(keyOf))))
  const added = after.flatMap(({ any }) => any).filter((method) => !had.has(keyOf(method)))
  const means = { user, nowMs: now.nowMs, isOn: switchesOf(now) }
  const untaken = stepsNobodyTakes(after, possibleProofs(means, after))
  const impossible = after.find((_, index) => untaken.includes(index))
  const weaker = [
    ...(after.length < most ? [noteOf('fewerSteps', number(after.length), number(most))] : []),
    ...(added.length > 0 ? [noteOf('stepsAlsoBy', who, shownMeans(added, user, now))] : []),
  ]
  return [
    ...(before.length === 0 ? [] : weaker.length > 0 ? weaker : [note('stepsChange')]),
    ...(impossible === undefined ? [] : [impossibleStep(impossible, user, now)]),
  ]
}

type BlockingChange = {
  readonly user: User | undefined
  readonly after: User | undefined
  /** The feature that the change switches off. */
  readonly switchedOff?: FeatureName
}

/** Warns of the first step of each MFA policy of a user that the user can take now, and no more after a change. */
export function blockedSteps(
  { user, after, switchedOff }: BlockingChange,
  now: Pick<Now, 'named' | 'find' | 'isBefore' | 'nowMs'>,
): readonly Note[] {
  const { nowMs } = now
  if (!now.isBefore || user === undefined || after === undefined) return []
  const isOn = switchesOf(now)
  const left: Means = { user: after, nowMs, isOn: (name) => name !== switchedOff && isOn(name) }
  return (user.mfaPolicies ?? []).flatMap(({ requiredAuthenticationMethods: steps }) => {
    const [proofs, proofsLeft] = [possibleProofs({ user, nowMs, isOn }, steps), possibleProofs(left, steps)]
    if (isDeepStrictEqual(proofs, proofsLeft)) return []
    const [before, untaken] = [stepsNobodyTakes(steps, proofs), stepsNobodyTakes(steps, proofsLeft)]
    const blocked = steps.find((_, index) => untaken.includes(index) && !before.includes(index))
    return blocked === undefined ? [] : [impossibleStep(blocked, after, now)]
  })
}

function impossibleStep({ any }: Steps[number], user: User, now: Pick<Now, 'named'>): Note {
  return noteOf('stepImpossible', now.named(user.userId), shownMeans(any, user, now))
}

function shownMeans(methods: readonly Method[], user: User, now: Pick<Now, 'named'>): Value {
  return list(namedInTitle(methods.map((method) => meansValue(method, user, now))))
}

function switchesOf({ find }: Pick<Now, 'find'>): Means['isOn'] {
  return (name) => find('feature', name)?.isOff !== true
}

function keyOf({ type, id }: Method): string {
  return `${type} ${id ?? ''}`
}

/** A credential by its name, and a code by where it is sent. */
function meansValue({ type, id }: Method, { userEmail, userPhoneNumber }: User, { named }: Pick<Now, 'named'>): Value {
  const to = type === 'AUTHENTICATION_TYPE_EMAIL_OTP' ? userEmail : userPhoneNumber
  if (isPasscode(type) && to !== undefined) return text(to)
  return id === undefined ? code(type) : named(id)
}

function isPasscode(type: Method['type']): boolean {
  return type === 'AUTHENTICATION_TYPE_EMAIL_OTP' || type === 'AUTHENTICATION_TYPE_SMS_OTP'
}
