import { type RecentChange, tagged } from '../../../contract/records/recent_changes.ts'
import type { Policy, RecordKind } from '../../../contract/records/records.ts'
import { compiledOf } from '../../../deciding/rules/compiled_policies.ts'
import {
  type Attribute,
  type AttributeTest,
  attributeTests,
  goesBy,
} from '../../../policy/about_rules/attribute_tests.ts'
import { compileCondition, compileConsensus, compileScope } from '../../../policy/decision/policy_expressions.ts'
import { type Budget, stepsOfPoliciesMax } from '../../../policy/language/running/run.ts'
import { Failure, orFailure } from '../../../protocol/wire/failures.ts'
import { namedTextsIn } from './parameters_in.ts'

/** Rules, by what they compare names, addresses and tags of records with. */
export type RulesByValues = { readonly tests: readonly AttributeTest[]; readonly budget: Budget }

export function rulesByValues(tests: readonly AttributeTest[]): RulesByValues {
  return { tests, budget: { stepsMax: stepsOfPoliciesMax, meter: { steps: 0 } } }
}

const ofUsers = {
  name: { of: 'approvers', field: 'alias' },
  address: { of: 'approvers', field: 'email' },
  [tagged]: { of: 'approvers', field: 'tags' },
} as const

/** The values by which a record is known, as expressions call them. They name no other ones. */
const attributes: { readonly [K in RecordKind]?: Readonly<Record<string, Attribute>> } = {
  user: ofUsers,
  invitation: ofUsers,
  wallet: { name: { of: 'wallet', field: 'label' } },
  private_key: { name: { of: 'private_key', field: 'label' }, [tagged]: { of: 'private_key', field: 'tags' } },
}

/**
 * Whether a value that a record of this kind got or lost matters to one of the rules. A value that is too short for what a
 * rule compares matters only to who had another one: a record that is new was not meant before either.
 */
export function goByValue(
  { tests, budget }: RulesByValues,
  {
    kind,
    isNew,
    value: { what, value },
  }: { readonly kind: RecordKind; readonly isNew: boolean; readonly value: Omit<RecentChange, 'atMs'> },
): boolean {
  const attribute = attributes[kind]?.[what]
  if (attribute === undefined) return false
  if (value === undefined) return tests.some(({ of, field }) => of === attribute.of && field === attribute.field)
  return goesBy(tests, attribute, value, budget) ?? !isNew
}

export function testsOfPolicy(policy: Policy): readonly AttributeTest[] {
  const { condition, consensus } = compiledOf(policy)
  return [condition, consensus].flatMap(({ root }) => attributeTests(root))
}

/** Those of the expressions in the parameters of a request. One that does not compile ends the request anyway. */
export function testsGiven(parameters: unknown): readonly AttributeTest[] {
  return [...namedTextsIn(parameters)].flatMap(([name, text]) => {
    const compile = compilers.find(([names]) => names.test(name))?.[1]
    return compile === undefined ? [] : testsOf(() => compile(text))
  })
}

const compilers = [
  [/consensus$/i, compileConsensus],
  [/condition$/i, compileCondition],
  [/^scope$/, compileScope],
] as const

export function testsOf(compile: () => ReturnType<typeof compileCondition>): readonly AttributeTest[] {
  const compiled = orFailure(compile)
  return compiled instanceof Failure ? [] : attributeTests(compiled.root)
}
