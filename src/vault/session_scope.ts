import type { SessionProfile } from '../operations/records.ts'
import { trace } from '../policy/explain.ts'
import type { Struct } from '../policy/language/values.ts'
import { compileCondition, evaluateExpression } from '../policy/policy_expressions.ts'
import { Failure } from '../protocol/failures.ts'
import type { Caller } from './caller.ts'
import { onceFor } from './once_for.ts'
import type { Organization } from './organization.ts'

/** A query, as the scope of a session sees it. */
export const readingFacts: Struct = { activity: { type: '', kind: '', resource: '', action: 'READ', params: {} } }

const scopeOf = onceFor(({ scope }: SessionProfile) => compileCondition(scope))

/**
 * Refuses what the scope of the caller's session does not allow: an expression that must be true of every request, of a
 * vote as if the session asked for the activity itself, and of a query (`readingFacts`).
 */
export async function requireScope(
  { sessionProfileId, organization }: Pick<Caller, 'sessionProfileId' | 'organization'>,
  {
    open,
    facts,
  }: { readonly open: (organizationId: string) => Promise<Organization | undefined>; readonly facts: () => Struct },
): Promise<void> {
  if (sessionProfileId === undefined) return
  const { parentId } = organization.head
  const parent = parentId === undefined ? undefined : await open(parentId)
  const profile =
    organization.listed('session_profile', sessionProfileId) ?? parent?.listed('session_profile', sessionProfileId)
  if (profile === undefined)
    throw new Failure('FORBIDDEN', { reason: 'the profile of this session does not exist any more' })
  const verdict = evaluateExpression(scopeOf(profile), { keywords: facts() })
  if (verdict.kind === 'value' && verdict.value) return
  const { because } = trace(scopeOf(profile), { keywords: facts() })
  throw new Failure('FORBIDDEN', { reason: `the scope of this session's profile does not allow this: ${because}` })
}

/** Whether the caller may send queries, and so read the rules: its session may be for other things. */
export async function mayRead(
  caller: Pick<Caller, 'sessionProfileId' | 'organization'>,
  { open }: { readonly open: (organizationId: string) => Promise<Organization | undefined> },
): Promise<boolean> {
  try {
    await requireScope(caller, { open, facts: () => readingFacts })
    return true
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}
