import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import { type HttpOrganization, organizationOver } from '../support/http_organization.ts'
import { type Place, removedAt, replacedAt, textOf, valueAt } from '../support/json_places.ts'
import { type Answer, absentId, expectRefused, type Parameters } from '../support/organization.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'
import { differencesFrom, type Form, faultsOf, resolve } from '../support/wire_forms.ts'
import { type Existing, prepareContractRequests, type Requests, toCome, withoutValue } from './requests.ts'
import { type Activity, activities, answerForm, bodyForm, type Query, queries } from './twenty_operations.ts'

/** The running server, with an empty data folder, against the interface as the table beside this has it. */

const table: Readonly<Record<string, Query | Activity>> = { ...queries, ...activities }
const isToCome = (name: string) => toCome.some((other) => other === name)
const existing = Object.keys(table).filter((name): name is Existing => !isToCome(name))

let server: RunningServer
let organization: HttpOrganization
let requests: Requests
beforeAll(async () => {
  server = await startRunningServer()
  organization = organizationOver(server)
  requests = await prepareContractRequests(server)
})
afterAll(() => server.stop())

test('the table has five queries and fifteen activities', () => {
  expect([Object.keys(queries), Object.keys(activities)].map(({ length }) => length)).toEqual([5, 15])
})

test.each(toCome)('%s is still to come: else take it off the list, and give it valid requests', async (name) => {
  const { post, organizationId } = organization
  const nowhere = await post('/public/v1/query/nothing', { organizationId })
  const answer = await post(rowOf(name).path, { organizationId })
  expect([answer.status, answer.body.code]).toEqual([404, nowhere.body.code])
  expect(answer.body.message).toBe(nowhere.body.message.replace('/query/nothing', rowOf(name).path.slice(10)))
  expect(operations.map((operation) => operation.name)).not.toContain(name)
})

describe.each(existing)('%s', (name) => {
  const operation = rowOf(name)
  const form = bodyForm(operation)
  const isActivity = 'type' in operation
  const send = (body: unknown) => organization.post(operation.path, body)

  /** Whole bodies of the operation's valid requests, with every field; each can be sent once. */
  function freshBodies(): readonly (() => Promise<unknown>)[] {
    return requests[name].map((make) => async () => bodyOf(await make()))
  }

  function bodyOf(parameters: Parameters): unknown {
    const { organizationId } = organization
    if (!isActivity) return { organizationId, ...parameters }
    const timestampMs = String(organization.freshTimestampMs())
    const proofs = operation.generateAppProofs === 'not listed' ? {} : { generateAppProofs: true }
    return { type: operation.type, timestampMs, organizationId, parameters, ...proofs }
  }

  /** The same once more: with a time of its own, so that it is another request. */
  function again(body: unknown): unknown {
    return isActivity ? replacedAt(body, ['timestampMs'], String(organization.freshTimestampMs())) : body
  }

  test('takes exactly the fields of the table', async () => {
    const ours = operations.find((other) => other.path === operation.path)
    const parameters = ours?.kind === 'query' ? ours.parameters : ours?.types[0]?.parameters
    expect(withoutNamesOfClients(differencesFrom(parameters ?? {}, operation.parameters, 'parameters'))).toEqual([])
    const used = await Promise.all(freshBodies().map(async (fresh) => fieldsIn(form, await fresh())))
    const names = new Set(used.flat().map(({ name: field }) => field))
    const unused = fieldNamesOf(form).filter((field) => !names.has(field))
    expect(unused).toEqual(Object.entries(withoutValue).flatMap(([owner, field]) => (owner === name ? [field] : [])))
  })

  test('answers a request with every field in its form, with every value of every enum', async () => {
    const seen = new Map<string, Set<string>>()
    for (const fresh of freshBodies()) {
      const body = await fresh()
      const answer = await send(body)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      expect(faultsOf(answer.body, answerForm(operation))).toEqual([])
      if (isActivity) expectActivity(answer, body, operation)
      else expect(JSON.stringify(answer.body)).not.toMatch(/:null[,}]/)
      for (const [place, value] of enumsIn(answerForm(operation), answer.body)) {
        seen.set(place, (seen.get(place) ?? new Set()).add(value))
      }
    }
    const expected = enumsOf(answerForm(operation)).filter(([place]) => !place.startsWith('activity.intent'))
    for (const [place, values] of expected) expect(seen.get(place), place).toEqual(new Set(values))
  })

  test('refuses what lacks a required field, or has null, another type or an unknown value there, and names it', async () => {
    for (const fresh of freshBodies()) {
      const body = await fresh()
      for (const { place, field } of fieldsIn(form, body)) {
        const other = replacedAt(again(body), place, ofAnotherType(field.form))
        expectNamed(await send(other), place, 'of another type')
        if (resolve(field.form).kind === 'enum') {
          expectNamed(await send(replacedAt(again(body), place, 'UNKNOWN')), place, 'UNKNOWN')
        }
        if (field.isOptional) continue
        expectNamed(await send(replacedAt(again(body), place, null)), place, 'null')
        const isItem = typeof place.at(-1) === 'number'
        if (!isItem) expectNamed(await send(removedAt(again(body), place)), place, 'left out')
      }
    }
  })

  test('takes a request without each optional field, or with null there', async () => {
    for (const fresh of freshBodies()) {
      for (const { place } of fieldsIn(form, await fresh()).filter(({ field }) => field.isOptional)) {
        for (const body of [removedAt(await fresh(), place), replacedAt(await fresh(), place, null)]) {
          const answer = await send(body)
          expect(answer.status, `${textOf(place)}: ${JSON.stringify(answer.body)}`).toBe(200)
          expect(faultsOf(answer.body, answerForm(operation))).toEqual([])
          if (isActivity) expectActivity(answer, body, operation)
        }
      }
    }
  })

  test('takes every value of an enum', async () => {
    for (const fresh of freshBodies()) {
      for (const { place, field } of fieldsIn(form, await fresh())) {
        const enumeration = resolve(field.form)
        for (const value of enumeration.kind === 'enum' ? enumeration.values : []) {
          const answer = await send(replacedAt(await fresh(), place, value))
          expect(answer.status, `${textOf(place)} ${value}: ${JSON.stringify(answer.body)}`).toBe(200)
        }
      }
    }
  })

  test('refuses a field that nobody knows, wherever it stands, and names it', async () => {
    for (const fresh of freshBodies()) {
      const body = await fresh()
      const objects = [[], ...fieldsIn(form, body).map(({ place }) => place)].filter(
        (place) => valueAt(body, place) instanceof Object && !Array.isArray(valueAt(body, place)),
      )
      for (const object of objects) {
        const place = [...object, 'unheardOf']
        expectNamed(await send(replacedAt(again(body), place, 'x')), place, 'unknown')
      }
    }
  })
})

test.each(Object.entries(withoutValue))(
  '%s takes no %s, since there is none: 404, and null is nothing',
  async (name, field) => {
    const operation = rowOf(name)
    if (!('type' in operation)) throw new Error(`${name} is an activity`)
    const { post, organizationId, freshTimestampMs } = organization
    const place = field.split('.')
    for (const [value, status] of [
      [absentId, 404],
      [null, 200],
    ] as const) {
      const [make] = requests[name as keyof typeof withoutValue]
      const envelope = { type: operation.type, timestampMs: String(freshTimestampMs()), organizationId }
      const answer = await post(operation.path, replacedAt({ ...envelope, parameters: await make() }, place, value))
      expect(answer.status, JSON.stringify(answer.body)).toBe(status)
      if (status === 404) expectRefused(answer, 404, field)
    }
  },
)

function rowOf(name: string): Query | Activity {
  const row = table[name]
  if (row === undefined) throw new Error(`${name} is not in the table`)
  return row
}

/** Both dialects take the names that clients have for two providers; the specification knows only the neutral ones. */
const namesOfClients = ['OAUTH2_PROVIDER_X', 'OAUTH2_PROVIDER_DISCORD']

function withoutNamesOfClients(differences: readonly string[]): readonly string[] {
  return differences.filter((difference) => !namesOfClients.some((name) => difference.endsWith(`: ${name}`)))
}

function expectActivity({ body: { activity } }: Answer, sent: unknown, operation: Activity): void {
  expect(activity.organizationId).toBe(organization.organizationId)
  const echoed = JSON.parse(JSON.stringify(valueAt(sent, ['parameters'])), (_, value) => value ?? undefined)
  expect(activity.intent).toStrictEqual({ [operation.intentKey]: echoed })
  expect(activity.failure).toBeNull()
  const asked = valueAt(sent, ['generateAppProofs']) === true
  expect(Array.isArray(activity.appProofs) && activity.appProofs.length > 0).toBe(asked)
}

/** 400, with the field in the message and as the one violation in the details. */
function expectNamed(answer: Answer, place: Place, why: string): void {
  const field = textOf(place)
  expect([field, why, answer.status, JSON.stringify(answer.body)]).toEqual([field, why, 400, expect.any(String)])
  expectRefused(answer, 400, field)
  const violations = answer.body.details.flatMap(
    (detail: { fieldViolations?: unknown }) => detail.fieldViolations ?? [],
  )
  expect(violations, `${field} ${why}`).toEqual([{ field, description: expect.any(String) }])
}

type Field = { readonly form: Form; readonly isOptional: boolean }

/** Every field of the form that the value has, and the first item of every list. */
function fieldsIn(
  form: Form,
  value: unknown,
  at: Place = [],
): readonly { readonly place: Place; readonly name: string; readonly field: Field }[] {
  const resolved = resolve(form)
  if (resolved.kind === 'list') {
    const place = [...at, 0]
    const field = { form: resolved.item, isOptional: false }
    return [{ place, name: nameOf(place), field }, ...fieldsIn(resolved.item, value, place)]
  }
  if (resolved.kind !== 'object') return []
  return [...resolved.fields].flatMap(([name, field]) => {
    const place = [...at, name]
    if (valueAt(value, place) === undefined) return []
    return [{ place, name: nameOf(place), field }, ...fieldsIn(field.form, value, place)]
  })
}

/** Every field of the form, as `name` of `fieldsIn` has it. */
function fieldNamesOf(form: Form, at: Place = []): readonly string[] {
  const resolved = resolve(form)
  if (resolved.kind === 'list') return [nameOf([...at, 0]), ...fieldNamesOf(resolved.item, [...at, 0])]
  if (resolved.kind !== 'object') return []
  return [...resolved.fields].flatMap(([name, field]) => [
    nameOf([...at, name]),
    ...fieldNamesOf(field.form, [...at, name]),
  ])
}

/** Every enum of the form, by its place. */
function enumsOf(form: Form, at: Place = []): readonly (readonly [string, readonly string[]])[] {
  const resolved = resolve(form)
  if (resolved.kind === 'enum') return [[nameOf(at), resolved.values]]
  if (resolved.kind === 'list') return enumsOf(resolved.item, [...at, 0])
  if (resolved.kind !== 'object') return []
  return [...resolved.fields].flatMap(([name, field]) => enumsOf(field.form, [...at, name]))
}

/** Every value of an enum of the form in the value, by the same place. */
function enumsIn(form: Form, value: unknown, at: Place = []): readonly (readonly [string, string])[] {
  const resolved = resolve(form)
  if (value === undefined) return []
  if (resolved.kind === 'enum') return [[nameOf(at), String(value)]]
  if (resolved.kind === 'list' && Array.isArray(value)) {
    return value.flatMap((item) => enumsIn(resolved.item, item, [...at, 0]))
  }
  if (resolved.kind !== 'object') return []
  return [...resolved.fields].flatMap(([name, field]) => enumsIn(field.form, valueAt(value, [name]), [...at, name]))
}

const nameOf = (place: Place) => textOf(place).replaceAll('[0]', '[]')

function ofAnotherType(form: Form): unknown {
  const resolved = resolve(form)
  if (resolved.kind === 'object') return []
  if (resolved.kind === 'list') return {}
  return resolved.kind === 'primitive' && resolved.type !== 'string' ? 'text' : 7
}
