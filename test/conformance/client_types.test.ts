import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import {
  type Comparison,
  compareResultsWithClient,
  compareWithClient,
  type Exchange,
  type RequestField,
} from '../support/client_types.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { neverFound, prepareRequests } from '../support/valid_requests.ts'
import { ownOperations } from '../support/wire_forms.ts'

/**
 * Real answers, and the fields that requests may have, against the types of the newest client package. They are the
 * compiler's word, so a field that a later version of the package adds is noticed here.
 */
const organization = await startOrganizationWithIssuer()
const requests = await prepareRequests(organization)
const names = requests.names.filter((name) => !ownOperations.includes(name) && !neverFound.includes(name))

const operationOf = (name: string) => {
  const found = operations.find((operation) => operation.name === name)
  if (found === undefined) throw new Error(`there is no operation ${name}`)
  return found
}

let comparisonOf: (path: string) => Comparison | undefined
beforeAll(async () => {
  const exchanges: Exchange[] = []
  for (const name of names) {
    const { path, kind } = operationOf(name)
    const ask = { apiKey: requests.signerOf(name), dialect: 'hosted' } as const
    const send = kind === 'query' ? organization.query : organization.submit
    const { status, body } = await send(name, requests.parametersOf(name), ask)
    expect(status, `${name} ${JSON.stringify(body)}`).toBe(200)
    exchanges.push({ path, answer: body })
  }
  comparisonOf = compareWithClient(exchanges)
})

describe.each(names)('%s', (name) => {
  test('answers in the type of the client', () => {
    expect(comparisonOf(operationOf(name).path)?.faults).toEqual([])
  })

  test('takes every field that the client may send, and asks for none that it may leave out', () => {
    const operation = operationOf(name)
    const prefix = operation.kind === 'query' ? '' : 'parameters.'
    const schema = operation.kind === 'query' ? operation.parameters : operation.types[0]?.parameters
    const ours = new Map(fieldsOf(schema, prefix).map((field) => [field.name, field]))
    const theirs = (comparisonOf(operation.path)?.fields ?? []).filter((field) => field.name.startsWith(prefix))
    expect(theirs.flatMap((field) => (ours.has(field.name) ? [] : [field.name]))).toEqual([])
    const left = theirs.filter(({ isOptional }) => isOptional).map((field) => field.name)
    expect(left.filter((field) => ours.get(field)?.isOptional === false)).toEqual([])
  })
})

test('results of Claviger’s own activities are of the types that the client has for them', async () => {
  const own = operations.filter(({ name, kind }) => ownOperations.includes(name) && kind === 'activity')
  const results = new Map<string, unknown>()
  for (const { name } of own.filter(({ name }) => requests.names.includes(name) && !neverFound.includes(name))) {
    const ask = { apiKey: requests.signerOf(name), dialect: 'hosted' } as const
    const { status, body } = await organization.submit(name, requests.parametersOf(name), ask)
    expect(status, `${name} ${JSON.stringify(body)}`).toBe(200)
    for (const [key, result] of Object.entries(body.activity.result)) results.set(key, result)
  }
  expect([...results.keys()]).toEqual(expect.arrayContaining(['enableAuthProxyResult', 'updateAuthProxyConfigResult']))
  expect(compareResultsWithClient(Object.fromEntries(results))).toEqual([])
  const wrong = { enableAuthProxyResult: { configId: organization.organizationId } }
  expect(compareResultsWithClient(wrong)).toMatchObject([expect.stringContaining('userId')])
})

/** The library that makes schemas does not type their members. */
type Schema = ReturnType<typeof JSON.parse>

function fieldsOf(schema: Schema, at: string): readonly RequestField[] {
  if (schema.items !== undefined) return fieldsOf(schema.items, at.replace(/[.]$/, '[].'))
  return Object.entries<Schema>(schema.properties ?? {}).flatMap(([field, inner]) => {
    const name = `${at}${field}`
    return [{ name, isOptional: schema.required?.includes(field) !== true }, ...fieldsOf(inner, `${name}.`)]
  })
}
