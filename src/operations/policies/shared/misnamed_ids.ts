import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Note } from '../../../contract/explanation/explanation.ts'
import { list, namedInTitle, noteOf, text, wholeText } from '../../../contract/explanation/shown_values.ts'
import type { NeededApprovals } from '../../../policy/about_rules/needed_approvals.ts'
import { defaultSessionProfileId } from '../../../policy/authentication_methods.ts'
import type { CompiledExpression } from '../../../policy/decision/policy_expressions.ts'
import { textsIn } from '../../../policy/language/syntax.ts'
import { isUuid } from '../../../protocol/wire/identifiers.ts'

type Expressions = Readonly<Record<'condition' | 'consensus', CompiledExpression>>

/**
 * The ids that a policy names and that nothing has, and those of what is of another kind than the policy means, as the id
 * of a user among tags. An older request may name what was there then.
 */
export function misnamedIn(policyName: string, { condition, consensus }: Expressions, now: Now): readonly Note[] {
  if (!now.isBefore) return []
  const all = [condition, consensus]
  const written = new Set(all.flatMap(({ root }) => textsIn(root).filter(isUuid)))
  const unknown = [...written].filter((id) => id !== defaultSessionProfileId && !now.exists(id))
  const compared = all.flatMap(({ ids }) => ids)
  const others = new Set(compared.filter((one) => now.exists(one.id) && !isOfKind(one, now)).map(({ id }) => id))
  const name = wholeText(policyName)
  const shown = list(namedInTitle(unknown.map((id) => text(id))))
  return [
    ...(unknown.length === 0 ? [] : [noteOf('namesUnknown', name, shown)]),
    ...(others.size === 0
      ? []
      : [noteOf('namesOtherKind', name, list(namedInTitle([...others].map((id) => now.named(id)))))]),
  ]
}

/** Whether a consensus asks for more users than it names. A tag may have any number of them. */
export function isTooFew({ count, among = [] }: NeededApprovals, { ids }: CompiledExpression, now: Now): boolean {
  if (!now.isBefore) return false
  const right = among.filter((id) => ids.some((one) => one.id === id.toLowerCase() && isOfKind(one, now)))
  return right.length < count && !right.some((id) => now.find('user_tag', id.toLowerCase()) !== undefined)
}

function isOfKind({ id, kinds }: CompiledExpression['ids'][number], now: Pick<Now, 'named'>): boolean {
  const named = now.named(id)
  return named.kind === 'id' && kinds.some((kind) => kind === named.of)
}
