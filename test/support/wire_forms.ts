import { readFileSync } from 'node:fs'
import { operations } from '../../src/operations/catalogue.ts'

/**
 * How a value looks on the wire: a primitive (`string`, `boolean`, `integer`), the name of a record or an enum, the
 * values of an enum, a list of the one form that it holds, or an object whose optional fields end in `?`.
 */
export type Form = string | readonly [Form] | ReadonlySet<string> | { readonly [field: string]: Form }

type Names = {
  readonly operations: Readonly<Record<string, WireOperation>>
  readonly records: Readonly<Record<string, Form>>
  readonly enums: Readonly<Record<string, readonly string[]>>
}

export type WireOperation = {
  readonly path: string
  readonly kind: 'query' | 'activity' | 'internal'
  /** The newest first. */
  readonly types?: readonly [string, ...string[]]
  readonly intentKey?: string
  readonly resultKey?: string
  readonly policy?: unknown
  readonly parameters: Form
  readonly result: Form
}

export const wireNames: Names = JSON.parse(readFileSync(new URL('../vectors/wire_names.json', import.meta.url), 'utf8'))

/** Claviger's own operations, which neither the vectors nor a client package knows. */
export const ownOperations = operations.filter(({ isOwn }) => isOwn).map(({ name }) => name)

/** Values of enums that Claviger refuses, because nothing here stands behind them. */
const refusedValues: readonly string[] = ['TRANSACTION_TYPE_TEMPO']

/** Claviger's own values of enums. A client gets one only where an organization has set it. */
const ownValues: readonly string[] = ['FEATURE_NAME_SUB_ORGANIZATION_MAILS']

/** Claviger's own members of requests and results. They are optional, so that no client can need them. */
const ownMembers: readonly string[] = [
  'parameters.allowLockout',
  'parameters.dataSource.activityExecution.unit',
  'result.policyEvaluations[].smartContractInterfaceIds',
  'result.velocityControl.dataSource.activityExecution.unit',
  'result.velocityControls[].dataSource.activityExecution.unit',
]

/** Returns the faults of a value that should have this form. */
export function faultsOf(value: unknown, form: Form, path = ''): readonly string[] {
  const resolved = resolve(form)
  if (resolved.kind === 'primitive') return typeof value === resolved.type ? [] : [`${path} is no ${resolved.type}`]
  if (resolved.kind === 'anything') return []
  if (resolved.kind === 'enum') return resolved.values.includes(String(value)) ? [] : [`${path} is ${value}`]
  if (resolved.kind === 'list') {
    if (!Array.isArray(value)) return [`${path} is no list`]
    return value.flatMap((item, index) => faultsOf(item, resolved.item, `${path}[${index}]`))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no object`]
  const fields = new Map(Object.entries(value))
  return [
    ...[...fields.keys()]
      .filter((name) => !resolved.fields.has(name))
      .map((name) => `${path}.${name} is not of the wire`),
    ...[...resolved.fields].flatMap(([name, { form: inner, isOptional }]) => {
      if (!fields.has(name)) return isOptional ? [] : [`${path}.${name} is missing`]
      return fields.get(name) === null && isOptional ? [] : faultsOf(fields.get(name), inner, `${path}.${name}`)
    }),
  ]
}

type Direction = 'parameters' | 'result'

/**
 * Returns where a schema of ours differs from the form. Parameters must have exactly its fields. A result may lack an
 * optional field, or always have it. A schema that refuses for now (`not`, an empty list) or is open (`unknown`) has no
 * form.
 */
export function differencesFrom(schema: object, form: Form, direction: Direction, path = ''): readonly string[] {
  const resolved = resolve(form)
  const members = new Map(Object.entries(schema))
  const type = members.get('type')
  if (resolved.kind === 'anything' || members.has('not') || (type === undefined && members.size === 0)) return []
  switch (resolved.kind) {
    case 'primitive':
      return type === resolved.type || (resolved.type === 'number' && type === 'integer')
        ? []
        : [`${path} is of type ${type}`]
    case 'enum': {
      const values: readonly string[] = members.get('enum') ?? []
      const strange = values.filter((value) => !resolved.values.includes(value) && !ownValues.includes(value))
      const missing =
        direction === 'result'
          ? []
          : resolved.values.filter((value) => !values.includes(value) && !refusedValues.includes(value))
      return [...strange, ...missing, ...(values.length === 0 ? ['no enum'] : [])].map((value) => `${path}: ${value}`)
    }
    case 'list':
      if (type !== 'array') return [`${path} is of type ${type}`]
      return members.get('maxItems') === 0
        ? []
        : differencesFrom(members.get('items'), resolved.item, direction, `${path}[]`)
    case 'object':
      if (type !== 'object') return [`${path} is of type ${type}`]
      return fieldDifferences(members, resolved.fields, direction, path)
  }
}

function fieldDifferences(members: Members, fields: Fields, direction: Direction, path: string): readonly string[] {
  const properties = new Map<string, object>(Object.entries(members.get('properties') ?? {}))
  const required: readonly string[] = members.get('required') ?? []
  const isOwn = (name: string) => !required.includes(name) && ownMembers.includes(`${path}.${name}`)
  const unknown = [...properties.keys()].filter((name) => !fields.has(name) && !isOwn(name))
  const strange = unknown.map((name) => `${path}.${name} is strange`)
  const others = [...fields].flatMap(([name, { form, isOptional }]) => {
    const property = properties.get(name)
    if (property === undefined) return direction === 'result' && isOptional ? [] : [`${path}.${name} is missing`]
    const isRequired = required.includes(name)
    const sameNeed = direction === 'result' ? isRequired || isOptional : isRequired !== isOptional
    const need = sameNeed ? [] : [`${path}.${name} is ${isRequired ? 'required' : 'optional'}`]
    return [...need, ...differencesFrom(property, form, direction, `${path}.${name}`)]
  })
  return [...strange, ...others]
}

// The library that makes schemas does not type their members.
type Members = ReadonlyMap<string, ReturnType<typeof JSON.parse>>
type Fields = ReadonlyMap<string, { readonly form: Form; readonly isOptional: boolean }>
export type Resolved =
  | { readonly kind: 'anything' }
  | { readonly kind: 'primitive'; readonly type: string }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'list'; readonly item: Form }
  | { readonly kind: 'object'; readonly fields: Fields }

export function resolve(form: Form): Resolved {
  if (typeof form === 'string') return resolveName(form)
  if (form instanceof Set) return { kind: 'enum', values: [...form] }
  if (isList(form)) return { kind: 'list', item: form[0] }
  const fields = Object.entries(form).map(([field, inner]) => {
    const isOptional = field.endsWith('?')
    return [isOptional ? field.slice(0, -1) : field, { form: inner, isOptional }] as const
  })
  return { kind: 'object', fields: new Map(fields) }
}

/**
 * The interface has neutral words for the names of two providers each. The vectors have the names that clients know.
 */
const neutralNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['FiatOnRampProvider', ['FIAT_ON_RAMP_PROVIDER_PROVIDER_A', 'FIAT_ON_RAMP_PROVIDER_PROVIDER_B']],
  ['Oauth2Provider', ['OAUTH2_PROVIDER_PROVIDER_A', 'OAUTH2_PROVIDER_PROVIDER_B']],
])

function resolveName(name: string): Resolved {
  // An activity has its own test, and its type is any type that exists.
  if (name === 'anything' || name === 'Activity' || name === 'ActivityType') return { kind: 'anything' }
  if (name === 'integer') return { kind: 'primitive', type: 'number' }
  const values = wireNames.enums[name]
  if (values !== undefined) return { kind: 'enum', values: [...values, ...(neutralNames.get(name) ?? [])] }
  const record = wireNames.records[name]
  return record === undefined ? { kind: 'primitive', type: name } : resolve(record)
}

function isList(form: Form): form is readonly [Form] {
  return Array.isArray(form)
}
