import type { AuthenticationMethod } from '../../../policy/authentication_methods.ts'
import type { Now } from '../../explanation/explain_context.ts'
import type { Note, Row, Value } from '../../explanation/explanation.ts'
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
} from '../../explanation/values.ts'
import type { User } from '../../records/records.ts'

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

/** What an MFA policy says. */
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
export function stepWarnings({ before, after, user }: NewSteps, now: Pick<Now, 'named'>): readonly Note[] {
  const who = now.named(user.userId)
  const most = Math.max(0, ...before.map((steps) => steps.length))
  const had = new Set(before.flatMap((steps) => steps.flatMap(({ any }) => any.map(keyOf))))
  const added = after.flatMap(({ any }) => any).filter((method) => !had.has(keyOf(method)))
  const shown = (methods: readonly Method[]) =>
    list(namedInTitle(methods.map((method) => meansValue(method, user, now))))
  const impossible = after.find(({ any }) => any.every((method) => !hasMeans(method, user)))
  const weaker = [
    ...(after.length < most ? [noteOf('fewerSteps', number(after.length), number(most))] : []),
    ...(added.length > 0 ? [noteOf('stepsAlsoBy', who, shown(added))] : []),
  ]
  return [
    ...(before.length === 0 ? [] : weaker.length > 0 ? weaker : [note('stepsChange')]),
    ...(impossible === undefined ? [] : [noteOf('stepImpossible', who, shown(impossible.any))]),
  ]
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

/** Whether the user has a credential or a contact of this type. Everybody may log in for a session. */
function hasMeans({ type }: Method, user: User): boolean {
  switch (type) {
    case 'AUTHENTICATION_TYPE_EMAIL_OTP':
      return user.userEmail !== undefined
    case 'AUTHENTICATION_TYPE_SMS_OTP':
      return user.userPhoneNumber !== undefined
    case 'AUTHENTICATION_TYPE_PASSKEY':
      return user.authenticators.length > 0
    case 'AUTHENTICATION_TYPE_OAUTH':
      return user.oauthProviders.length > 0
    case 'AUTHENTICATION_TYPE_API_KEY':
      return user.apiKeys.length > 0
    case 'AUTHENTICATION_TYPE_SESSION':
      return true
  }
}
