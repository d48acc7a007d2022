import { expect, test } from 'vitest'
import { counted } from '../../test/support/counted_looks.ts'
import { finished } from '../protocol/tools/steps.ts'
import { mayBeginToHold } from './about_rules/begins_to_hold.ts'
import { explain } from './about_rules/explain.ts'
import { namedUsers } from './about_rules/named_users.ts'
import { goesByOtherNames, readsCallsOf } from './about_rules/names_of_interfaces.ts'
import { isSpokenOf } from './about_rules/spoken_of.ts'
import { type CompiledExpression, compileCondition, compileConsensus } from './decision/policy_expressions.ts'
import { unseenBy, unseenRequest } from './denials/unseen.ts'
import { check } from './language/checking/check.ts'
import type { ExpressionKind } from './language/names/keywords.ts'
import { depthMax, parse } from './language/reading/parse.ts'
import { forAdders, heldBy, withAdded } from './openings/added_credentials.ts'
import { holdsAlways, holdsForOne, holdsForStrangers } from './openings/always_holds.ts'
import { openedDeeds } from './openings/opened_deeds.ts'

/** Whoever looks at both sides of a comparison twice looks 2^50 times at the innermost part of the deepest one. */
const looksMax = 2_000_000

type Wrap = (inner: string, index: number) => string

function nested(innermost: string, wrap: Wrap, depth: number): string {
  let text = innermost
  for (let index = 0; index < depth; index += 1) text = wrap(text, index)
  return text
}

/** The deepest that creation accepts. */
function deepest(innermost: string, wrap: Wrap, compile: (text: string) => CompiledExpression): CompiledExpression {
  for (let depth = depthMax; depth > 0; depth -= 1) {
    try {
      return compile(nested(innermost, wrap, depth))
    } catch {}
  }
  throw new Error(`nothing of ${wrap('…', 0)} compiles`)
}

const users = ['ada', 'bob'].map((id) => ({
  userId: id,
  ways: [
    {
      approvers: [{ id, alias: id, tags: ['t'], email: id }],
      credentials: [{ id, user_id: id, type: 'CREDENTIAL_TYPE_API_KEY_P256', credential_id: '', public_key: id }],
    },
  ],
}))
const [approvals = { approvers: [], credentials: [] }] = users.flatMap(({ ways }) => ways)
const activity = { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION', kind: 'SIGN_TRANSACTION', resource: 'PRIVATE_KEY' }
const condition = {
  keywords: { activity: { ...activity, action: 'SIGN', params: { type: 'TRANSACTION_TYPE_ETHEREUM' } } },
}
const input = { condition, approvals, nowMs: 0, everybody: () => approvals }

type Judge = readonly [string, (compiled: CompiledExpression) => unknown]
const denialOf = ({ kind, ...compiled }: CompiledExpression) =>
  ({ policyId: 'denial', effect: 'EFFECT_DENY', [kind]: { kind, ...compiled } }) as const
const checked: Judge = ['its check', ({ kind, root, text }) => check(root, kind, text)]
const ofConditions: readonly Judge[] = [
  checked,
  ['what a denial does not see', (compiled) => finished(unseenBy(denialOf(compiled), [denialOf(compiled)]))],
  ['why a denial does not see', (compiled) => finished(unseenRequest(denialOf(compiled), condition))],
  ['what it opens', (compiled) => finished(openedDeeds(compiled))],
  ['whether it always holds', holdsAlways],
  ['what it reads of an interface', ({ root }) => [readsCallsOf('0xab', root), goesByOtherNames(root)]],
  ['whether an upload makes it hold', ({ root }) => mayBeginToHold({ address: '0xab', names: () => true }, root)],
  ['its explanation', (compiled) => explain(denialOf(compiled), input)],
]
const ofConsensus: readonly Judge[] = [
  checked,
  ['whether it always holds', holdsAlways],
  [
    'for whom it holds',
    (compiled) => finished(holdsForOne(forAdders(compiled, finished(heldBy(users)), { isNamed: true }), users)),
  ],
  ['what others may add', (compiled) => withAdded(compiled, users)],
  ['whether it holds for strangers', (compiled) => finished(holdsForStrangers(compiled, 3))],
  ['whom it names', ({ root }) => namedUsers(root)],
  [
    'of whom it speaks',
    ({ root }) =>
      isSpokenOf(root, { theirs: approvals, others: () => approvals }, { stepsMax: 10_000, meter: { steps: 0 } }),
  ],
  ['its explanation', (compiled) => explain(denialOf(compiled), input)],
]

const truths: readonly Wrap[] = [
  (inner) => `(${inner}) == (1 == 1)`,
  (inner) => `(1 == 1) != (${inner})`,
  (inner) => `(${inner}) in [1 == 1]`,
  (inner) => `[${inner}].contains(1 == 1)`,
  (inner) => `[1 == 1].contains(${inner})`,
  (inner) => `[${inner}][0]`,
  (inner) => `!(${inner})`,
  (inner) => `!(1 == 1 && (${inner}))`,
  (inner) => `!(1 == 2 || (${inner}))`,
  (inner, index) => `[1].any(x${index}, ${inner})`,
  (inner, index) => `[1].all(x${index}, ${inner})`,
  (inner, index) => `[1].filter(x${index}, ${inner}).count() == 1`,
  (inner, index) => `[1].filter(x${index}, ${inner})[0] == 1`,
  (inner, index) => `[1].filter(x${index}, ${inner})[0..1].any(y${index}, y${index} == 1)`,
  (inner, index) => `[[${inner}].any(x${index}, x${index})][0]`,
]
const ofTransfers: readonly Wrap[] = [
  (inner) => `((${inner}) || eth.tx.value > 1) && eth.tx.gas > 2`,
  (inner, index) => `solana.tx.spl_transfers.any(x${index}, ${inner} && x${index}.amount > 1)`,
  (inner, index) => `solana.tx.spl_transfers.filter(x${index}, ${inner})[0].amount + 1 > 1`,
]
const amounts: readonly Wrap[] = [
  (inner) => `(${inner} + eth.tx.gas)`,
  (inner, index) => `([1].filter(x${index}, ${inner} > 1).count() + 1)`,
]
const lists: readonly Wrap[] = [
  (inner) => `${inner}[0..1]`,
  (inner, index) => `${inner}.filter(x${index}, x${index}.amount > 1)`,
]
const ofApprovers: readonly Wrap[] = [
  (inner, index) => `approvers.any(x${index}, ${inner} && x${index}.email == 'a')`,
  (inner, index) => `approvers.filter(x${index}, ${inner}).count() >= 1`,
  (inner, index) => `approvers.any(x${index}, x${index}.tags.any(y${index}, ${inner} && y${index} == 'a'))`,
]
const innermost = ["eth.tx.function_name == 'f'", "(eth.tx.function_name == 'f' || bitcoin.tx.fee > 1)"]

type Case = readonly [string, CompiledExpression]
const casesOf = (kind: ExpressionKind, inner: string, wraps: readonly Wrap[], end = ''): readonly Case[] =>
  wraps.map((wrap) => {
    const compile = (text: string) => (kind === 'condition' ? compileCondition : compileConsensus)(text + end)
    return [nested(inner, wrap, 2) + end, deepest(inner, wrap, compile)]
  })

test.each([
  ...innermost.flatMap((inner) => casesOf('condition', inner, [...truths, ...ofTransfers])),
  ...casesOf('condition', 'eth.tx.value', amounts, ' > 1'),
  ...casesOf('condition', 'solana.tx.spl_transfers', lists, '[0].amount > 1'),
])('a condition that is nested as deep as it may be is judged in few steps: %s', (_, compiled) => {
  expectFewLooks(compiled, ofConditions)
})

test.each([
  ...casesOf('consensus', "approvers.any(u, u.id == 'ada')", [...truths, ...ofApprovers]),
  ...casesOf(
    'consensus',
    'approvers',
    [(inner, index) => `${inner}.filter(x${index}, x${index}.id == 'a')`],
    '.count() > 0',
  ),
])('a consensus that is nested as deep as it may be is judged in few steps: %s', (_, compiled) => {
  expectFewLooks(compiled, ofConsensus)
})

function expectFewLooks(compiled: CompiledExpression, judges: readonly Judge[]): void {
  for (const [what, judge] of judges) {
    const { expression, counter } = counted(compiled.root, looksMax)
    judge({ ...compiled, root: expression })
    expect(counter.looks, what).toBeLessThanOrEqual(looksMax)
  }
}

/** To look at what is within each `!` anew takes a million and a half. */
test('a chain of `!` as long as a text may be is checked in few steps', () => {
  const text = Array.from({ length: 230 }, () => `${'!'.repeat(40)}(1 == 1)`)
    .join(' || ')
    .slice(0, 9_500)
  const whole = text.slice(0, text.lastIndexOf(' || '))
  const { expression, counter } = counted(parse(whole))
  check(expression, 'condition', whole)
  expect(counter.looks).toBeLessThanOrEqual(400_000)
})
