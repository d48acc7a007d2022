import type { Struct, Value } from '../policy/language/expression_values.ts'
import { activityKindOf, exposedParameters, withoutVersion } from '../policy/language/names/activity_types.ts'
import type { Type } from '../policy/language/names/types.ts'
import type { Policy } from './define.ts'

type RequestedActivity = {
  readonly type: string
  readonly policy: Policy
  readonly parameters: unknown
}

/** `activity` in conditions. Its `params` are the parameters that docs/policies.md lists. */
export function activityFacts({ type, policy, parameters }: RequestedActivity): Struct {
  const kind = activityKindOf(type)
  const named = typeof policy === 'string' ? {} : { resource: policy.resource, action: policy.action }
  const given = new Map(Object.entries(parameters ?? {}).map(([name, value]) => [snakeCase(name), value]))
  // An absent parameter is the empty text, so that conditions can compare it.
  const params = [...exposedParameters(kind ?? '')].map(([name, type]) => [name, asValue(given.get(name) ?? '', type)])
  return { type: withoutVersion(type), kind, ...named, params: Object.fromEntries(params) }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/**
 * Converts JSON to values of the policy language: names to snake case, whole numbers to integers. A text of a form gets
 * the one spelling of that form. The caller chose the other, which could evade a rule.
 */
function asValue(json: unknown, type: Type | undefined): Value {
  if (typeof json === 'string') return (type?.kind === 'string' ? type.form?.canonical(json) : undefined) ?? json
  if (typeof json === 'boolean') return json
  if (typeof json === 'number') return BigInt(json)
  if (Array.isArray(json)) return json.map((item) => asValue(item, type?.kind === 'list' ? type.item : undefined))
  const fields = Object.entries(json ?? {}).map(([name, value]) => [snakeCase(name), value] as const)
  const types = type?.kind === 'struct' ? type.fields : undefined
  return Object.fromEntries(fields.map(([name, value]) => [name, asValue(value, types?.get(name))]))
}
