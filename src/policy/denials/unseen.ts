import type { Steps } from '../../protocol/tools/steps.ts'
import type { CompiledPolicy } from '../decision/policy_evaluator.ts'
import { type CompiledExpression, compileCondition, truthOf } from '../decision/policy_expressions.ts'
import type { Environment } from '../language/running/evaluate.ts'
import { alternativesOf } from './alternatives.ts'
import { type Gap, gapsOf, kindOf, onlySignerOf, type SignedShape, signers, unsigned } from './gaps.ts'
import { isPlain } from './is_plain.ts'
import { meantValue } from './meant_value.ts'
import { isTrueOf, joined, type Operand, operandsOf } from './operands.ts'
import { knownValue, type Path, unreadableIn } from './reads.ts'
import { type Shape, type SigningRequests, signingRequests } from './signing_requests.ts'

/** Signing requests that a denial, or a part of it, never denies, because they lack a field that it names. */
export type Unseen = {
  /** For people, in the plural. */
  readonly requests: string
  /** The parts of the condition, if it has more with `||` between them. The others may deny the requests. */
  readonly part?: string
  /** The fields and sums that the condition names and the requests do not have. */
  readonly missingFields: readonly string[]
  /** The condition of a second denial, with the same consensus and time, that denies these requests. */
  readonly clause: string
  /** The requests that the second denial denies besides, for people. */
  readonly alsoDenies?: string
}

/**
 * Returns the signing requests that a denial cannot see, and that none of `others` denies in its place. Only denials
 * that name a part of the signed content, or the key that signs, have any. The list has only gaps that are certain for
 * any values that the requests hold. A denial of `a || b` is looked at as two, because each denies what it sees.
 */
export function* unseenBy(
  denial: CompiledPolicy,
  others: readonly CompiledPolicy[] = [],
  lesser: Deputies['lesser'] = none,
): Steps<readonly Unseen[]> {
  return yield* unseenInParts(denial, { rules: others, lesser }, unseenByOne)
}

/**
 * Rules that may see a request in the place of another one, in their order. One of the `lesser` does not, and where it is
 * true, those after it are not asked.
 */
export type Deputies = { readonly rules: readonly CompiledPolicy[]; readonly lesser: ReadonlySet<CompiledPolicy> }

const none: Deputies['lesser'] = new Set()

/** Asks `find` about a denial, or about each of its parts beside the others, and leaves out what `others` deny as it does. */
export function* unseenInParts(
  denial: CompiledPolicy,
  { rules, lesser }: Deputies,
  find: typeof unseenByOne,
): Steps<readonly Unseen[]> {
  const alternatives = alternativesOf(denial)
  const all = rules.includes(denial) ? rules : [...rules, denial]
  const deputiesOf = (one: CompiledPolicy): Deputies => {
    const siblings = alternatives.filter((other) => other !== one)
    const acting = (other: CompiledPolicy) => (actsWhenever(denial, other) ? [other] : [])
    return { rules: all.flatMap((other) => (other === denial ? siblings : acting(other))), lesser }
  }
  if (alternatives.length === 1) return yield* find(denial, deputiesOf(denial))
  const unseen = new Map<string, Unseen>()
  for (const one of alternatives) {
    const part = cut(textOf(one.condition))
    for (const found of yield* find(one, deputiesOf(one))) {
      const before = unseen.get(found.clause)
      unseen.set(found.clause, before === undefined ? { ...found, part } : together(before, { ...found, part }))
    }
  }
  return [...unseen.values()]
}

/** One clause closes the gap of both parts. */
function together(one: Unseen, other: Unseen): Unseen {
  const missingFields = [...new Set([...one.missingFields, ...other.missingFields])]
  return { ...one, missingFields, part: cut(`${one.part} || ${other.part}`) }
}

const partCharactersMax = 500

function cut(part: string): string {
  return part.length <= partCharactersMax ? part : `${part.slice(0, partCharactersMax)}…`
}

function* unseenByOne(denial: CompiledPolicy, deputies: Deputies): Steps<readonly Unseen[]> {
  const unseen: Unseen[] = []
  for (const { requests, shapes, seenKinds } of yield* gapsOf(denial)) {
    const open: SignedShape[] = []
    for (const shape of shapes) {
      const truths = truthsOf(denial, requests, shape)
      if (!(yield* isCovered(deputies, shape, truths))) open.push(shape)
      yield
    }
    for (const shapes of toldTogether(open)) {
      unseen.push(unseenIn(denial, { requests, shapes, seenKinds }))
      yield
    }
  }
  return unseen
}

/** Whether the first of the deputies that is true of each request of the shape, of which `truths` are, sees it. */
export function* isCovered({ rules, lesser }: Deputies, shape: Shape, truths: ReadonlySet<string>): Steps<boolean> {
  for (const rule of rules) {
    yield
    if (isTrueOf(rule, shape, truths)) return !lesser.has(rule)
  }
  return false
}

/**
 * Returns why a denial did not see a request, given that its condition has no value for the request for want of a
 * field. Undefined if the request is none of those that a denial like this certainly does not see.
 */
export function* unseenRequest(denial: CompiledPolicy, environment: Environment): Steps<Unseen | undefined> {
  const known = clauses.get(denial) ?? (yield* compiledClauses(denial))
  clauses.set(denial, known)
  return known.find(({ clause }) => truthOf(clause, environment) === true)?.unseen
}

type Clause = { readonly unseen: Unseen; readonly clause: CompiledExpression }
const clauses = new WeakMap<CompiledPolicy, readonly Clause[]>()

function* compiledClauses(denial: CompiledPolicy): Steps<readonly Clause[]> {
  const compiled: Clause[] = []
  for (const unseen of yield* unseenBy(denial)) {
    compiled.push({ unseen, clause: compileCondition(unseen.clause) })
    yield
  }
  return compiled
}

/** One report names all signers, unless each signs other types unseen. */
function toldTogether(shapes: readonly SignedShape[]): readonly (readonly SignedShape[])[] {
  const bySigner = [...Map.groupBy(shapes, ({ signer }) => signer).values()]
  const typesOf = bySigner.map((own) => own.map(({ type }) => type).join())
  return shapes.length === 0 || new Set(typesOf).size > 1 ? bySigner : [shapes]
}

/** Whether one denial has the consensus and the time of another, or none. */
function actsWhenever(denial: CompiledPolicy, other: CompiledPolicy): boolean {
  const isSame = (kind: 'consensus' | 'time') => ['', textOf(denial[kind])].includes(textOf(other[kind]))
  return other.effect === 'EFFECT_DENY' && isSame('consensus') && isSame('time')
}

function textOf(expression: CompiledExpression | undefined): string {
  return expression?.text ?? ''
}

/** The operands that are true of every request of the shape for which the plain operands of the denial are true. */
function truthsOf(
  denial: CompiledPolicy,
  { clauses, ...requests }: SigningRequests,
  shape: SignedShape,
): ReadonlySet<string> {
  const { type, signer } = shape
  return new Set([
    ...clauses(type === undefined ? [] : [type]),
    ...(signer === undefined ? [] : [signers[signer].clause]),
    ...plainOperands(denial, [shape], uncertainIn(requests)).map(({ text }) => text),
  ])
}

/** The operands that have a value for all of these requests. A second denial keeps them. */
export function plainOperands(
  denial: CompiledPolicy,
  shapes: readonly Shape[],
  uncertain: readonly Path[],
): readonly Operand[] {
  return operandsOf(denial).filter(({ expression }) => shapes.every((shape) => isPlain(expression, shape, uncertain)))
}

/** The fields that some of these requests lack. */
function uncertainIn({ name, partOf = name }: Pick<SigningRequests, 'name' | 'partOf'>): readonly Path[] {
  return uncertainFields.get(partOf) ?? []
}

const uncertainFields: ReadonlyMap<string, readonly Path[]> = new Map(
  signingRequests.map(({ name }) => [
    name,
    signingRequests
      .filter(({ partOf }) => partOf === name)
      .flatMap(({ shapes }) => shapes.flatMap(({ hides, lacks }) => [...hides, ...lacks])),
  ]),
)

function unseenIn(denial: CompiledPolicy, { requests, shapes, seenKinds }: Gap): Unseen {
  const { name, clauses, alsoDenies } = requests
  const types = [...new Set(shapes.flatMap(({ type }) => type ?? []))]
  const kinds = [...new Set(shapes.map(kindOf))]
  const told = types.length === 0 && seenKinds.some((kind) => !kinds.includes(kind)) ? kinds : types
  const root = denial.condition?.root
  // The clauses are true of other kinds too, so what is true of this kind alone stays.
  const ofClauses = requests.shapes.filter(({ type }) => type === undefined || types.includes(type))
  const kept = plainOperands(denial, shapes, uncertainIn(requests)).filter(
    ({ expression }) => !ofClauses.every((shape) => knownValue(expression, shape) === true),
  )
  const signer = onlySignerOf(shapes)
  const isPinned = kept.some(({ expression }) =>
    shapes.every((shape) => meantValue(expression, unsigned(shape)) === false),
  )
  const ofSigner = isPinned ? undefined : signer
  const own = [...clauses(types), ...(ofSigner === undefined ? [] : [ofSigner.clause])]
  return {
    requests: [
      told.length === 0 ? name : `${name} (${told.join(', ')})`,
      ...(ofSigner === undefined ? [] : [`signed by ${ofSigner.name}`]),
    ].join(', '),
    missingFields: [...new Set(root === undefined ? [] : shapes.flatMap((shape) => unreadableIn(root, shape)))],
    clause: joined(
      own,
      kept.map(({ text }) => text),
    ),
    ...(alsoDenies === undefined ? {} : { alsoDenies }),
  }
}
