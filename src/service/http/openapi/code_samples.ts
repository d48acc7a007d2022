import type { Operation } from '../../../contract/define.ts'
import { camelCase } from '../../../protocol/tools/camel_case.ts'
import { exampleBody, exampleParameters } from './examples.ts'
import { otherMethods } from './other_methods.ts'

type CodeSample = { readonly lang: string; readonly label: string; readonly source: string }

/**
 * How the example of an operation is sent, by the command line and by the client package of README.md. `command`: how a
 * reader starts the command line.
 */
export function codeSamples(operation: Operation, command: string): readonly CodeSample[] {
  return [
    { lang: 'Shell', label: 'Command line', source: commandOf(operation, command) },
    { lang: 'JavaScript', label: '@turnkey/sdk-server', source: callOf(operation) },
  ]
}

function commandOf(operation: Operation, program: string): string {
  const given = givenOf(operation)
  const body = operation.kind === 'query' ? given : bodyWithParameters(given)
  const command = `${program} request ${operation.name}`
  return Object.keys(body).length === 0
    ? command
    : `${command} --body '${JSON.stringify(body).replaceAll("'", "'\\''")}'`
}

function bodyWithParameters({ organizationId, ...parameters }: Values): Values {
  return organizationId === undefined ? { parameters } : { organizationId, parameters }
}

type Values = { readonly [member: string]: unknown }

/** A request that ends an organization names it: filled in, it would be the caller's own. */
function givenOf(operation: Operation): Values {
  const parameters = exampleParameters(operation)
  const endsOrganization = operation.kind === 'activity' && operation.endsOrganization
  return endsOrganization ? { organizationId: exampleBody(operation).organizationId, ...parameters } : parameters
}

function callOf(operation: Operation): string {
  const { name, isOwn } = operation
  const { [name]: method = isOwn ? null : camelCase(name) } = otherMethods
  return method === null ? requestOf(operation) : `await client.${method}(${literal(givenOf(operation))})`
}

/** The package sends any path, and fills in nothing then. `organizationId` is that of README.md's example. */
function requestOf(operation: Operation): string {
  const { path } = operation
  if (operation.kind === 'query') {
    const body = objectOf(['organizationId', ...membersOf(exampleParameters(operation))])
    return `await client.request(${literal(path)}, ${body})`
  }
  const [newest] = operation.types
  const members = [
    `type: ${literal(newest?.type)}`,
    'timestampMs: String(Date.now())',
    'organizationId',
    `parameters: ${literal(exampleParameters(operation), '  ')}`,
  ]
  return `await client.command(${literal(path)}, ${objectOf(members)}, ${literal(newest?.resultKey)})`
}

/** JavaScript that a person would write: names of members without quotes. */
function literal(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (!Array.isArray(value)) return objectOf(membersOf(value, indent), indent)
  if (value.length === 0) return '[]'
  const items = value.map((item) => `${indent}  ${literal(item, `${indent}  `)},\n`)
  return `[\n${items.join('')}${indent}]`
}

function membersOf(value: object, indent = ''): readonly string[] {
  return Object.entries(value).map(([name, member]) => `${name}: ${literal(member, `${indent}  `)}`)
}

function objectOf(members: readonly string[], indent = ''): string {
  return members.length === 0 ? '{}' : `{\n${members.map((member) => `${indent}  ${member},\n`).join('')}${indent}}`
}
