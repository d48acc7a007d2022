import { lazily } from '../protocol/tools/lazily.ts'
import { type AboutSample, aboutSample, type PartsLeft } from './about_sample.ts'
import { everyAssignment } from './assignments.ts'
import { evaluate } from './language/evaluate.ts'
import { type ActivityForm, activityForms } from './language/names/activity_forms.ts'
import { withoutVersion } from './language/names/activity_types.ts'
import { type Budget, within } from './language/run.ts'
import { type Expression, everyPart } from './language/syntax.ts'
import type { Struct, Value } from './language/values.ts'
import { mayBeAbout } from './language/words_together.ts'
import { isNeverEmpty, unnamedValues, valuesInSample } from './limiting_terms.ts'
import type { CompiledExpression } from './policy_expressions.ts'
import { type SampleDeed, samplesFor } from './sample_deeds.ts'
import { type Term, withTerms } from './terms.ts'

/** Deeds that decide over others or over keys, widen what others may do, or tell somebody what happens. The worst first. */
export const deeds = [
  'policies',
  'credentials',
  'keyExports',
  'users',
  'mfaPolicies',
  'signatures',
  'keyDeletions',
  'keyImports',
  'organizationSettings',
  'webhooks',
  'sessionProfiles',
  'contractInterfaces',
  'keyNames',
  'appDeployments',
] as const
export type Deed = (typeof deeds)[number]

/** By the name of the type, by resource and action, or by the resource: the first that is here. */
const deedsOf: ReadonlyMap<string, Deed | 'harmless'> = new Map<string, Deed | 'harmless'>([
  // A login proves who logs in, and mails go to whom the user named.
  ['OAUTH2_AUTHENTICATE', 'harmless'],
  ['OAUTH_LOGIN', 'harmless'],
  ['OTP_LOGIN', 'harmless'],
  ['STAMP_LOGIN', 'harmless'],
  ['AUTH', 'organizationSettings'],
  ['OTP', 'harmless'],
  ['RECOVERY', 'harmless'],
  ['POLICY', 'policies'],
  ['CREDENTIAL', 'credentials'],
  ['INVITATION DELETE', 'harmless'],
  ['INVITATION', 'users'],
  // No rule names a new tag.
  ['CREATE_USER_TAG', 'harmless'],
  // Everybody says which notices to get, for nobody else.
  ['SET_NOTICE_PREFERENCES', 'harmless'],
  ['USER', 'users'],
  ['MFA_POLICY', 'mfaPolicies'],
  ['ON_RAMP_CREDENTIALS', 'organizationSettings'],
  // It has users of its own.
  ['ORGANIZATION CREATE', 'harmless'],
  ['ORGANIZATION', 'organizationSettings'],
  ['PRIVATE_KEY CREATE', 'harmless'],
  ['PRIVATE_KEY UPDATE', 'keyNames'],
  ['PRIVATE_KEY SIGN', 'signatures'],
  ['PRIVATE_KEY EXPORT', 'keyExports'],
  ['PRIVATE_KEY IMPORT', 'keyImports'],
  ['DELETE_PRIVATE_KEY_TAGS', 'keyNames'],
  ['PRIVATE_KEY DELETE', 'keyDeletions'],
  ['WALLET CREATE', 'harmless'],
  ['WALLET UPDATE', 'keyNames'],
  ['WALLET SIGN', 'signatures'],
  ['WALLET EXPORT', 'keyExports'],
  ['WALLET IMPORT', 'keyImports'],
  ['WALLET DELETE', 'keyDeletions'],
  ['SESSION_PROFILE', 'sessionProfiles'],
  ['SMART_CONTRACT_INTERFACE', 'contractInterfaces'],
  ['TVC_APP', 'appDeployments'],
  ['TVC_DEPLOYMENT', 'appDeployments'],
  // It goes to the address that the endpoint has.
  ['REPLAY_WEBHOOK_DELIVERY', 'harmless'],
  ['WEBHOOK_ENDPOINT', 'webhooks'],
])

/** The deed of an activity. One that the table lacks counts as one that decides over others. Only policies count. */
export function deedOf({ texts }: Pick<ActivityForm, 'texts'>): Deed | 'harmless' | 'noPolicies' {
  const [resource, action] = [texts.get('activity.resource'), texts.get('activity.action')]
  if (resource === undefined || resource === '') return 'noPolicies'
  const name = texts.get('activity.type')?.replace('ACTIVITY_TYPE_', '') ?? ''
  return deedsOf.get(name) ?? deedsOf.get(`${resource} ${action}`) ?? deedsOf.get(resource) ?? 'organizationSettings'
}

const graveForms = activityForms.flatMap((form) => {
  const deed = deedOf(form)
  return deed === 'noPolicies' || deed === 'harmless' ? [] : [{ deed, form }]
})

/** For all values that are tried. Beyond them, a condition counts as one that opens a deed. */
const stepsMax = 25_000

/** For all samples together, which are many for some chains. A condition that is too long for them counts so too. */
const stepsOfSamplesMax = 100_000
const partsOfSamplesMax = 60_000

function budgetOf(most: number): Budget {
  return { stepsMax: most, meter: { steps: 0 } }
}

function isSpent({ meter, stepsMax: most }: Budget): boolean {
  return meter.steps > most
}

/** Gas, fees and the like have several values each. */
const assignmentsMax = 2_048

/** What an organization has, as conditions see it: the structs `wallet` and `private_key`. */
export type OwnKeys = { readonly wallets: readonly Struct[]; readonly privateKeys: readonly Struct[] }

const noKeys: OwnKeys = { wallets: [], privateKeys: [] }

/**
 * The deeds that a condition allows without naming what they are about. A wallet, key, account, recipient, contract or
 * amount that it names limits signatures, exports and deletions, unless an empty list is enough, or it names every wallet
 * or private key of several, or an amount that nobody has. Nothing that it names makes the others harmless.
 */
export function openedDeeds(condition: CompiledExpression, own: OwnKeys = noKeys): readonly Deed[] {
  const parts = { condition, ...withTerms(condition), facts: {} }
  const judged = { ...parts, budget: budgetOf(stepsMax) }
  const ofEvery = { ...parts, budget: budgetOf(stepsMax) }
  const together = { budget: budgetOf(stepsOfSamplesMax), length: { partsLeft: partsOfSamplesMax } }
  const ofSamples = samplesFor(condition.root).map(({ chain, ...sample }) => {
    return { chain, judged: lazily(() => aboutHarm(condition, sample, together)) }
  })
  const opened = new Set<Deed>()
  for (const { deed, form } of graveForms) {
    if (opened.has(deed) || !mayBeAbout(form, condition.root)) continue
    const isNamingNone = isOpened(judged, { deed, form, key: {} })
    const keysOfAll = everyKey(form, own, condition)
    const isOpen =
      isNamingNone ||
      keysOfAll.some((keys) => namesAll(ofEvery, { deed, form, keys })) ||
      (deed === 'signatures' && ofSamples.some((sample) => letsHarm(sample, { deed, form }, keysOfAll)))
    if (isOpen) opened.add(deed)
  }
  return deeds.filter((deed) => opened.has(deed))
}

/** `facts`: what is known of what is signed. `sample`: what a condition asks of a sample beyond that. */
type Judged = ReturnType<typeof withTerms> & {
  readonly condition: CompiledExpression
  readonly budget: Budget
  readonly facts: Struct
  readonly sample?: AboutSample
}
type Asked = { readonly deed: Deed; readonly form: ActivityForm }

type Harm = { readonly chain: SampleDeed['chain']; readonly judged: () => Judged | undefined }
type Together = { readonly budget: Budget; readonly length: PartsLeft }

function aboutHarm(
  condition: CompiledExpression,
  sample: Omit<SampleDeed, 'chain'>,
  { budget, length }: Together,
): Judged | undefined {
  const about = aboutSample(condition, sample, length)
  if (about === undefined) return undefined
  const terms = withTerms({ ...condition, root: about.root }, about.variables)
  return { ...terms, condition, sample: about, facts: about.facts, budget }
}

/** Whether a sample is allowed, of a wallet or key that the condition does not name, or of each of several. */
function letsHarm({ chain, judged: judge }: Harm, asked: Asked, keysOfAll: readonly (readonly Struct[])[]): boolean {
  if (!asked.form.fields.some((field) => field === chain || field === `${chain}.tx`)) return false
  const judged = judge()
  if (judged === undefined) return true
  return isOpened(judged, { ...asked, key: {} }) || keysOfAll.some((keys) => namesAll(judged, { ...asked, keys }))
}

/** A single wallet or key may be named: that is how one allows something with it. */
function namesAll(judged: Judged, { keys, ...asked }: Asked & { readonly keys: readonly Struct[] }): boolean {
  return limited.has(asked.deed) && keys.length > 1 && keys.every((key) => isOpened(judged, { ...asked, key }))
}

/** All wallets, and all private keys, as such an activity may be about each. Tests of the list `wallets` name it too. */
function everyKey({ fields }: ActivityForm, { wallets, privateKeys }: OwnKeys, { root }: CompiledExpression) {
  const variables = [...everyPart(root)].flatMap((part) =>
    part.kind === 'predicate' && part.of.kind === 'name' && part.of.name === 'wallets' ? [part.variable] : [],
  )
  const ofWallet = (wallet: Struct) => Object.fromEntries(['wallet', ...variables].map((name) => [name, wallet]))
  return [
    fields.some((field) => field === 'wallet' || field === 'wallets') ? wallets.map(ofWallet) : [],
    fields.includes('private_key') ? privateKeys.map((key) => ({ private_key: key })) : [],
  ]
}

/** `key`: facts of the wallet or private key that it is about. */
function isOpened(
  { condition, budget, root, terms, facts: signed, sample }: Judged,
  { deed, form, key }: Asked & { readonly key: Struct },
): boolean {
  for (const known of factsOf(form, condition)) {
    const facts = { ...known, ...key, ...signed }
    const about = { deed, facts, budget }
    const possible = terms.map((term) => ({
      ...term,
      values: (sample && valuesInSample(term, sample)) ?? possibleValues(term, about),
    }))
    if (sample !== undefined && isFalse(root, possible, budget)) continue
    const assignments = everyAssignment(possible, assignmentsMax)
    if (assignments === undefined) return true
    for (const keywords of assignments) {
      const evaluation = evaluate(root, within(budget, { keywords }))
      if (isSpent(budget) || (evaluation.kind === 'value' && evaluation.value === true)) return true
    }
  }
  return false
}

/** Whether the terms that have one value decide. The others need not be tried then, however many they are. */
function isFalse(root: Expression, terms: readonly Pick<Term, 'name' | 'values'>[], budget: Budget): boolean {
  const single = terms.filter(({ values }) => values.length === 1)
  const keywords = Object.fromEntries(single.map(({ name, values: [value] }) => [name, value]))
  const evaluation = evaluate(root, within(budget, { keywords }))
  return evaluation.kind === 'value' && evaluation.value === false
}

/** What is known of such an activity. A condition may name its type with a version. */
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
  const written = [...everyPart(root)].flatMap((part) =>
    part.kind === 'string' && withoutVersion(part.value) === type ? [part.value] : [],
  )
  return [...new Set([type, ...written])].map((one) => ({ activity: { ...given, type: one } }))
}

type About = { readonly deed: Deed; readonly facts: Struct; readonly budget: Budget }

/** The values of a part that such an activity may have without being what the condition names. */
function possibleValues(term: Term, { deed, facts, budget }: About): Term['values'] {
  const { part, type, values } = term
  const known = evaluate(part, within(budget, { keywords: facts }))
  if (known.kind === 'value' && isScalarValue(known.value)) return [known.value]
  const isWord = type.kind === 'string' && type.oneOf !== undefined
  // A request without an item is about nothing.
  if (part.kind === 'count' && isNeverEmpty(part.of)) return values.filter((value) => value !== 0n)
  if (isWord || part.kind === 'count' || part.kind === 'predicate' || !limited.has(deed)) return values
  return unnamedValues(term)
}

function isScalarValue(value: Value): value is Term['values'][number] {
  return ['boolean', 'bigint', 'string'].includes(typeof value)
}

const limited: ReadonlySet<Deed> = new Set<Deed>(['signatures', 'keyExports', 'keyDeletions'])
