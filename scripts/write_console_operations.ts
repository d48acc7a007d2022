import { operations } from '../src/operations/catalogue.ts'
import { writeGenerated } from './generated_files.ts'

/**
 * Writes `console/src/api/operations.ts`: the types of what the console may ask, from the schemas of the operations, and
 * which activities are everyday ones. The page cannot import the operations, which run in Node. With `--check` it writes
 * nothing and exits 1 when the file is stale.
 */
type Schema = {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

const queries = operations.flatMap((operation) => (operation.kind === 'query' ? [operation] : []))
const activities = operations.flatMap((operation) => {
  if (operation.kind === 'query') return []
  const [newest] = operation.types
  return newest === undefined ? [] : [{ name: operation.name, isEveryday: operation.isEveryday, newest }]
})
const everyday = activities.flatMap(({ name, isEveryday }) => (isEveryday ? [name] : []))

const text = `// Written by \`npm run generate\`: the requests and answers of the operations. Do not edit.

/** \`parameters\` are without \`organizationId\`, which the client adds. */
export type Queries = {
${queries.map(({ name, parameters, result }) => `${name}: ${pair(parameters, result)}`).join('\n')}
}

/** The newest type of each activity. */
export type Activities = {
${activities.map(({ name, newest }) => `${name}: ${pair(newest.parameters, newest.result)}`).join('\n')}
}

export const activityTypes: { readonly [N in keyof Activities]: string } = {
${activities.map(({ name, newest }) => `${name}: '${newest.type}',`).join('\n')}
}

/** The activities by which nobody loses or gains anything (\`isEveryday\`). */
export const everydayActivities: ReadonlySet<keyof Activities> = new Set<keyof Activities>(${JSON.stringify(everyday)})
`

writeGenerated('console/src/api/operations.ts', text)

function pair(parameters: unknown, result: unknown): string {
  return `{ parameters: ${typeOf(plain(parameters), { without: 'organizationId' })}; result: ${typeOf(plain(result))} }`
}

/** The schema as JSON has it: without what only its library sees. */
function plain(schema: unknown): Schema {
  return JSON.parse(JSON.stringify(schema))
}

function typeOf(schema: Schema, { without }: { readonly without?: string } = {}): string {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.map((choice) => typeOf(choice)).join(' | ')
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return `readonly (${typeOf(schema.items ?? {})})[]`
    case 'object':
      return objectOf(schema, without)
    default:
      return 'unknown'
  }
}

function objectOf({ properties, required = [] }: Schema, without: string | undefined): string {
  if (properties === undefined) return 'Readonly<Record<string, unknown>>'
  const members = Object.entries(properties)
    .filter(([name]) => name !== without)
    .map(([name, schema]) => `readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`)
  return members.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${members.join('; ')} }`
}
