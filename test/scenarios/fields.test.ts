import { afterAll, describe, expect, test } from 'vitest'
import { findOperation, operations } from '../../src/operations/catalogue.ts'
import { isUuid } from '../../src/protocol/wire/identifiers.ts'
import { openDatabaseDigest } from '../support/database_digest.ts'
import { type Place, placesIn, removedAt, replacedAt, textOf, valueAt } from '../support/json_places.ts'
import { type Answer, expectRefused } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { neverFound, prepareRequests } from '../support/valid_requests.ts'

/** Rules for every field of every operation, which the tests of operations need not repeat. */
const organization = await startOrganizationWithIssuer({
  limits: {
    oauthProvidersPerUserMax: 10_000,
    mfaPoliciesPerUserMax: 1_000,
    authenticatorsPerUserMax: 100,
    webhookEndpointsMax: 1_000,
  },
})
const { server, clock, organizationId } = organization
const requests = await prepareRequests(organization)
const digest = openDatabaseDigest(server)
afterAll(() => digest.close())

function pathOf(name: string): string {
  const operation = operations.find((one) => one.name === name)
  if (operation === undefined) throw new Error(`there is no operation ${name}`)
  return operation.path
}

/** The whole body of a request that succeeds. */
function bodyOf(name: string): object {
  const operation = findOperation(pathOf(name))
  const parameters = requests.parametersOf(name)
  if (operation?.kind !== 'activity') return { organizationId, ...parameters }
  clock.nowMs += 1
  return { type: operation.types[0]?.type, timestampMs: String(clock.nowMs), organizationId, parameters }
}

async function post(name: string, body: unknown): Promise<Answer> {
  const answer = await server.post(pathOf(name), JSON.stringify(body), requests.signerOf(name))
  if (answer.status === 200) await requests.renew(name)
  return answer
}

/** Whether the schema requires the field. */
function isRequired(name: string, place: Place): boolean {
  const operation = findOperation(pathOf(name))
  const isActivity = operation?.kind === 'activity'
  if (isActivity && place.length === 1) return place[0] !== 'generateAppProofs'
  const schema = isActivity ? operation.types[0]?.parameters : operation?.parameters
  const steps = isActivity ? place.slice(1) : place
  const holder = steps.slice(0, -1).reduce<unknown>((at, step) => {
    return typeof step === 'number'
      ? Reflect.get(Object(at), 'items')
      : Reflect.get(Reflect.get(Object(at), 'properties'), step)
  }, schema)
  const required: unknown = Reflect.get(Object(holder), 'required')
  return Array.isArray(required) && required.includes(steps.at(-1))
}

/** A name that objects inherit may hold another value than the one that was sent, so each value is tried with one. */
const unknownFields = [
  ...['surprise', '__proto__'].flatMap((name) => [1, null, {}].map((value) => [name, value] as const)),
  ...['constructor', 'toString', '0', ''].map((name) => [name, 1] as const),
]

for (const name of requests.names) {
  describe(name, () => {
    const sample = bodyOf(name)
    const places = placesIn(sample)
    const members = places.filter((place) => typeof place.at(-1) === 'string')
    const objects = places.filter((place) => isObject(valueAt(sample, place)))

    test('a request that names every field succeeds', async () => {
      expect((await post(name, bodyOf(name))).status).toBe(neverFound.includes(name) ? 404 : 200)
    })

    test('an unknown field is refused wherever it stands, whatever its value', async () => {
      const before = digest.read()
      for (const place of objects) {
        for (const [unknown, value] of unknownFields) {
          const answer = await post(name, replacedAt(bodyOf(name), [...place, unknown], value))
          expectRefused(answer, 400, `${textOf([...place, unknown])} must be left out: there is no such field here`)
        }
      }
      expect(digest.read()).toBe(before)
    })

    test('a required field is missed by name, left out or null', async () => {
      const before = digest.read()
      for (const place of members.filter((member) => isRequired(name, member))) {
        for (const body of [removedAt(bodyOf(name), place), replacedAt(bodyOf(name), place, null)]) {
          const text = `${textOf(place)} must be present: missing field \`${place.at(-1)}\``
          expectRefused(await post(name, body), 400, text)
        }
      }
      expect(digest.read()).toBe(before)
    })

    test('an optional field that is null is a field left out', async () => {
      for (const place of members.filter((member) => !isRequired(name, member))) {
        const withNull = await post(name, replacedAt(bodyOf(name), place, null))
        const without = await post(name, removedAt(bodyOf(name), place))
        expect([textOf(place), withNull.status]).toEqual([textOf(place), without.status])
      }
    })

    test('a value of another type is refused by its path, with what is expected there', async () => {
      const before = digest.read()
      for (const place of places.slice(1)) {
        const value = valueAt(sample, place)
        const wrong = isObject(value)
          ? [[], 'text', 1]
          : [{}, Array.isArray(value) ? 'text' : [value], inOtherType(value)]
        for (const replacement of wrong) {
          const answer = await post(name, replacedAt(bodyOf(name), place, replacement))
          expectRefused(answer, 400, `${textOf(place)} must be `)
          expect(answer.body.message).not.toContain('of another form')
        }
      }
      expect(digest.read()).toBe(before)
    })

    const idPlaces = places.filter((place) => isId(valueAt(sample, place)))

    test('an id in capitals is the same id', async () => {
      for (const place of idPlaces) {
        const body = bodyOf(name)
        expectSucceeded(name, await post(name, replacedAt(body, place, String(valueAt(body, place)).toUpperCase())))
      }
    })

    test('an id of no form is refused by its path', async () => {
      const before = digest.read()
      for (const place of idPlaces.filter((idPlace) => !ofOtherForms.test(textOf(idPlace)))) {
        for (const malformed of ['', 'id']) {
          const answer = await post(name, replacedAt(bodyOf(name), place, malformed))
          expectRefused(answer, 400, `${textOf(place)} must be a UUID`)
        }
      }
      expect(digest.read()).toBe(before)
    })

    test('`generateAppProofs` is taken beside the parameters and among them, as true, false or null', async () => {
      for (const place of flagPlaces(sample)) {
        for (const value of [true, false, null]) {
          expectSucceeded(name, await post(name, replacedAt(bodyOf(name), place, value)))
        }
        for (const value of ['true', 1, {}, []]) {
          const answer = await post(name, replacedAt(bodyOf(name), place, value))
          expectRefused(answer, 400, `${textOf(place)} must be true or false`)
        }
      }
    })
  })
}

function flagPlaces(body: object): readonly Place[] {
  return 'parameters' in body ? [['generateAppProofs'], ['parameters', 'generateAppProofs']] : [['generateAppProofs']]
}

/** The statuses of repeated requests that can succeed only once: targets of imports, passcodes and most tokens. */
const statusAfterwards: ReadonlyMap<string, number> = new Map([
  ['import_private_key', 400],
  ['import_wallet', 400],
  ['verify_otp', 400],
  ['otp_login', 400],
  ['create_sub_organization', 400],
  ['update_user_email', 400],
  ['update_user_phone_number', 400],
  ['replay_webhook_delivery', 404],
  ['delete_invitation', 400],
  ...neverFound.map((name) => [name, 404] as const),
])

function expectSucceeded(name: string, { status, body }: Answer): void {
  // A record can be deleted once.
  const afterwards = statusAfterwards.get(name) ?? (/^(delete|remove)_/.test(name) ? 404 : undefined)
  expect([200, afterwards], JSON.stringify(body)).toContain(status)
}

/** Fields that take more than UUIDs. */
const ofOtherForms = /oauth2CredentialId|otpId|signWith|operatorId|OperatorIds|endpointId/

function isId(value: unknown): boolean {
  return typeof value === 'string' && isUuid(value)
}

/** What a client without types writes: 900 for the text "900", and "true" for true. */
function inOtherType(value: unknown): unknown {
  return typeof value === 'string' ? (/^[0-9]+$/.test(value) ? Number(value) : 1.5) : String(value)
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
