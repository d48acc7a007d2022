import type { Steps } from '../../protocol/tools/steps.ts'
import { namesAddress } from '../decision/other_addresses.ts'
import type { CompiledPolicy } from '../decision/policy_evaluator.ts'
import { type ActivityForm, activityForms, deedsOfQuorum, type WordField } from '../language/names/activity_forms.ts'
import { mayBeTrue } from './may_be_true.ts'
import { operandsOf } from './operands.ts'
import { knownValue, unreadableIn } from './reads.ts'
import { type Shape, unread, velocityControls } from './signing_requests.ts'

/**
 * Whether a rule is certainly true of every request of which another one certainly is, by the kinds of activities, of
 * transactions and of signers, and by the parts that both have. Requests of which the other one may be true although they
 * lack a field that it reads count too, and no part that both have is certain of them. False also where it is not known.
 */
export function* holdsWhenever(rule: CompiledPolicy, other: CompiledPolicy): Steps<boolean> {
  const all = operandsOf(rule)
  const isSame = rule.condition?.text === other.condition?.text
  // Each rule may be decided by another address of the key that signs.
  const comparable = operandsOf(other).filter(({ expression }) => isSame || !namesAddress(expression))
  const shared = new Set(comparable.map(({ text }) => text))
  const own = all.filter(({ text }) => !shared.has(text))
  const root = other.condition?.root
  let isAny = false
  for (const { shape, guarded } of activityShapes) {
    yield
    const isReadable = root === undefined || unreadableIn(root, shape).length === 0
    if (root !== undefined && ![shape, ...guarded].some((one) => mayBeTrue(root, one))) continue
    if ((isReadable ? own : all).some(({ expression }) => knownValue(expression, shape) !== true)) return false
    isAny = true
  }
  return isAny
}

/** `guarded`: the shape as a rule that guards may see it besides. */
type ActivityShape = { readonly shape: Shape; readonly guarded: readonly Shape[] }

const ofWallet: ReadonlySet<string> = new Set(['wallet', 'wallet_account'])

/** A request of each kind of activity, of transaction and of payload, by each kind of signer. */
const activityShapes: readonly ActivityShape[] = activityForms
  .filter(({ texts }) => texts.get('activity.action') !== 'READ')
  .flatMap(shapesOf)

function shapesOf(form: ActivityForm): readonly ActivityShape[] {
  const { fields, texts } = form
  if (!fields.includes('wallet') || !fields.includes('private_key')) {
    const deed = deedsOfQuorum.get(texts.get('activity.type')?.replace('ACTIVITY_TYPE_', '') ?? '')
    const unnamed = { resource: '', action: '' }
    return [
      { shape: shapeOf(form, {}), guarded: deed === undefined ? [] : [deed, unnamed].map((one) => shapeOf(form, one)) },
    ]
  }
  const bySigner = [fields.filter((field) => field !== 'private_key'), fields.filter((field) => !ofWallet.has(field))]
  return bySigner.map((left) => ({ shape: shapeOf({ ...form, fields: left }, {}), guarded: [] }))
}

function shapeOf({ texts, fields }: ActivityForm, named: Readonly<Record<string, string>>): Shape {
  const words = (names: readonly string[]) =>
    names.flatMap((name) => {
      const word = texts.get(`activity.${name}` as WordField) ?? ''
      return word === '' || unread.includes(word) ? [] : [[name.split('.').at(-1) ?? '', word]]
    })
  const activity = { ...Object.fromEntries(words(['type', 'kind', 'resource', 'action'])), ...named }
  const params = Object.fromEntries(words(['params.type', 'params.encoding']))
  return {
    known: { activity: { ...activity, params } },
    present: [...Object.keys(activity).map((name) => `activity.${name}`), ...fields, velocityControls],
    ...{ hides: [], lacks: [], nothing: [], spends: true },
  }
}
