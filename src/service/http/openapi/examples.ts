import type { Operation } from '../../../contract/define.ts'
import { byExpectation, byName, ownParameters, uuid } from './example_values.ts'

type Json = { readonly [member: string]: unknown }
type Schema = {
  readonly type?: string
  readonly expected?: string
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

/** A body of the newest type, as a client sends it. Ids, keys and times are made up. */
export function exampleBody(operation: Operation): Json {
  const parameters = exampleParameters(operation)
  if (operation.kind === 'query') return { organizationId: uuid, ...parameters }
  return { type: operation.types[0]?.type, timestampMs: '1767225600000', organizationId: uuid, parameters }
}

/** Without the organization, which clients fill in. */
export function exampleParameters(operation: Operation): Json {
  const own = ownParameters[operation.name]
  if (own !== undefined) return own
  const schema: Schema | undefined = operation.kind === 'query' ? operation.parameters : operation.types[0]?.parameters
  const { organizationId: _, ...properties } = schema?.properties ?? {}
  return requiredOf({ ...schema, properties })
}

function requiredOf({ properties = {}, required = [] }: Schema): Json {
  const fields = Object.entries(properties).filter(([name]) => required.includes(name))
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(name, field)]))
}

function exampleOf(name: string, schema: Schema): unknown {
  const known = byName[name] ?? byExpectation[schema.expected ?? '']
  if (known !== undefined) return known
  if (schema.type === 'object') return requiredOf(schema)
  if (schema.type === 'array' && schema.items !== undefined) return [exampleOf(name, schema.items)]
  if (schema.enum !== undefined) return schema.enum[0]
  switch (schema.type) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    default:
      // Also where another form lacks an example: a test refuses that, and a server starts without it.
      return inWords(name)
  }
}

/** `walletName` as `wallet name`. */
function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
