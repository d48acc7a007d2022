import { execFileSync } from 'node:child_process'
import { Turnkey } from '@turnkey/sdk-server'
import Type from 'typebox'
import Schema from 'typebox/schema'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Server, startInProcess } from '../../../../test/support/in_process.ts'
import type { Operation } from '../../../contract/define.ts'
import { operations } from '../../../operations/catalogue.ts'
import { codeSamples } from './code_samples.ts'
import { uuid } from './example_values.ts'
import { exampleBody, exampleParameters } from './examples.ts'
import { openApiDocument } from './openapi.ts'

const command = 'npx claviger'
const { paths, components } = JSON.parse(JSON.stringify(openApiDocument({ version: '1.2.3', command })))
const mediaTypeOf = ({ path }: Operation) => paths[path].post.requestBody.content['application/json']
const sourceOf = (operation: Operation, lang: string) =>
  codeSamples(operation, command).find((sample) => sample.lang === lang)?.source ?? ''

test.each(operations)('the example of $name is one that its schema takes', (operation) => {
  const { schema, example } = mediaTypeOf(operation)
  expect(example).toEqual(exampleBody(operation))
  const remedy = `${operation.name}: give the field an example in src/service/http/openapi/example_values.ts`
  expect(Schema.Compile({ ...schema, components }).Errors(example), remedy).toEqual([true, []])
})

test('a field without an example keeps no server from starting', () => {
  const [operation] = operations.filter(({ kind }) => kind === 'query')
  if (operation?.kind !== 'query') throw new Error('there is a query')
  const parameters = Type.Object({ gadgetForm: Type.Union([Type.Null(), Type.Integer()]) })
  expect(exampleParameters({ ...operation, name: 'get_gadget', parameters })).toEqual({ gadgetForm: 'gadget form' })
})

test('the command of every operation gives a shell its name and its example', () => {
  const lines = operations.map((operation) => sourceOf(operation, 'Shell'))
  const script = `npx() { printf '%s\\0' "$#" "$@"; }\n${lines.join('\n')}\n`
  const words = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0')
  for (const operation of operations) {
    const count = Number(words.shift())
    const [program, command, name, flag, body = '{}'] = words.splice(0, count)
    expect([program, command, name]).toEqual(['claviger', 'request', operation.name])
    expect(flag).toBe(count === 3 ? undefined : '--body')
    const envelope = operation.kind === 'query' ? {} : { type: operation.types[0]?.type, timestampMs: '1767225600000' }
    expect({ organizationId: uuid, ...envelope, ...JSON.parse(body) }).toEqual(exampleBody(operation))
  }
})

test.each(operations)('the call of $name makes the client package send the example', async (operation) => {
  const credentials = { apiPublicKey: '02', apiPrivateKey: '00' } // nothing is stamped: the request is taken before
  const url = 'http://127.0.0.1:1'
  const client = new Turnkey({ apiBaseUrl: url, ...credentials, defaultOrganizationId: uuid }).apiClient()
  const sent: { path: string; body: Record<string, unknown> }[] = []
  const answer = { activity: { status: 'ACTIVITY_STATUS_COMPLETED', result: {} } }
  const request = async (path: string, body: Record<string, unknown>) => {
    sent.push({ path, body })
    return answer
  }
  Object.assign(client, { request })
  const run = new Function(
    'client',
    'organizationId',
    `return (async () => { ${sourceOf(operation, 'JavaScript')} })()`,
  )
  await run(client, uuid)
  const [{ path, body } = { path: '', body: {} }] = sent
  expect([sent.length, path]).toEqual([1, operation.path])
  expect(Schema.Compile({ ...mediaTypeOf(operation).schema, components }).Errors(body)).toEqual([true, []])
  const parameters = operation.kind === 'query' ? { ...body, organizationId: undefined } : body.parameters
  expect(parameters).toEqual(exampleParameters(operation))
})

test('an organization that a call ends is named in it', () => {
  const ending = operations.filter((operation) => operation.kind === 'activity' && operation.endsOrganization)
  expect(ending.length).toBeGreaterThan(0)
  for (const operation of ending) {
    for (const { source } of codeSamples(operation, command)) expect(source).toContain(uuid)
  }
})

/** Tokens, secrets and attestations cannot be made up, and a root quorum of nobody is wrong: 400. */
const wrongByNature: readonly string[] = [
  ...['accept_invitation', 'create_authenticators', 'recover_user', 'oauth_login', 'otp_login', 'update_root_quorum'],
  ...['create_fiat_on_ramp_credential', 'create_oauth2_credential'],
]

let server: Server
let root: Awaited<ReturnType<Server['createOrganization']>>
beforeAll(async () => {
  server = await startInProcess()
  root = await server.createOrganization()
})
afterAll(() => server.close())

test.each(operations)(
  'a server that gets the example of $name finds nothing wrong but what is made up',
  async (operation) => {
    const { organizationId, apiKey } = root
    const timestampMs = operation.kind === 'activity' ? { timestampMs: String(Date.now()) } : {}
    const endsOrganization = operation.kind === 'activity' && operation.endsOrganization
    const body = { ...exampleBody(operation), ...timestampMs, ...(endsOrganization ? {} : { organizationId }) }
    const { status, body: answer } = await server.post(operation.path, JSON.stringify(body), apiKey)
    expect(wrongByNature.includes(operation.name) ? [400] : [200, 404], JSON.stringify(answer)).toContain(status)
  },
)
