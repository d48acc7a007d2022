import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import { type HttpOrganization, organizationOver } from '../support/http_organization.ts'
import { type Place, removedAt, replacedAt, textOf, valueAt } from '../support/json_places.ts'
import { claimsOf } from '../support/logins.ts'
import { type OidcIssuer, startOidcIssuer } from '../support/oidc_issuer.ts'
import { type Answer, expectRefused } from '../support/organization.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'
import { differencesFrom, faultsOf, resolve } from '../support/wire_forms.ts'
import { enumsIn, enumsOf, fieldNamesOf, fieldsIn, ofAnotherType } from './forms.ts'
import { prepareContractRequests, type Requests } from './requests.ts'
import {
  type Activity,
  activities,
  answerForm,
  bodyForm,
  type OperationName,
  type Query,
  queries,
} from './twenty_operations.ts'

/** The running server, with an empty data folder, against the interface as the table beside this has it. */

const table: Readonly<Record<string, Query | Activity>> = { ...queries, ...activities }
const names = Object.keys(table) as OperationName[]

let issuer: OidcIssuer
let server: RunningServer
let organization: HttpOrganization
let requests: Requests
beforeAll(async () => {
  issuer = await startOidcIssuer()
  server = await startRunningServer({
    flags: [
      ...['--oidc-issuers', issuer.url, '--oidc-audiences', `${issuer.clientId},another-client`],
      ...['--ca-file', issuer.caFile],
    ],
  })
  organization = organizationOver(server)
  requests = await prepareContractRequests(server, issuer)
})
afterAll(async () => {
  await server.stop()
  await issuer.close()
})

test('the table has five queries and fifteen activities', () => {
  expect([Object.keys(queries), Object.keys(activities)].map(({ length }) => length)).toEqual([5, 15])
})

describe.each(names)('%s', (name) => {
  const operation = rowOf(name)
  const form = bodyForm(operation)
  const isActivity = 'type' in operation

  /** Whole bodies of the operation's valid requests, with every field; each succeeds once, sent by its own signer. */
  function freshRequests() {
    return requests[name].map((make) => async () => {
      const { parameters, signer } = await make()
      const send = (body: unknown) => organization.post(operation.path, body, signer)
      return { body: bodyOf(operation, parameters), send }
    })
  }

  /** The same once more: with a time of its own, so that it is another request. */
  function again(body: unknown): unknown {
    return isActivity ? replacedAt(body, ['timestampMs'], String(organization.freshTimestampMs())) : body
  }

  test('takes exactly the fields of the table', async () => {
    const ours = operations.find((other) => other.path === operation.path)
    const parameters = ours?.kind === 'query' ? ours.parameters : ours?.types[0]?.parameters
    expect(withoutNamesOfClients(differencesFrom(parameters ?? {}, operation.parameters, 'parameters'))).toEqual([])
    const used = await Promise.all(freshRequests().map(async (fresh) => fieldsIn(form, (await fresh()).body)))
    const names = new Set(used.flat().map(({ name: field }) => field))
    const unused = fieldNamesOf(form).filter((field) => !names.has(field))
    expect(unused).toEqual([])
  })

  test('answers a request with every field in its form, with every value of every enum', async () => {
    const seen = new Map<string, Set<string>>()
    for (const fresh of freshRequests()) {
      const { body, send } = await fresh()
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

  test('refuses, without effect, what lacks a required field or has null, another type or an unknown value there, and names it', async () => {
    for (const fresh of freshRequests()) {
      const { body, send } = await fresh()
      const newest = await newestActivity()
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
      expect(await newestActivity()).toEqual(newest)
    }
  })

  test('takes a request without each optional field, or with null there', async () => {
    for (const fresh of freshRequests()) {
      for (const { place } of fieldsIn(form, (await fresh()).body).filter(({ field }) => field.isOptional)) {
        for (const change of [removedAt, (body: unknown) => replacedAt(body, place, null)]) {
          const { body: whole, send } = await fresh()
          const body = change(whole, place)
          const answer = await send(body)
          if (neededAlone.includes(textOf(place))) {
            expectRefused(answer, 400, 'oidcToken')
            continue
          }
          expect(answer.status, `${textOf(place)}: ${JSON.stringify(answer.body)}`).toBe(200)
          expect(faultsOf(answer.body, answerForm(operation))).toEqual([])
          if (isActivity) expectActivity(answer, body, operation)
        }
      }
    }
  })

  test('takes every value of an enum', async () => {
    for (const fresh of freshRequests()) {
      for (const { place, field } of fieldsIn(form, (await fresh()).body)) {
        const enumeration = resolve(field.form)
        for (const value of enumeration.kind === 'enum' ? enumeration.values : []) {
          const { body, send } = await fresh()
          const answer = await send(replacedAt(body, place, value))
          expect(answer.status, `${textOf(place)} ${value}: ${JSON.stringify(answer.body)}`).toBe(200)
        }
      }
    }
  })

  test('refuses a field that nobody knows, wherever it stands, and names it', async () => {
    for (const fresh of freshRequests()) {
      const { body, send } = await fresh()
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

describe('limits', () => {
  /** How long the token in the answer is valid, from when the activity was made. */
  function secondsOf({ body: { activity } }: Answer, token: string): number {
    return claimsOf(token).exp - Math.floor(Date.parse(activity.createdAt) / 1_000)
  }

  test('paginationOptions.limit of list_wallet_accounts is 1 to 100, and 10 when left out', async () => {
    const place = ['paginationOptions', 'limit']
    for (const [limit, count] of [
      ['1', 1],
      [undefined, 10],
      ['100', 43], // All but the first, which is the cursor.
    ] as const) {
      const { status, body } = await answerWith('list_wallet_accounts', place, limit)
      expect([limit, status, body.accounts?.length]).toEqual([limit, 200, count])
    }
    for (const limit of ['0', '101', '-1', '1.5', '']) {
      expectNamed(await answerWith('list_wallet_accounts', place, limit), place, limit)
    }
  })

  test('expirationSeconds of verify_otp is at most 86400, and an hour when left out', async () => {
    for (const seconds of ['1', '86400', undefined]) {
      const answer = await answerWith('verify_otp', ['expirationSeconds'], seconds)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      const { verificationToken } = answer.body.activity.result.verifyOtpResult
      expect(secondsOf(answer, verificationToken)).toBe(Number(seconds ?? 3_600))
    }
    for (const seconds of ['0', '86401', '-1', '1.5', '']) {
      const answer = await answerWith('verify_otp', ['expirationSeconds'], seconds)
      expectNamed(answer, ['parameters', 'expirationSeconds'], seconds)
    }
  })

  test('expirationSeconds of otp_login is 15 minutes when left out', async () => {
    for (const seconds of ['1', '86400', undefined]) {
      const answer = await answerWith('otp_login', ['expirationSeconds'], seconds)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      expect(secondsOf(answer, answer.body.activity.result.otpLoginResult.session)).toBe(Number(seconds ?? 900))
    }
  })
})

/** Optional in the table because either is enough, and each entry of the request has just one of them. */
const neededAlone = ['oidcToken', 'oidcClaims'].map((field) => `parameters.oauthProviders[0].${field}`)

/** The answer to the first valid request with another value for one parameter, or without it. */
async function answerWith(name: OperationName, place: Place, value: string | null | undefined): Promise<Answer> {
  const { parameters: valid, signer } = await requests[name][0]()
  const parameters = value === undefined ? removedAt(valid, place) : replacedAt(valid, place, value)
  return organization.post(rowOf(name).path, bodyOf(rowOf(name), parameters), signer)
}

/** The whole body, with every field of the envelope. */
function bodyOf(operation: Query | Activity, parameters: unknown): unknown {
  const { organizationId, freshTimestampMs } = organization
  if (!('type' in operation)) return replacedAt(parameters, ['organizationId'], organizationId)
  const proofs = operation.generateAppProofs === 'not listed' ? {} : { generateAppProofs: true }
  return { type: operation.type, timestampMs: String(freshTimestampMs()), organizationId, parameters, ...proofs }
}

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
  expect(activity).not.toHaveProperty('failure')
  const asked = valueAt(sent, ['generateAppProofs']) === true
  expect(Array.isArray(activity.appProofs) && activity.appProofs.length > 0).toBe(asked)
}

async function newestActivity(): Promise<unknown> {
  return (await organization.found('list_activities', { paginationOptions: { limit: '1' } })).activities
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
