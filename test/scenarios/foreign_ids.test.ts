import { afterAll, describe, expect, test } from 'vitest'
import { Uuid } from '../../src/contract/fields/fields.ts'
import { operations } from '../../src/operations/catalogue.ts'
import { openDatabaseDigest } from '../support/database_digest.ts'
import { type Place, placesIn, replacedAt, textOf, valueAt } from '../support/json_places.ts'
import { absentId, expectRefused, organizationOf, type Parameters } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { neverFound, prepareRequests } from '../support/valid_requests.ts'

/**
 * An id of another organization is answered like an id that no record has, in every field of every operation, so nobody
 * learns about records elsewhere. The ids are taken from a valid request of the other organization.
 */
// Sub-organizations may have links mailed to anybody, which the valid requests ask for.
const organization = await startOrganizationWithIssuer({ mailDecider: 'free' })
const { server, issuer, idToken, query, submit } = organization
const requests = await prepareRequests(organization)

const { userId: rootUserId, ...made } = await server.createOrganization()
const stranger = { ...organizationOf(organization, { ...made, rootUserId }), issuer, idToken }
const below = { ...organizationOf(organization, await organization.subOrganization()), issuer, idToken }
/** A sub-organization has no session profiles of its own. */
const doneBelow: typeof below.done = (name, ...rest) =>
  (name === 'create_session_profile' ? stranger : below).done(name, ...rest)
const requestsBelow = await prepareRequests({ ...below, done: doneBelow })
const others = [
  ['a stranger', await prepareRequests(stranger)],
  ['a sub-organization', requestsBelow],
] as const

const digest = openDatabaseDigest(server)
afterAll(() => digest.close())

const uuidPattern = String(Reflect.get(Uuid, 'pattern'))
/** Absent values of fields that name a record by something else than an id, by the field's name. */
const absentReferences: ReadonlyMap<unknown, string> = new Map([
  ['signWith', `0x${'1'.repeat(40)}`],
  ['address', `0x${'1'.repeat(40)}`],
  ['fingerprint', `sha256:${'1'.repeat(64)}`],
])

/** A value for the field that names no record; undefined for a field that names none. */
function absentAt(parameters: Parameters, place: Place): string | undefined {
  const value = valueAt(parameters, place)
  if (typeof value !== 'string') return undefined
  return new RegExp(uuidPattern).test(value) ? absentId : absentReferences.get(place.at(-1))
}

/** The interface itself defines the answer of this operation to an unknown member. */
const answeredWith400: readonly string[] = ['update_root_quorum']
/** Nobody has this id as a user yet, so another one is answered as somebody who is not invited. */
const answeredWith403: readonly string[] = ['accept_invitation userId']
/** The event may have been delivered meanwhile. Its id is a time, whoever has it. */
const placesInAList: readonly string[] = ['list_webhook_deliveries paginationOptions.after']
/** The log has entries of activities that the database lacks, so those that are not found are left out. */
const leftOut: readonly string[] = ['list_log_documents activityIds[0]']
/** A sub-organization has no session profiles of its own. */
const notFoundBelow: readonly string[] = [...neverFound, 'get_session_profile']
/** Queries that say who asks. */
const ofTheCaller: readonly string[] = ['whoami']
/** Fields that stand for another field, which the valid request uses in their place. */
const elsewhere: readonly string[] = ['create_tvc_app manifestSetId', 'simulate past.after']

function ask(name: string, parameters: unknown) {
  const asked = operations.find((operation) => operation.name === name)?.kind === 'query' ? query : submit
  return asked(name, parameters as Parameters, { apiKey: requests.signerOf(name) })
}

for (const name of requests.names) {
  const parameters = requests.parametersOf(name)
  for (const place of placesIn(parameters)) {
    const absent = absentAt(parameters, place)
    if (absent === undefined || placesInAList.includes(`${name} ${textOf(place)}`)) continue
    test(`${name}: as ${textOf(place)}`, async () => {
      const before = digest.read()
      const expected = await ask(name, replacedAt(parameters, place, absent))
      const isForbidden = answeredWith403.includes(`${name} ${textOf(place)}`)
      if (leftOut.includes(`${name} ${textOf(place)}`)) expect(expected.body).toEqual({ documents: [], left: [] })
      else expectRefused(expected, isForbidden ? 403 : answeredWith400.includes(name) ? 400 : 404)
      for (const [whose, { parametersOf }] of others) {
        const foreign = valueAt(parametersOf(name), place)
        if (typeof foreign !== 'string') throw new Error(`${whose} has nothing there`)
        const answer = await ask(name, replacedAt(parameters, place, foreign))
        expect(JSON.parse(JSON.stringify(answer).replaceAll(foreign, absent)), whose).toEqual(expected)
      }
      expect(digest.read()).toBe(before)
    })
  }
}

describe('a parent reads its sub-organization, as that does itself,', () => {
  for (const { name, kind } of operations) {
    if (kind === 'activity' || ofTheCaller.includes(name)) continue
    test(`by ${name}`, async () => {
      const parameters = requestsBelow.parametersOf(name)
      const asParent = await below.query(name, parameters, { apiKey: organization.rootKey })
      expect(asParent.status, JSON.stringify(asParent.body)).toBe(notFoundBelow.includes(name) ? 404 : 200)
      expect(asParent).toEqual(await below.query(name, parameters))
    })
  }
})

describe('the valid requests name an id', () => {
  for (const name of requests.names) {
    const operation = operations.find((one) => one.name === name)
    const schema = operation?.kind === 'activity' ? operation.types[0]?.parameters : operation?.parameters
    const fields = idFieldsOf(schema)
      .filter((field) => field !== 'organizationId' && !field.startsWith('paginationOptions.'))
      .filter((field) => !elsewhere.includes(`${name} ${field}`))
    if (fields.length === 0) continue
    test(`in every field of ${name} that takes one`, () => {
      const places = placesIn(requests.parametersOf(name)).map((place) => textOf(place).replace(/\[\d+\]/g, '[]'))
      for (const field of fields) expect(places).toContain(field)
    })
  }
})

/** The fields of a schema that take ids, as `users[].userTags[]`. */
function idFieldsOf(schema: unknown, at = ''): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  if (Reflect.get(schema, 'pattern') === uuidPattern) return [at]
  const { properties, items } = schema as { properties?: object; items?: unknown }
  return [
    ...Object.entries(properties ?? {}).flatMap(([name, inner]) =>
      idFieldsOf(inner, at === '' ? name : `${at}.${name}`),
    ),
    ...idFieldsOf(items, `${at}[]`),
  ]
}
