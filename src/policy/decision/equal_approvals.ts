import { onceFor } from '../../protocol/tools/once_for.ts'
import type { Struct, Value } from '../language/expression_values.ts'
import { evaluate } from '../language/running/evaluate.ts'
import { type Budget, within } from '../language/running/run.ts'
import { type Expression, everyPart } from '../language/syntax.ts'

/** The approving users and their credentials, as keywords of consensus. Users have an `id`, credentials a `user_id`. */
export type Approvals = { readonly approvers: readonly Struct[]; readonly credentials: readonly Struct[] }

/** Approvals that could be given. One credential of each of `factors` counts, and each that is in none of them. */
export type Possible = Approvals & { readonly factors?: readonly (readonly Struct[])[] | undefined }

type ListName = keyof Approvals

/** A part of a consensus that says something of one user or credential alone. */
type Part = {
  readonly list: ListName
  readonly variable: string
  readonly expression: Expression
  /** The values that variables of tests over written lists have there. */
  readonly given: readonly Struct[]
}

/** The facts that a consensus tells users and credentials apart by, and how many equal ones it tells from more. */
type Telling = {
  readonly parts: readonly Part[]
  readonly usersMax: number
  readonly credentialsMax: number
}

/**
 * Returns the approvals without users and credentials that the consensus cannot tell from others which are left. It has the
 * same value for both: it tests each user and credential by its own facts, relates users and credentials by their ids
 * alone, and counts up to the numbers that it writes. A consensus of another form, or one that takes more steps than the
 * budget has, gets all of them. The steps of the work count. A factor keeps a credential of each kind that the consensus
 * tells apart, and there are so many equal factors that each kind may be chosen often enough.
 */
export function withoutEqualOnes(consensus: Expression, approvals: Possible, budget: Budget): Possible {
  const telling = tellingOf(consensus)
  if (telling === undefined) return approvals
  const { usersMax, credentialsMax } = telling
  budget.meter.steps += approvals.approvers.length + approvals.credentials.length
  const keyOf = (list: ListName, item: Struct) => keyBy(telling.parts, { list, item, budget })
  const factorOf = new Map(approvals.factors?.flatMap((factor) => factor.map((credential) => [credential, factor])))
  const byUser = Map.groupBy(approvals.credentials, (credential) => credential.user_id)
  const users = new Map(approvals.approvers.map((user) => [user.id, user]))
  const counts = new Map<string, number>()
  const isLeft = (key: string, max: number) => {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count <= max
  }
  const left = [...new Set([...users.keys(), ...byUser.keys()])].flatMap((id) => {
    const user = users.get(id)
    const factors = Map.groupBy(byUser.get(id) ?? [], (credential) => factorOf.get(credential) ?? credential)
    const told = [...factors.values()].map((factor) => {
      const byKey = new Map(factor.map((credential) => [keyOf('credentials', credential), credential]))
      return { key: [...byKey.keys()].toSorted().join('/'), choices: [...byKey.values()] }
    })
    const kept = [...Map.groupBy(told, ({ key }) => key)].map(([key, equal]) => ({
      key,
      equal: equal.slice(0, credentialsMax * (equal[0]?.choices.length ?? 1)).map(({ choices }) => choices),
    }))
    const had = kept.map(({ key, equal }) => `${key}*${equal.length}`).toSorted()
    const key = [user === undefined ? '-' : keyOf('approvers', user), ...had].join(' ')
    const own = kept.flatMap(({ equal }) => equal)
    return isLeft(key, usersMax * numberOfChoices(own)) ? [{ user, own }] : []
  })
  if (budget.meter.steps > budget.stepsMax) return approvals
  const factors = left.flatMap(({ own }) => own)
  return {
    approvers: left.flatMap(({ user }) => (user === undefined ? [] : [user])),
    credentials: factors.flat(),
    factors: factors.filter(({ length }) => length > 1),
  }
}

export function numberOfChoices(factors: readonly (readonly Struct[])[]): number {
  return factors.reduce((product, { length }) => product * length, 1)
}

function keyBy(
  parts: readonly Part[],
  { list, item, budget }: { readonly list: ListName; readonly item: Struct; readonly budget: Budget },
): string {
  const said = parts.flatMap((part) => {
    if (part.list !== list) return []
    return part.given.map((given) => {
      const keywords = { ...given, [part.variable]: item }
      const told = evaluate(part.expression, within(budget, { keywords }))
      return told.kind === 'value' ? String(told.value) : told.code
    })
  })
  return said.join()
}

type Scope = {
  readonly lists: ReadonlyMap<string, ListName>
  readonly given: readonly Struct[]
  readonly givenNames: ReadonlySet<string>
  /** The parts that were found so far. */
  readonly parts: Part[]
  /** The lists whose items are counted. */
  readonly counted: Set<ListName>
}

/** Undefined for a consensus of which this cannot be said. */
const tellingOf = onceFor((consensus: Expression): Telling | undefined => {
  const scope = {
    ...{ lists: new Map(), given: [{}], givenNames: new Set<string>() },
    parts: [],
    counted: new Set<ListName>(),
  }
  if (!isTold(consensus, scope)) return undefined
  const all = [...everyPart(consensus)]
  const numbers = all.reduce((sum, part) => (part.kind === 'integer' ? sum + Number(part.value) : sum), 0)
  // Each test names one user or credential beside those that it counts.
  const tests = all.filter(({ kind }) => kind === 'predicate').length + 1
  const { parts, counted } = scope
  return {
    parts,
    usersMax: tests + (counted.size > 0 ? numbers : 0),
    credentialsMax: tests + (counted.has('credentials') ? numbers : 0),
  }
})

/** Written lists of which each text is tried. */
const givenMax = 64

function isTold(expression: Expression, scope: Scope): boolean {
  const { lists, given, givenNames, parts } = scope
  const names = new Set([...everyPart(expression)].flatMap((part) => (part.kind === 'name' ? [part.name] : [])))
  if (!names.has('approvers') && !names.has('credentials')) {
    const [variable, ...others] = [...lists.keys()].filter((name) => names.has(name))
    const list = variable === undefined ? undefined : lists.get(variable)
    if (variable === undefined || list === undefined) return true
    if (others.length === 0) {
      const isGiven = [...names].some((name) => givenNames.has(name))
      parts.push({ list, variable, expression, given: isGiven ? given : [{}] })
      return true
    }
  }
  switch (expression.kind) {
    case 'not':
      return isTold(expression.operand, scope)
    case 'and':
    case 'or':
      return expression.operands.every((operand) => isTold(operand, scope))
    case 'comparison':
      return isJoin(expression, scope) || isCount(expression, scope)
    case 'predicate':
      return isTest(expression, scope)
    default:
      return false
  }
}

type Of<K extends Expression['kind']> = Expression & { readonly kind: K }

/** Whether it compares the ids of two users. */
function isJoin({ operator, left, right }: Of<'comparison'>, { lists }: Scope): boolean {
  const isUserId = (part: Expression) => {
    if (part.kind !== 'field' || part.of.kind !== 'name') return false
    return part.name === (lists.get(part.of.name) === 'approvers' ? 'id' : 'user_id')
  }
  return (operator === '==' || operator === '!=') && isUserId(left) && isUserId(right)
}

/** Whether it compares numbers of users or credentials with a written one. */
function isCount({ operator, left, right }: Of<'comparison'>, scope: Scope): boolean {
  if (operator === 'in') return false
  return (isWritten(left) && isCounted(right, scope)) || (isWritten(right) && isCounted(left, scope))
}

function isWritten(expression: Expression): boolean {
  return expression.kind === 'integer' || (expression.kind === 'sum' && expression.operands.every(isWritten))
}

function isCounted(expression: Expression, scope: Scope): boolean {
  if (expression.kind === 'sum') return expression.operands.every((one) => isWritten(one) || isCounted(one, scope))
  const list = expression.kind === 'count' ? listIn(expression.of, scope) : undefined
  if (list !== undefined) scope.counted.add(list)
  return list !== undefined
}

function isTest({ of, variable, body }: Of<'predicate'>, scope: Scope): boolean {
  if (of.kind === 'list') {
    const values = of.items.flatMap((item): Value[] => (item.kind === 'string' ? [item.value] : []))
    const given = scope.given.flatMap((one) => values.map((value) => ({ ...one, [variable]: value })))
    if (values.length < of.items.length || given.length > givenMax) return false
    return isTold(body, { ...scope, given, givenNames: new Set([...scope.givenNames, variable]) })
  }
  const list = listIn(of, scope)
  return list !== undefined && isTold(body, { ...scope, lists: new Map([...scope.lists, [variable, list]]) })
}

/** The list whose items these are, all or some of them. Undefined if that cannot be told. */
function listIn(of: Expression, scope: Scope): ListName | undefined {
  if (of.kind === 'name') return of.name === 'approvers' || of.name === 'credentials' ? of.name : undefined
  if (of.kind !== 'predicate' || of.method !== 'filter') return undefined
  return isTest(of, scope) ? listIn(of.of, scope) : undefined
}
