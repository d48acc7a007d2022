import { everyAssignment } from './assignments.ts'
import type { StepMeter } from './language/environment.ts'
import { evaluate } from './language/evaluate.ts'
import { type ActivityForm, activityForms } from './language/names/activity_forms.ts'
import { withoutVersion } from './language/names/activity_types.ts'
import { everyPart } from './language/syntax.ts'
import type { Struct } from './language/values.ts'
import { mayBeAbout } from './language/words_together.ts'
import type { CompiledExpression } from './policy_expressions.ts'
import { type Term, withTerms } from './terms.ts'

/** Deeds that decide over others or over keys, the worst first. */
const deeds = [
  'policies',
  'credentials',
  'keyExports',
  'users',
  'mfaPolicies',
  'signatures',
  'keyDeletions',
  'organizationSettings',
] as const
type Deed = (typeof deeds)[number]

/** By the resource, by the action, or by both. */
const deedsOf: ReadonlyMap<string, Deed> = new Map<string, Deed>([
  ['POLICY', 'policies'],
  ['CREDENTIAL', 'credentials'],
  ['INVITATION CREATE', 'users'],
  ['USER', 'users'],
  ['MFA_POLICY', 'mfaPolicies'],
  ['PRIVATE_KEY EXPORT', 'keyExports'],
  ['WALLET EXPORT', 'keyExports'],
  ['PRIVATE_KEY SIGN', 'signatures'],
  ['PRIVATE_KEY DELETE', 'keyDeletions'],
  ['WALLET DELETE', 'keyDeletions'],
  ['ORGANIZATION UPDATE', 'organizationSettings'],
  ['ORGANIZATION DELETE', 'organizationSettings'],
])

/** Activities of these resources that give nobody anything. */
const harmless = new Set(['SET_NOTICE_PREFERENCES', 'CREATE_USER_TAG', 'DELETE_PRIVATE_KEY_TAGS'])

const graveForms = activityForms.flatMap((form) => {
  const [resource = '', action = ''] = [form.texts.get('activity.resource'), form.texts.get('activity.action')]
  const deed = deedsOf.get(resource) ?? deedsOf.get(`${resource} ${action}`)
  return deed === undefined || harmless.has(form.texts.get('activity.kind') ?? '') ? [] : [{ deed, form }]
})

/** Beyond them, a condition counts as one that opens a deed. */
const stepsMax = 200_000

/**
 * The deeds that a condition allows without naming what they are about. A key, an account or an amount that it names
 * limits signatures, exports and deletions. Nothing that it names makes the others harmless.
 */
export function openedDeeds(condition: CompiledExpression): readonly Deed[] {
  const judged = { condition, meter: { steps: 0 }, ...withTerms(condition) }
  const opened = new Set<Deed>()
  for (const { deed, form } of graveForms) {
    if (!opened.has(deed) && mayBeAbout(form, condition.root) && isOpened(judged, deed, form)) opened.add(deed)
  }
  return deeds.filter((deed) => opened.has(deed))
}

type Judged = ReturnType<typeof withTerms> & { readonly condition: CompiledExpression; readonly meter: StepMeter }

function isOpened({ condition, meter, root, terms }: Judged, deed: Deed, form: ActivityForm): boolean {
  for (const known of factsOf(form, condition)) {
    const possible = terms.map((term) => ({ ...term, values: possibleValues(term, deed, known) }))
    const assignments = everyAssignment(possible)
    if (assignments === undefined) return true
    for (const keywords of assignments) {
      if (meter.steps > stepsMax) return true
      const evaluation = evaluate(root, { keywords, meter })
      if (evaluation.kind === 'value' && evaluation.value === true) return true
    }
  }
  return false
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

/** The values of a part that such an activity may have without being what the condition names. */
function possibleValues({ part, type, values }: Term, deed: Deed, keywords: Struct): Term['values'] {
  const known = evaluate(part, { keywords, stepsMax })
  if (known.kind === 'value' && ['boolean', 'bigint', 'string'].includes(typeof known.value))
    return [known.value as Term['values'][number]]
  const isWord = type.kind === 'string' && type.oneOf !== undefined
  // A request without an item is about nothing.
  if (part.kind === 'count' && type.kind === 'bool') return [true]
  if (isWord || part.kind === 'count' || part.kind === 'predicate') return values
  const [unnamed] = values
  const isLimit = deed === 'signatures' || part.kind === 'contains' || typeof unnamed === 'string'
  return limited.has(deed) && isLimit && unnamed !== undefined ? [unnamed] : values
}

const limited: ReadonlySet<Deed> = new Set<Deed>(['signatures', 'keyExports', 'keyDeletions'])
