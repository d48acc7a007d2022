import { describe, expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import { expectRefused } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { neverFound, prepareRequests } from '../support/valid_requests.ts'
import { differencesFrom, faultsOf, ownOperations, type WireOperation, wireNames } from '../support/wire_forms.ts'

function ours(name: string) {
  const found = operations.find((operation) => operation.name === name)
  if (found === undefined) throw new Error(`there is no operation ${name}`)
  return found
}

function wireOf(name: string): WireOperation {
  const wire = wireNames.operations[name]
  if (wire === undefined) throw new Error(`${name} is not in test/vectors/wire_names.json`)
  return wire
}

/** The answer of a vote is the activity that was voted on. */
function isVote(name: string): boolean {
  const operation = ours(name)
  return operation.kind === 'activity' && operation.casts !== undefined
}

/** Returns the differences of an operation from the vectors in path, types, keys and fields. */
function differences(name: string, wire: WireOperation): readonly string[] {
  const operation = ours(name)
  const facts: [string, unknown, unknown][] = [
    ['path', operation.path, wire.path],
    ['kind', operation.kind, wire.kind],
  ]
  if (operation.kind === 'activity') {
    const [newest] = operation.types
    facts.push(['types', operation.types.map(({ type }) => type).join(), wire.types?.join()])
    facts.push(['intent key', newest?.intentKey, wire.intentKey])
    if (!isVote(name)) facts.push(['result key', newest?.resultKey, wire.resultKey])
    // Where the interface publishes no resource and action, we choose them.
    const published = JSON.stringify(wire.policy)
    if (!published.includes('null')) facts.push(['policy', JSON.stringify(operation.policy), published])
  }
  const parameters = operation.kind === 'query' ? operation.parameters : (operation.types[0]?.parameters ?? {})
  return [
    ...facts.filter(([, actual, expected]) => actual !== expected).map(([fact, actual]) => `${fact} is ${actual}`),
    ...differencesFrom(parameters, wire.parameters, 'parameters', 'parameters'),
    ...differencesFrom(operation.result, wire.result, 'result', 'result'),
  ]
}

const known = operations.filter(({ name }) => !ownOperations.includes(name))

// The twenty operations of the specification have a table and a test of their own: test/contract.
describe('the operations on the wire', () => {
  for (const { name } of known) {
    test(`${name} has the names of the vectors`, () => {
      expect(differences(name, wireOf(name))).toEqual([])
    })
  }
})

describe('answers', async () => {
  const organization = await startOrganizationWithIssuer()
  const { query, submit } = organization
  const requests = await prepareRequests(organization)

  for (const name of requests.names.filter((name) => !ownOperations.includes(name))) {
    test(`${name} answers in its form`, async () => {
      const wire = wireOf(name)
      const parameters = requests.parametersOf(name)
      const ask = { apiKey: requests.signerOf(name) }
      const answer = wire.kind === 'query' ? await query(name, parameters) : await submit(name, parameters, ask)
      if (neverFound.includes(name)) return expectRefused(answer, 404)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      if (wire.kind === 'query') {
        expect(faultsOf(answer.body, wire.result)).toEqual([])
        return
      }
      const { activity } = answer.body
      if (isVote(name)) {
        expect(activity.fingerprint).toBe(parameters.fingerprint)
        return
      }
      expect(activity.type).toBe(wire.types?.[0])
      expect(activity.intent).toStrictEqual({ [wire.intentKey ?? '']: parameters })
      expect(Object.keys(activity.result)).toEqual([wire.resultKey])
      expect(faultsOf(activity.result, { [wire.resultKey ?? '']: wire.result })).toEqual([])
    })
  }
})
