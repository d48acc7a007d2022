import type { Content } from '../../../contract/explanation/content.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Note, Row, Value } from '../../../contract/explanation/explanation.ts'
import {
  code,
  list,
  namedInTitle,
  none,
  note,
  noteOf,
  number,
  row,
  rowsOf,
  section,
  wholeText,
} from '../../../contract/explanation/shown_values.ts'
import { warned } from '../../../contract/explanation/warnings.ts'
import type { Policy } from '../../../contract/records/records.ts'
import { exceptedUsers } from '../../../policy/about_rules/excepted_users.ts'
import { type NeededApprovals, neededApprovals } from '../../../policy/about_rules/needed_approvals.ts'
import { isActiveForLong, isTrueOfAll } from '../../../policy/about_rules/ways_past.ts'
import type { Effect } from '../../../policy/decision/effects.ts'
import { compileExpressions, neverEqualIn } from '../../../policy/decision/policy_expressions.ts'
import { forAdders, heldBy, withAdded } from '../../../policy/openings/added_credentials.ts'
import { holdsAlways, holdsForOne, holdsForStrangers } from '../../../policy/openings/always_holds.ts'
import { type Deed, deeds } from '../../../policy/openings/deeds.ts'
import { judgeDeeds, reachedKinds } from '../../../policy/openings/opened_deeds.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { Failure, orFailure } from '../../../protocol/wire/failures.ts'
import { isUuid } from '../../../protocol/wire/identifiers.ts'
import { controlRows } from '../../velocity_controls/shared/velocity_control_rows.ts'
import { controlsNamedIn } from '../../velocity_controls/shared/velocity_controls.ts'
import { isTooFew, misnamedIn } from './misnamed_ids.ts'

type Shown = {
  readonly policyName: string
  readonly effect: Effect
  readonly condition?: string
  readonly consensus?: string
  readonly time?: string
  readonly notes?: string
}

/** The content of a policy. The effect comes first: expressions are long, and what they say depends on it. */
export function policyRows({ policyName, effect, condition, consensus, time, notes }: Shown): readonly Row[] {
  return rowsOf({
    policyName: wholeText(policyName),
    effect: code(effect),
    condition: givenText(condition),
    consensus: givenText(consensus),
    time: givenText(time),
    notes: givenText(notes),
  })
}

/**
 * The velocity controls that a condition names, with what each allows: the condition says no more than a name. One of an
 * old request may not compile any more.
 */
export function* controlsIn(condition: string | undefined, now: Now): Steps<readonly Row[]> {
  const named = orFailure(() => controlsNamedIn(condition))
  yield
  if (named instanceof Failure) return []
  const controls = [...new Set(named.map(({ identifier }) => identifier))].flatMap(
    (identifier) => now.controls().get(identifier) ?? [],
  )
  return controls.map((control) => row('velocity_control', { kind: 'tree', rows: controlRows(control) }))
}

/** An empty text stands for none. */
function givenText(given = ''): Value | undefined {
  return given === '' ? undefined : wholeText(given)
}

/** Explains a deletion by what the policies say that end. Denials come first. */
export function* deletedPolicies(name: string, policyIds: readonly string[], now: Now): Steps<Content> {
  const policies = policyIds.map((policyId) => ({ policyId, policy: now.find('policy', policyId) }))
  const isDenial = ({ policy }: (typeof policies)[number]) => policy?.effect === 'EFFECT_DENY'
  const sorted = policies.toSorted((one, other) => Number(isDenial(other)) - Number(isDenial(one)))
  const title = { code: name, values: namedInTitle(sorted.map(({ policyId }) => now.named(policyId))) }
  const rows: Row[] = []
  for (const { policyId, policy } of sorted) {
    const said = policy === undefined ? [] : [...policyRows(policy), ...(yield* controlsIn(policy.condition, now))]
    rows.push(row('deleted', { kind: 'tree', rows: [row('policy', now.named(policyId)), ...said] }))
  }
  return {
    title: warned(title, policies.some(isDenial) ? [note('denialEnds')] : []),
    sections: section('changes', rows),
  }
}

/**
 * Explains new policies, each with its effect before its expressions, and in the title with what it allows. Those that
 * allow the most come first.
 */
export function* createdPolicies(name: string, policies: readonly Shown[], now: Now): Steps<Content> {
  const ranked: { readonly policy: Shown; readonly grant: Grant }[] = []
  for (const policy of policies) {
    yield // its expressions are compiled
    ranked.push({ policy, grant: yield* grantOf(policy, now) })
  }
  const sorted = ranked.toSorted((one, other) => byReach(one.grant, other.grant))
  const named = namedInTitle(sorted.map(({ policy }) => wholeText(policy.policyName)))
  const values: Value[] = []
  for (const [index, one] of named.entries()) {
    const found = one.kind === 'note' ? undefined : sorted[index]
    values.push(one)
    if (found !== undefined) values.push(...(yield* statement(found.policy, now)))
  }
  const rows: (readonly Row[])[] = []
  for (const { policy } of sorted) rows.push([...policyRows(policy), ...(yield* controlsIn(policy.condition, now))])
  const [only = [], ...others] = rows
  return {
    title: warned(
      { code: name, values },
      sorted.flatMap(({ grant }) => grant.notes),
    ),
    sections: section(
      'changes',
      others.length === 0 ? only : rows.map((each) => row('policy', { kind: 'tree', rows: each })),
    ),
  }
}

type Granting = Pick<Shown, 'policyName' | 'effect'> & {
  readonly [K in 'condition' | 'consensus' | 'time']?: string | undefined
}

/**
 * The effect of a policy, and which kinds of activities it may allow at most, with whose approvals. It stands in the title
 * however narrow the policy is: the judgement of harm does not see through every condition.
 */
function* statement(granting: Granting, now: Now): Steps<readonly Value[]> {
  return [code(granting.effect), ...(yield* reachOf(granting, now))]
}

function* reachOf({ effect, condition, consensus }: Granting, now: Now): Steps<readonly Note[]> {
  const compiled = orFailure(() => compileExpressions({ condition, consensus }))
  yield
  if (effect === 'EFFECT_DENY' || compiled instanceof Failure) return []
  yield* neverEqualIn(compiled.condition)
  const reached = yield* reachedKinds(compiled.condition)
  const shown = reached.length === 0 ? none : list(namedInTitle(reached.map((kind) => code(kind))))
  const needed = holdsAlways(compiled.consensus) ? { count: 1n } : neededApprovals(compiled.consensus.root)
  if (needed === undefined) return [noteOf('reachesBySome', shown)]
  const { count, among }: NeededApprovals = needed
  if (among === undefined) {
    return count === 1n ? [noteOf('reachesByAll', shown)] : [noteOf('reachesByNumber', shown, number(count))]
  }
  const approvers = list(namedInTitle(among.map((id) => now.named(id))))
  if (isTooFew(needed, compiled.consensus, now)) return [noteOf('reachesByTooFew', shown, number(count), approvers)]
  return count === 1n
    ? [noteOf('reachesByOne', shown, approvers)]
    : [noteOf('reachesBySeveral', shown, number(count), approvers)]
}

/** `rank`: the lower, the more a policy allows. `opened`: the deeds that it opens, the worst first. */
type Grant = { readonly rank: number; readonly opened: readonly Deed[]; readonly notes: readonly Note[] }

/** The order of a request must not decide which policy a title shows first. */
function byReach(one: Grant, other: Grant): number {
  const worst = ({ opened: [deed] }: Grant) => (deed === undefined ? deeds.length : deeds.indexOf(deed))
  return one.rank - other.rank || worst(one) - worst(other) || other.opened.length - one.opened.length
}

/**
 * A policy that allows grants, and one that nothing limits grants everything: whatever is asked, by whomever. Others open
 * deeds that decide over others. An expression of an old request may not compile any more. Then it never holds.
 */
function* grantOf(granting: Granting, now: Now): Steps<Grant> {
  const { policyName, effect, condition, consensus, time } = granting
  const compiled = orFailure(() => compileExpressions({ condition, consensus, time }))
  yield
  if (compiled instanceof Failure) return limited
  // All that follows asks for it, and it is kept.
  yield* neverEqualIn(compiled.condition)
  yield
  const grant =
    effect === 'EFFECT_DENY'
      ? { ...limited, rank: 6, notes: yield* denialNotes(policyName, compiled, now) }
      : yield* openingOf(policyName, compiled, now)
  const excepted = (yield* exceptedUsers(compiled.consensus.root)).map((one) =>
    isUuid(one) ? now.named(one) : wholeText(one),
  )
  const notes =
    excepted.length === 0 ? [] : [noteOf('metByOthers', wholeText(policyName), list(namedInTitle(excepted)))]
  return { ...grant, notes: [...grant.notes, ...misnamedIn(policyName, compiled, now), ...notes] }
}

const limited: Grant = { rank: 5, opened: [], notes: [] }

type Compiled = ReturnType<typeof compileExpressions>

/** Denials of deeds are usual. One of everything, or of changes of rules, leaves them to a complete root quorum. */
function* denialNotes(policyName: string, compiled: Compiled, now: Now): Steps<readonly Note[]> {
  const { condition, consensus, time } = compiled
  const binds = now.isBefore ? yield* isTrueOfAll(consensus, now.approvalsAlone()) : holdsAlways(consensus)
  if (!binds || !(yield* isActiveForLong(time, now.nowMs))) return []
  if (holdsAlways(condition)) return [noteOf('deniesAll', wholeText(policyName))]
  yield
  const { opened, untold } = yield* judgeDeeds(condition)
  if (opened.includes('policies')) return [noteOf('deniesPolicies', wholeText(policyName))]
  return untold.includes('policies') ? [noteOf('mayDenyPolicies', wholeText(policyName))] : []
}

function* openingOf(policyName: string, { condition, consensus }: Compiled, now: Now): Steps<Grant> {
  const isAll = holdsAlways(condition)
  yield
  // Nobody changes a velocity control, nor deletes one that a policy names.
  const own = now.isBefore ? now.own() : { controls: now.controls() }
  const { opened, untold } = yield* judgeDeeds(condition, own)
  if (!isAll && opened.length === 0 && untold.length === 0) return limited
  const name = wholeText(policyName)
  yield
  const who = yield* whoFulfils(consensus, now)
  if (who === 'nobody') return limited
  const isCut = who === 'untold' || (typeof who === 'object' && who.isCut)
  const either = deeds.filter((deed) => opened.includes(deed) || untold.includes(deed))
  const may = isCut ? either : untold
  const mayOpen = may.length === 0 ? [] : [noteOf('mayOpen', name, deedsInTitle(may))]
  const granting = (rank: number, note?: Note): Grant => {
    return { rank, opened: either, notes: [...(note === undefined ? [] : [note]), ...mayOpen] }
  }
  if (who === 'untold' || (opened.length === 0 && !isAll)) return granting(4)
  const shown = deedsInTitle(opened)
  if (who === 'everybody')
    return isAll ? granting(0, noteOf('allowsAll', name)) : granting(1, noteOf('opens', name, shown))
  if (who === 'several') return granting(4, noteOf('opensToSeveral', name, shown))
  const users = list(namedInTitle(who.userIds.map((userId) => now.named(userId))))
  return isAll ? granting(2, noteOf('allowsAllBy', name, users)) : granting(3, noteOf('opensTo', name, shown, users))
}

function deedsInTitle(given: readonly Deed[]): Value {
  return list(namedInTitle(given.map((deed) => code(deed))))
}

/** `isCut`: of some users, it takes too many steps to tell. */
type Some = { readonly userIds: readonly string[]; readonly isCut: boolean }

/** Who fulfils a consensus: every user, some of them alone, or any of them together. */
type Fulfilling = 'everybody' | 'several' | 'nobody' | 'untold' | Some

function* whoFulfils(consensus: Compiled['consensus'], now: Now): Steps<Fulfilling> {
  if (holdsAlways(consensus)) return 'everybody'
  yield
  const users = now.isBefore ? now.approvalsAlone() : []
  yield
  const held = yield* heldBy(users)
  const { able, untold } = yield* holdsForOne(
    forAdders(consensus, held, { isNamed: true }),
    withAdded(consensus, users),
  )
  if (able.length === users.length && users.length > 1) return 'everybody'
  if (able.length > 0) return { userIds: able.map(({ userId }) => userId), isCut: untold.length > 0 }
  const byStrangers = yield* holdsForStrangers(
    forAdders(consensus, held, { isNamed: false }),
    Math.max(2, users.length),
  )
  if (byStrangers === true) return 'several'
  return byStrangers === undefined || untold.length > 0 ? 'untold' : 'nobody'
}

/**
 * The content of a policy after a change, as the title shows it, and the parts that the change takes away. An absent
 * expression stays.
 */
export function* changedPolicy(
  before: Policy,
  after: { readonly [K in keyof Shown]?: Shown[K] | undefined },
  now: Now,
): Steps<{ readonly says: readonly Value[]; readonly losses: readonly Note[] }> {
  const result = {
    ...{ policyName: before.policyName, effect: after.effect ?? before.effect },
    ...{ condition: after.condition ?? before.condition, consensus: after.consensus ?? before.consensus },
    time: after.time ?? before.time,
  }
  const { notes: open } = yield* grantOf(result, now)
  yield
  return { says: yield* statement(result, now), losses: [...open, ...lossesOf(before, result)] }
}

function lossesOf(before: Policy, after: Granting): readonly Note[] {
  const changes = (['condition', 'consensus', 'time'] as const).filter(
    (part) => (after[part] ?? '') !== (before[part] ?? ''),
  )
  if (before.effect === 'EFFECT_DENY') {
    if (after.effect !== before.effect) return [note('denialEnds')]
    return changes.length === 0 ? [] : [note('denialChanges')]
  }
  if (after.effect === 'EFFECT_DENY' || changes.length === 0) return []
  return [note(changes.some((part) => (after[part] ?? '') === '') ? 'limitEnds' : 'allowanceChanges')]
}
