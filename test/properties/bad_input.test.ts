import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import { openDatabaseDigest } from '../support/database_digest.ts'
import { type Place, placesIn, removedAt, replacedAt, valueAt } from '../support/json_places.ts'
import { absentId, expectRefused } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { stampWith } from '../support/stamping.ts'
import { prepareRequests } from '../support/valid_requests.ts'
import { wireNames } from '../support/wire_forms.ts'

/**
 * A request that succeeds, changed in a few places and rightly stamped, is accepted or refused: it never fails
 * inside, and when it is refused it changes nothing. `CLAVIGER_TEST_RUNS` sets how many are tried, `CLAVIGER_TEST_SEED`
 * repeats a run: the seed stands in the failure.
 */
const runs = Number(process.env.CLAVIGER_TEST_RUNS ?? 500)
const seed = Number(process.env.CLAVIGER_TEST_SEED ?? Date.now() % 2 ** 31)

const bodyBytesMax = 1_048_576

const organization = await startOrganizationWithIssuer({
  limits: {
    usersMax: 10_000,
    invitationsMax: 10_000,
    walletsMax: 10_000,
    privateKeysMax: 10_000,
    tagsMax: 10_000,
    oauthProvidersPerUserMax: 10_000,
    providerCredentialsMax: 10_000,
    authenticatorsPerUserMax: 10_000,
    mfaPoliciesPerUserMax: 10_000,
  },
})
const { server, clock, organizationId } = organization
const requests = await prepareRequests(organization)
const other = await server.createOrganization()
const digest = openDatabaseDigest(server)
const ids = [organizationId, organization.rootUserId, other.organizationId, other.userId, absentId]
afterAll(() => digest.close())

const strangeNames = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'then',
  'length',
  '0',
  '',
  'a/b~c',
  '𝓪',
  'x'.repeat(5_000),
]

/** What stands for nothing that any field expects, or for what some other field does. */
const strangeValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    '',
    ' ',
    '0',
    '-1',
    '1e9',
    'null',
    '\u0000',
    '\ud800',
  ),
  fc.constantFrom<unknown>([], {}, [[]], [null], [{}], ['']),
  fc.constantFrom(...['x', '😀', '\u202e', '\\', '"', "'", '%', '$', '../', '0x'].map((text) => text.repeat(20_000))),
  fc.constantFrom(
    organizationId,
    absentId,
    other.organizationId,
    other.userId,
    absentId.toUpperCase(),
    `{${absentId}}`,
  ),
  fc.constantFrom(
    'CURVE_P256',
    'CURVE_ED25519',
    'ADDRESS_FORMAT_SOLANA',
    'ADDRESS_FORMAT_XRP',
    'HASH_FUNCTION_NO_OP',
    "m/44'/60'",
  ),
  fc.constantFrom('PAYLOAD_ENCODING_EIP712', 'PAYLOAD_ENCODING_HEXADECIMAL', 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION'),
  fc.jsonValue({ maxDepth: 4 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
)

/** What some field does expect, so that a request gets past the first glance. */
const plausibleValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    true,
    false,
    1,
    12,
    24,
    '1',
    '100',
    '900',
    null,
    [],
    'name',
    'é',
    '😀'.repeat(256),
    'ada@example.com',
  ),
  fc.constantFrom('m', "m/44'/501'/0'/0'", 'm/0/2147483647', '00'.repeat(32), '0xdeadbeef', '{}', '+14155550123'),
  fc.constantFrom(...ids),
  fc.constantFrom(...requests.names.flatMap((name) => textsIn(requests.parametersOf(name)))),
  fc.constantFrom(...Object.values(wireNames.enums).flat()),
)

type Mutation = { readonly at: number; readonly change: Change }
type Change =
  | { readonly kind: 'drop' | 'double' | 'null' | 'swap' }
  | { readonly kind: 'replace'; readonly value: unknown }
  | { readonly kind: 'add'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'repeat'; readonly count: number }

const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary })
/** Any place as likely as any other: left to itself, the library prefers the first. */
const anyNumber = fc.noBias(fc.nat())
const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: anyNumber,
  change: fc.oneof(
    weighted(6, fc.record({ kind: fc.constant('replace' as const), value: plausibleValue })),
    weighted(2, fc.record({ kind: fc.constant('replace' as const), value: strangeValue })),
    weighted(
      3,
      fc.record({ kind: fc.constantFrom('drop' as const, 'double' as const, 'null' as const, 'swap' as const) }),
    ),
    weighted(
      1,
      fc.record({ kind: fc.constant('add' as const), name: fc.constantFrom(...strangeNames), value: strangeValue }),
    ),
    weighted(1, fc.record({ kind: fc.constant('repeat' as const), count: fc.constantFrom(2, 20, 101, 1_001, 20_000) })),
  ),
})
const mutations = fc.oneof(
  weighted(3, fc.array(mutation, { minLength: 1, maxLength: 1 })),
  weighted(1, fc.array(mutation, { minLength: 2, maxLength: 4 })),
)

/** Sometimes the text itself is damaged: a piece of it is cut out, or something stands in it that does not belong. */
const damage = fc.oneof(
  weighted(20, fc.constant(null)),
  weighted(
    1,
    fc.record({
      at: anyNumber,
      cut: fc.nat({ max: 3 }),
      insert: fc.constantFrom('', '{', '}', '"', ',', '\\', '\u0000', '[', '1', 'é'),
    }),
  ),
)

function textsIn(value: unknown): readonly unknown[] {
  return placesIn(value)
    .map((place) => valueAt(value, place))
    .filter((inner) => typeof inner === 'string')
}

function mutated(body: unknown, { at, change }: Mutation): unknown {
  const places = placesIn(body).slice(1)
  const place = places[at % places.length] ?? []
  switch (change.kind) {
    case 'drop':
      return removedAt(body, place)
    case 'null':
      return replacedAt(body, place, null)
    case 'double':
      return replacedAt(body, place, [valueAt(body, place), valueAt(body, place)])
    case 'swap': {
      const another: Place = places[(at >> 8) % places.length] ?? []
      return replacedAt(body, place, valueAt(body, another))
    }
    case 'replace':
      return replacedAt(body, place, change.value)
    case 'add':
      return replacedAt(body, [...nearestObject(body, place), change.name], change.value)
    case 'repeat':
      return replacedAt(body, place, repeatedValue(valueAt(body, place), change.count))
  }
}

function nearestObject(body: unknown, place: Place): Place {
  const value = valueAt(body, place)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject || place.length === 0 ? place : nearestObject(body, place.slice(0, -1))
}

/** Many times over, but not much more than a body can hold. */
function repeatedValue(value: unknown, count: number): unknown {
  if (typeof value === 'string') return value.slice(0, 300).repeat(count).slice(0, 300_000)
  if (!Array.isArray(value) || value.length === 0) return value
  const length = Math.min(count, Math.ceil(bodyBytesMax / JSON.stringify(value[0]).length))
  return Array.from({ length }, () => value[0])
}

function bodyOf(name: string): unknown {
  const operation = operations.find((one) => one.name === name)
  const parameters = requests.parametersOf(name)
  if (operation?.kind !== 'activity') return { organizationId, ...parameters }
  clock.nowMs += 1
  return { type: operation.types[0]?.type, timestampMs: String(clock.nowMs), organizationId, parameters }
}

const refusals = [400, 401, 403, 404, 409, 429]
const outcomes = new Map<number, number>()

/** Sends what came of the mutations; a shrunk case starts from a valid request again. */
async function send(
  name: string,
  changes: readonly Mutation[],
  broken: { at: number; cut: number; insert: string } | null,
) {
  const sound = JSON.stringify(changes.reduce(mutated, bodyOf(name)))
  const at = (broken?.at ?? 0) % sound.length
  const text = broken === null ? sound : sound.slice(0, at) + broken.insert + sound.slice(at + broken.cut)
  const bytes = Buffer.from(text)
  // What is longer never reaches the vault.
  fc.pre(bytes.length <= bodyBytesMax)
  const path = operations.find((one) => one.name === name)?.path ?? ''
  const stamps = [{ header: 'x-stamp', value: stampWith(requests.signerOf(name), bytes) }] as const
  const answer = await server.submit({ path, body: bytes, stamps, dialect: 'spec', sourceAddress: '127.0.0.1' })
  if (answer.status === 200) await requests.renew(name)
  return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString('utf8')) }
}

test(`${runs} bad requests are refused without a change (seed ${seed})`, { timeout: 60_000 + runs * 100 }, async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...requests.names),
    mutations,
    damage,
    async (name, changes, broken) => {
      const before = digest.read()
      const answer = await send(name, changes, broken)
      outcomes.set(answer.status, (outcomes.get(answer.status) ?? 0) + 1)
      if (answer.status === 200) return
      expect(refusals, JSON.stringify(answer.body)).toContain(answer.status)
      expectRefused(answer, answer.status)
      expect(digest.read(), 'a refused request changed something').toBe(before)
    },
  )
  await fc.assert(property, { numRuns: runs, seed })
  // Were nearly all of them refused at the first glance, or accepted, little would have been tried.
  expect([...outcomes.keys()], JSON.stringify([...outcomes])).toEqual(expect.arrayContaining([200, 400, 404]))
})
