import type { BoundActivity } from '../../contract/operation.ts'
import type { SessionProfile } from '../../contract/records/records.ts'
import { givesContact } from '../../operations/users/shared/contact_changes.ts'
import { trace } from '../../policy/about_rules/explain.ts'
import {
  type CompiledExpression,
  compileScope,
  decisiveSpelling,
  evaluateExpression,
  type Verdict,
} from '../../policy/decision/policy_expressions.ts'
import { isStruct, type Struct } from '../../policy/language/expression_values.ts'
import type { WordField } from '../../policy/language/names/activity_forms.ts'
import { harmless, type Kind, kindOf } from '../../policy/openings/deeds.ts'
import { onceFor } from '../../protocol/tools/once_for.ts'
import { Failure, orFailure } from '../../protocol/wire/failures.ts'
import { isLogOut } from './log_out.ts'
import type { SeenCaller } from './seen_caller.ts'

/** The facts of any query, as the scope of a session sees them. */
export const readingFacts: Struct = { activity: { type: '', kind: '', resource: '', action: 'READ', params: {} } }

export const scopeOf = onceFor(({ scope }: SessionProfile) => compileScope(scope))

/** A request as a scope sees it. `bound`: that of an activity. */
type SessionAct = { readonly facts: () => Struct; readonly bound?: BoundActivity }

/**
 * Refuses what the scope of the caller's session does not allow. The scope is an expression that must be true of every
 * request. For a vote, it is asked as if the session submitted the activity itself; for a query, with `readingFacts`. What
 * outlasts the session would escape the scope, as a credential without the profile does, so the scope must allow that
 * activity by name. A session may always end itself.
 */
export function requireScope(
  {
    sessionProfileId,
    organization,
    ...caller
  }: Pick<SeenCaller, 'sessionProfileId' | 'organization' | 'user' | 'stamp'>,
  { facts, bound }: SessionAct,
): void {
  if (sessionProfileId === undefined || (bound !== undefined && isLogOut(caller, bound))) return
  const parent = organization.parent()
  const profile =
    organization.listed('session_profile', sessionProfileId) ?? parent?.listed('session_profile', sessionProfileId)
  if (profile === undefined) throw new Failure('FORBIDDEN', 'the profile of this session does not exist any more')
  const scope = scopeOf(profile)
  const seen = facts()
  const verdict = evaluateExpression(scope, decisiveSpelling(scope, { keywords: seen }))
  if (verdict.kind === 'error' || !verdict.value) {
    const detail = detailOf(scope, seen, verdict)
    throw new Failure('FORBIDDEN', `the scope of this session's profile does not allow this: ${detail}`)
  }
  const { activity } = seen
  if (activity === undefined || !isStruct(activity)) return
  const found = escapeBy(activity, bound?.parameters, sessionProfileId)
  if (found === undefined || allowsByName(scope, { ...seen, activity }, found.names)) return
  const only = `a session with a profile ${found.does} only where its scope allows that by name: log in without a profile`
  const [name] = found.names
  // A scope sees nothing of what the root quorum alone decides, and so cannot name it.
  const way = activity.kind === undefined ? '' : `, or let the scope say activity.${name} == '${activity[name]}'`
  throw new Failure('FORBIDDEN', `${only}${way}`)
}

/**
 * Says why the scope refuses. A session that may not read does not get the values, which would reveal the requests of
 * others and the records of the organization.
 */
function detailOf(scope: CompiledExpression, seen: Struct, verdict: Verdict): string {
  const reading = evaluateExpression(scope, { keywords: readingFacts })
  const isShown = verdict.kind === 'error' || seen === readingFacts || (reading.kind === 'value' && reading.value)
  return isShown ? trace(scope, { keywords: seen }).because : 'it is false for this request'
}

type Name = 'resource' | 'kind' | 'type'

/** Something that a scope would not bind, and the names by which the scope may allow it: the first is the one to advise. */
type Escape = { readonly does: string; readonly names: readonly [Name, ...Name[]] }

const credential: Escape = { does: 'makes a credential', names: ['resource', 'kind', 'type'] }
const anyOther: Escape = { does: 'does what outlasts it', names: ['resource', 'kind', 'type'] }

/** It gets the next code. The resource names all changes of a user, and so does not name this one. */
const contact: Escape = { does: 'gives a user an e-mail address or a phone number', names: ['kind', 'type'] }
/** It has credentials and tags, which policies name. */
const newUser: Escape = { does: 'makes a user', names: ['kind', 'type'] }

/**
 * All that a scope need not name: what is done with keys, as the scope says, and what gives nobody anything. Logins other
 * than STAMP_LOGIN ask for a proof, which a session has only where its scope names OTP.
 */
const unnamed: ReadonlySet<Kind | 'noPolicies'> = new Set<Kind>([
  'signatures',
  'keyExports',
  'keyDeletions',
  'keyImports',
  'keyNames',
  ...harmless,
])

function escapeBy(activity: Struct, parameters: unknown, sessionProfileId: string): Escape | undefined {
  const { resource, action, kind, params } = activity
  if (kind === 'STAMP_LOGIN') {
    const keepsProfile = params !== undefined && isStruct(params) && params.session_profile_id === sessionProfileId
    return keepsProfile ? undefined : credential
  }
  if (action === 'READ' || (resource === 'CREDENTIAL' && action === 'DELETE')) return undefined
  if (resource === 'CREDENTIAL') return credential
  if (givesContact(parameters)) return contact
  const ofActivity = kindOf({ texts: textsOf(activity) })
  if (unnamed.has(ofActivity)) return undefined
  const makesUser = resource === 'USER' && action === 'CREATE' && kind !== 'CREATE_USER_TAG'
  return makesUser ? newUser : anyOther
}

const wordsRead = ['resource', 'action', 'type'] as const

function textsOf(activity: Struct): ReadonlyMap<WordField, string> {
  return new Map(
    wordsRead.flatMap((name) => {
      const word = activity[name]
      return typeof word === 'string' ? [[`activity.${name}`, word] as const] : []
    }),
  )
}

/**
 * Whether the scope allows the activity by one of the names: it is false for the same activity without them, and with
 * some that no activity has. A scope that only forbids things, such as `activity.resource != ''`, does not allow by name.
 */
function allowsByName(
  scope: CompiledExpression,
  seen: Struct & { readonly activity: Struct },
  names: readonly Name[],
): boolean {
  return [(): string => '', (name: Name) => `another ${name}`].every((other) => {
    const others = Object.fromEntries(names.map((name) => [name, other(name)]))
    const verdict = evaluateExpression(scope, { keywords: { ...seen, activity: { ...seen.activity, ...others } } })
    return verdict.kind === 'value' && !verdict.value
  })
}

/** Whether the caller may send queries, and so read the rules. The scope of its session may not allow queries. */
export function mayRead(caller: Parameters<typeof requireScope>[0]): boolean {
  return !(orFailure(() => requireScope(caller, { facts: () => readingFacts })) instanceof Failure)
}
