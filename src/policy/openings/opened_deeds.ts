import { lazilyInSteps } from '../../protocol/tools/lazily.ts'
import { onceFor } from '../../protocol/tools/once_for.ts'
import { oneStep, type Steps } from '../../protocol/tools/steps.ts'
import type { CompiledExpression } from '../decision/policy_expressions.ts'
import { mayBeAbout } from '../language/contradictions/words_together.ts'
import type { Struct, Value } from '../language/expression_values.ts'
import type { ActivityForm } from '../language/names/activity_forms.ts'
import { withoutVersion } from '../language/names/activity_types.ts'
import { evaluate } from '../language/running/evaluate.ts'
import { lacksField, requiredFields } from '../language/running/required_fields.ts'
import { type Budget, within } from '../language/running/run.ts'
import { type Expression, everyPart, textsIn } from '../language/syntax.ts'
import { type Deed, deeds, formsOfKinds, graveForPolicies, graveForSessions, type Kind, kinds } from './deeds.ts'
import { type Controls, valuesOfControl } from './limiting_controls.ts'
import { isNeverEmpty, unnamedValues, valuesInSample } from './limiting_terms.ts'
import {
  type AboutSample,
  type AskedOfLists,
  aboutSample,
  askedOfLists,
  type PartsLeft,
} from './samples/about_sample.ts'
import { type SampleDeed, samplesFor, type Taken } from './samples/sample_deeds.ts'
import { isPastAlone, needsSum } from './sums.ts'
import {
  canHold,
  everyInSteps,
  independentParts,
  isSpent,
  some,
  someInSteps,
  type Told,
  toldBy,
} from './trials/independent_parts.ts'
import { type Term, termsInSteps } from './trials/terms.ts'
import { withoutFilters } from './trials/without_filters.ts'

/** For all values that are tried. Beyond them, nobody can tell. */
const stepsMax = 25_000

/** For all samples together, which are many for some chains. */
const stepsOfSamplesMax = 100_000
const partsOfSamplesMax = 60_000

function budgetOf(most: number): Budget {
  return { stepsMax: most, meter: { steps: 0 } }
}

/**
 * Things of an organization: its keys, as conditions see them (the structs `wallet` and `private_key`), and its velocity
 * controls.
 */
export type Own = {
  readonly wallets: readonly Struct[]
  readonly privateKeys: readonly Struct[]
  readonly controls: Controls
}

const nothing: Own = { wallets: [], privateKeys: [], controls: new Map() }

/** Deeds in their order, the worst first. `untold`: those of which it takes too many steps to tell. */
export type Judgement = { readonly opened: readonly Deed[]; readonly untold: readonly Deed[] }

/**
 * The deeds that a condition allows without naming what they are about. A wallet, key, account, recipient, contract or
 * amount that it names limits signatures, exports and deletions, unless an empty list is enough, or it names every wallet
 * or private key of several, or an amount that nobody has. Nothing that it names makes the others harmless.
 */
export function judgeDeeds(condition: CompiledExpression, own?: Partial<Own>): Steps<Judgement> {
  return judgedAmong(condition, graveForPolicies, { ...nothing, ...own })
}

/** The same of the scope of a session's profile, which does not bind another login of the user. */
export function judgeScope(scope: CompiledExpression): Steps<Judgement> {
  return judgedAmong(scope, graveForSessions, nothing)
}

function* judgedAmong(written: CompiledExpression, grave: typeof graveForPolicies, own: Own): Steps<Judgement> {
  const condition = { ...written, root: withoutFilters(written.root) }
  const parts = { condition, ...inParts(yield* termsInSteps(condition)), facts: {}, controls: own.controls }
  const alone = { ...parts, budget: budgetOf(stepsMax) }
  const ofEvery = { ...parts, budget: budgetOf(stepsMax) }
  const together = {
    asked: askedOfLists(condition.root),
    budget: budgetOf(stepsOfSamplesMax),
    length: { partsLeft: partsOfSamplesMax },
  }
  const ofSamples = samplesFor(condition.root).map(({ chain, ...sample }) => {
    return { chain, judged: lazilyInSteps(() => aboutHarm(condition, sample, { ...together, controls: own.controls })) }
  })
  const told = new Map<Deed, Told>()
  for (const { deed, form } of grave) {
    yield
    if (told.get(deed) === true || !isAbout(form, condition.root)) continue
    const keysOfAll = everyKey(form, own, condition)
    const ways = [
      () => oneStep(() => told.get(deed) ?? (told.has(deed) ? undefined : false)),
      () => isOpened(alone, { deed, form, key: {} }),
      ...keysOfAll.map((keys) => () => namesAll(ofEvery, { deed, form, keys })),
      ...(deed === 'signatures' ? ofSamples : []).map((sample) => () => letsHarm(sample, { deed, form }, keysOfAll)),
    ]
    told.set(deed, yield* someInSteps(ways))
  }
  return {
    opened: deeds.filter((deed) => told.get(deed) === true),
    untold: deeds.filter((deed) => told.has(deed) && told.get(deed) === undefined),
  }
}

/** The deeds that a condition opens, or may open for all that can be told. */
export function* openedDeeds(condition: CompiledExpression, own?: Partial<Own>): Steps<readonly Deed[]> {
  const { opened, untold } = yield* judgeDeeds(condition, own)
  return deeds.filter((deed) => opened.includes(deed) || untold.includes(deed))
}

/**
 * The kinds of activities of which a condition may be true. Only what the kind itself decides is known of an activity, so
 * no other is possible, whatever values there are.
 */
export function* reachedKinds(condition: CompiledExpression): Steps<readonly Kind[]> {
  const { root, terms } = yield* termsInSteps(condition)
  const budget = budgetOf(stepsMax)
  const reached = new Set<Kind>()
  for (const { kind, form } of formsOfKinds) {
    yield
    if (reached.has(kind) || !isAbout(form, condition.root)) continue
    const told = some(
      factsOf(form, condition).map((facts) => () => {
        const known = terms.flatMap(({ name, part }) => {
          const value = knownValue(part, { facts, budget })
          return value === undefined ? [] : [[name, value] as const]
        })
        return toldBy(root, new Map(known), budget)
      }),
    )
    if (told !== false) reached.add(kind)
  }
  return kinds.filter((kind) => reached.has(kind))
}

/**
 * `facts`: what is known of what is signed. `sample`: what a condition asks of a sample beyond that, and `taken` what the
 * sample takes.
 */
type Judged = {
  readonly parts: ReturnType<typeof independentParts>
  readonly terms: readonly Term[]
  readonly condition: CompiledExpression
  readonly budget: Budget
  readonly facts: Struct
  readonly controls: Controls
  readonly sample?: AboutSample
  readonly taken?: Taken
}
type DeedOfForm = { readonly deed: Deed; readonly form: ActivityForm }

type Harm = { readonly chain: SampleDeed['chain']; readonly judged: () => Steps<Judged | undefined> }
type Together = {
  readonly asked: AskedOfLists
  readonly budget: Budget
  readonly length: PartsLeft
  readonly controls: Controls
}

function inParts({ root, terms }: Pick<Judged, 'terms'> & { readonly root: Expression }) {
  return { parts: independentParts(root), terms }
}

function* aboutHarm(
  condition: CompiledExpression,
  sample: Omit<SampleDeed, 'chain'>,
  { asked, budget, length, controls }: Together,
): Steps<Judged | undefined> {
  const about = yield* aboutSample(condition, { sample, asked, length })
  if (about === undefined) return undefined
  const terms = inParts(yield* termsInSteps({ ...condition, root: about.root }, about.variables))
  yield
  return { ...terms, condition, sample: about, taken: sample.taken, facts: about.facts, controls, budget }
}

/** Whether a sample is allowed, of a wallet or key that the condition does not name, or of each of several. */
function* letsHarm(
  { chain, judged: judge }: Harm,
  asked: DeedOfForm,
  keysOfAll: readonly (readonly Struct[])[],
): Steps<Told> {
  if (!asked.form.fields.some((field) => field === chain || field === `${chain}.tx`)) return false
  const judged = yield* judge()
  if (judged === undefined) return undefined
  return yield* someInSteps([
    () => isOpened(judged, { ...asked, key: {} }),
    ...keysOfAll.map((keys) => () => namesAll(judged, { ...asked, keys })),
  ])
}

/** A single wallet or key may be named: that is how one allows something with it. */
function* namesAll(judged: Judged, { keys, ...asked }: DeedOfForm & { readonly keys: readonly Struct[] }): Steps<Told> {
  if (!limited.has(asked.deed) || keys.length < 2) return false
  return yield* everyInSteps(keys.map((key) => () => isOpened(judged, { ...asked, key })))
}

/** All wallets, and all private keys, as such an activity may be about each. Tests of the list `wallets` name it too. */
function everyKey({ fields }: ActivityForm, { wallets, privateKeys }: Own, { root }: CompiledExpression) {
  const names = ['wallet', ...variablesOfWallets(root)]
  const ofWallet = (wallet: Struct) => Object.fromEntries(names.map((name) => [name, wallet]))
  return [
    fields.some((field) => field === 'wallet' || field === 'wallets') ? wallets.map(ofWallet) : [],
    fields.includes('private_key') ? privateKeys.map((key) => ({ private_key: key })) : [],
  ]
}

const variablesOfWallets = onceFor((root: Expression): ReadonlySet<string> => {
  const variables = [...everyPart(root)].flatMap((part) =>
    part.kind === 'predicate' && part.of.kind === 'name' && part.of.name === 'wallets' ? [part.variable] : [],
  )
  return new Set(variables)
})

/** `key`: facts of the wallet or private key that it is about. */
function* isOpened(judged: Judged, { deed, form, key }: DeedOfForm & { readonly key: Struct }): Steps<Told> {
  const { condition, budget, parts, terms, facts: signed, sample, controls, taken } = judged
  // Each key would be tried in vain.
  if (isSpent(budget)) return undefined
  return yield* someInSteps(
    factsOf(form, condition).map((known) => () => {
      const facts = { ...known, ...key, ...signed }
      const about = { deed, form, facts, budget, controls, taken, root: condition.root }
      const values = new Map(
        terms.map((term) => [term.name, (sample && valuesInSample(term, sample)) ?? possibleValues(term, about)]),
      )
      return canHold(parts, values, budget)
    }),
  )
}

function isAbout(form: ActivityForm, root: Expression): boolean {
  const isTransaction = form.texts.get('activity.kind') === 'SIGN_TRANSACTION'
  return mayBeAbout(form, root) && (isTransaction || !needsSum(root))
}

/** The facts that are known of such an activity. A condition may name its type with a version. */
function factsOf({ texts }: ActivityForm, { root }: CompiledExpression): readonly Struct[] {
  const text = (field: Parameters<typeof texts.get>[0]) => texts.get(field) ?? ''
  const [type, signed, encoding] = [
    text('activity.type'),
    texts.get('activity.params.type'),
    texts.get('activity.params.encoding'),
  ]
  const params = { ...(signed && { type: signed }), ...(encoding && { encoding }) }
  const given = {
    resource: text('activity.resource'),
    action: text('activity.action'),
    kind: text('activity.kind'),
    params,
  }
  const written = typesIn(root).get(type) ?? []
  return [...new Set([type, ...written])].map((one) => ({ activity: { ...given, type: one } }))
}

/** The written texts by the type that they are a version of. */
const typesIn = onceFor((root: Expression) => Map.groupBy(textsIn(root), withoutVersion))

type About = DeedOfForm & {
  readonly facts: Struct
  readonly budget: Budget
  readonly controls: Controls
  readonly taken: Taken | undefined
  readonly root: Expression
}

/** The values of a part that such an activity may have without being what the condition names. */
function possibleValues(term: Term, { deed, facts, budget, ...about }: About): Term['values'] {
  const { part, type, values } = term
  if (isPastAlone(about.root, part)) return values
  const known = knownValue(part, { facts, budget })
  if (known !== undefined) return [known]
  const isWord = type.kind === 'string' && type.oneOf !== undefined
  // A request without an item is about nothing.
  if (part.kind === 'count' && isNeverEmpty(part.of)) return values.filter((value) => value !== 0n)
  if (isWord || part.kind === 'count' || part.kind === 'predicate' || !limited.has(deed)) return values
  return valuesOfControl(part, about) ?? unnamedValues(term)
}

/** The values of most parts are not known. To look takes far less time than to throw and catch. */
function knownValue(part: Expression, { facts, budget }: Pick<About, 'facts' | 'budget'>) {
  budget.meter.steps += 1
  if (lacksField(facts, requiredFields(part))) return undefined
  const known = evaluate(part, within(budget, { keywords: facts }))
  return known.kind === 'value' && isScalarValue(known.value) ? known.value : undefined
}

function isScalarValue(value: Value): value is Term['values'][number] {
  return ['boolean', 'bigint', 'string'].includes(typeof value)
}

const limited: ReadonlySet<Deed> = new Set<Deed>(['signatures', 'keyExports', 'keyDeletions'])
