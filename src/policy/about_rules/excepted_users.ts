import type { Steps } from '../../protocol/tools/steps.ts'
import { isUuid } from '../../protocol/wire/identifiers.ts'
import { comparedWithTruth } from '../language/contradictions/conjuncts.ts'
import type { Struct, Value } from '../language/expression_values.ts'
import { evaluate } from '../language/running/evaluate.ts'
import { type Budget, within } from '../language/running/run.ts'
import { type Expression, everyPart, partsOf } from '../language/syntax.ts'

/**
 * The ids of users and tags, the addresses and the aliases that a consensus excepts by a test such as
 * `approvers.any(user, user.id != '…')`, however it is written. It reads as “not this user”, and any other user alone makes
 * it true, also beside the one who is excepted. Each part of the consensus is tried with a few users. A part that asks
 * for more than another user is meant so, and so is one of a consensus that needs who is excepted as well.
 */
export function* exceptedUsers(consensus: Expression): Steps<readonly string[]> {
  const budget: Budget = { stepsMax: stepsOfTrials, meter: { steps: 0 } }
  const excepted = new Set<string>()
  for (const claim of claimsIn({ expression: consensus, isNegated: false })) {
    yield
    for (const text of yield* exceptedBy(claim, budget))
      if (!excepted.has(text) && !isNeeded(consensus, { text, budget })) excepted.add(text)
  }
  return [...excepted]
}

/** A longer consensus is not tried to its end. */
const stepsOfTrials = 200_000
const textsMax = 64

/** An expression, or that it is false. */
type Claim = { readonly expression: Expression; readonly isNegated: boolean }

const booleanKinds: ReadonlySet<Expression['kind']> = new Set(['and', 'or', 'comparison', 'contains', 'predicate'])

function* claimsIn(claim: Claim): Iterable<Claim> {
  const { expression, isNegated } = claim
  if (booleanKinds.has(expression.kind)) yield claim
  const isFalse = expression.kind === 'comparison' && comparedWithTruth(expression)?.value === false
  const negates = expression.kind === 'not' || isFalse
  for (const part of partsOf(expression)) yield* claimsIn({ expression: part, isNegated: isNegated !== negates })
}

type User = { readonly user: Struct; readonly credential: Struct }

function* exceptedBy(claim: Claim, budget: Budget): Steps<readonly string[]> {
  const isSo = (...users: readonly User[]) => truthOf(claim.expression, users, budget) === !claim.isNegated
  const isNotSo = (...users: readonly User[]) => truthOf(claim.expression, users, budget) === claim.isNegated
  if (!strangers.every((one) => isSo(one))) return []
  const isExcepted = (users: readonly User[]) =>
    users.every((one) => isNotSo(one)) &&
    users.every((one) => strangers.every((other) => isSo(one, other) && isSo(other, one)))
  const found: string[] = []
  for (const text of textsIn(claim.expression)) {
    yield
    if (usersBy(text).some(isExcepted)) found.push(text)
  }
  return found
}

/** Whether the consensus is never true without whom a text names, as far as a few others tell. */
function isNeeded(consensus: Expression, { text, budget }: { readonly text: string; readonly budget: Budget }) {
  const named = textsIn(consensus).filter((one) => one !== text)
  const worlds = [...crowd.map((_, index) => crowd.slice(0, index + 1)), [...crowd, ...named.flatMap(usersBy).flat()]]
  return !worlds.some((world) => truthOf(consensus, world, budget) === true)
}

function truthOf(expression: Expression, users: readonly User[], budget: Budget): Value | undefined {
  const keywords = { approvers: users.map(({ user }) => user), credentials: users.map(({ credential }) => credential) }
  const found = evaluate(expression, within(budget, { keywords }))
  return found.kind === 'value' ? found.value : undefined
}

function textsIn(expression: Expression): readonly string[] {
  const texts = [...everyPart(expression)].flatMap((part) => (part.kind === 'string' ? [part.value] : []))
  return [...new Set(texts)].slice(0, textsMax)
}

const idOf = (index: number) => `00000000-0000-4000-8000-00000000000${index}`

const key = { type: 'CREDENTIAL_TYPE_API_KEY_P256', credential_id: '', public_key: `02${'01'.repeat(32)}` }
const passkey = {
  ...{ type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR', credential_id: 'AAAA' },
  public_key: `a5${'01'.repeat(70)}`,
}

/** Two users who have nothing in common, not even the type of their credentials. */
const strangers = [0, 1].map((index) => userWith({ id: idOf(index) }, index))
const crowd = [...strangers, ...[2, 3].map((index) => userWith({ id: idOf(index) }, index))]

function userWith(given: Struct, index: number): User {
  const id = given.id ?? idOf(4 + index)
  const isOdd = index % 2 === 1
  const own = {
    tags: isOdd ? [idOf(8)] : [],
    email: isOdd ? 'nobody@stranger.invalid' : '',
    alias: `Stranger ${index}`,
  }
  const credential = { id: isOdd ? '' : idOf(9), user_id: id, ...(isOdd ? passkey : key) }
  return { user: { id, ...own, ...given }, credential }
}

/** For each way to go by a text, users who do: by their id or a tag, or by their address or alias. */
function usersBy(text: string): readonly (readonly User[])[] {
  const ways: readonly Struct[] = isUuid(text) ? [{ id: text }, { tags: [text] }] : [{ email: text }, { alias: text }]
  return ways.map((way) => strangers.map((_, index) => userWith(way, index)))
}
