import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Schema from 'typebox/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { activityRequest, clientOf, ethereumAccount } from '../../../../test/support/client.ts'
import { type Server, startInProcess } from '../../../../test/support/in_process.ts'
import { repositoryFolder } from '../../../../test/support/running_server.ts'
import { operations, resources } from '../../../operations/catalogue.ts'
import { openApiDocument } from './openapi.ts'
import { resourceTitles } from './resource_titles.ts'

type Json = { readonly [member: string]: unknown }

const document = openApiDocument({ version: '1.2.3', command: 'npx claviger' })
const namedSchemas: Record<string, Json> = Object.fromEntries(
  Object.entries(membersOf(at(document, 'components', 'schemas'))),
)
const paths = new Map<string, Json>(Object.entries(membersOf(document.paths)))

function membersOf(value: unknown): Record<string, Json> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('expected an object')
  return value as Record<string, Json>
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error('expected a list')
  return value
}

/** The value at a path of names; every step must be there. */
function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce((found, name) => {
    const members = membersOf(found)
    if (!Object.hasOwn(members, name)) throw new Error(`there is no ${names.join(' ')}: ${name} is missing`)
    return members[name]
  }, value)
}

/** A schema of the document, with all that it refers to. */
function compiled(schema: Json) {
  return Schema.Compile({ ...schema, components: document.components })
}

const requestSchema = (path: string) =>
  membersOf(at(paths.get(path), 'post', 'requestBody', 'content', 'application/json', 'schema'))
const answerSchema = (path: string) =>
  membersOf(at(paths.get(path), 'post', 'responses', '200', 'content', 'application/json', 'schema'))

test('the document says what it is and which version of it', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.info).toMatchObject({ title: 'Claviger', version: '1.2.3' })
  const members = ['components', 'info', 'openapi', 'paths', 'security', 'servers', 'tags']
  expect(Object.keys(document).sort()).toEqual(members)
  expect(JSON.parse(JSON.stringify(document))).toEqual(document)
})

test('it names its license as SPDX does', () => {
  const { license } = JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8'))
  expect(at(document.info, 'license', 'identifier')).toBe(license)
  expect(at(document.info, 'license', 'name')).toMatch(/./)
})

test.each([
  [undefined, '/'],
  ['https://keys.example', 'https://keys.example'],
  ['https://example.com/keys', 'https://example.com/keys'],
])('with the public URL %s its server is %s', (publicUrl, url) => {
  expect(openApiDocument({ version: '1.2.3', publicUrl, command: 'npx claviger' }).servers).toEqual([{ url }])
})

test('its paths are exactly those of the operations, each for POST only', () => {
  expect([...paths.keys()].sort()).toEqual(operations.map(({ path }) => path).sort())
  for (const item of paths.values()) expect(Object.keys(item)).toEqual(['post'])
})

test('every operation has a name of its own, a summary and all three kinds of answers', () => {
  const posts = [...paths.values()].map((item) => membersOf(item.post))
  expect(new Set(posts.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const post of posts) {
    expect(post.operationId).toMatch(/^[a-z0-9_]+$/)
    expect(post.summary).toMatch(/^[A-Z].*\.$/)
    expect(Object.keys(membersOf(post.responses)).sort()).toEqual(['200', '4XX', '5XX'])
  }
})

test('every operation has one tag, which is that of its folder, and every tag is described', () => {
  const tags = listOf(document.tags).map(membersOf)
  expect(Object.keys(resourceTitles).sort()).toEqual(resources.map(({ name }) => name).sort())
  expect(new Set(tags.map(({ name }) => name)).size).toBe(resources.length)
  for (const { description } of tags) expect(description).toMatch(/^[A-Z].*\.$/)
  for (const resource of resources) {
    for (const { path } of resource.operations) {
      expect(at(paths.get(path), 'post', 'tags'), path).toEqual([resourceTitles[resource.name]?.[0]])
    }
  }
})

describe.each(operations)('$name', (operation) => {
  test('takes the types that the path accepts, the older ones too', () => {
    const schema = requestSchema(operation.path)
    if (operation.kind === 'query') return expect(schema.type).toBe('object')
    const envelopes = Array.isArray(schema.oneOf) ? schema.oneOf : [schema]
    const types = envelopes.map((envelope) => at(envelope, 'properties', 'type', 'const'))
    expect(types).toEqual(operation.types.map(({ type }) => type))
  })

  test('has schemas that are read by whoever reads JSON Schema', () => {
    for (const schema of [requestSchema(operation.path), answerSchema(operation.path)]) expectReadable(schema)
  })
})

test.each(Object.entries(namedSchemas))('the schema %s is read by whoever reads JSON Schema', (name, schema) => {
  expect(name).toMatch(/^[A-Z][A-Za-z0-9]+$/)
  expectReadable(schema)
})

function expectReadable(schema: Json): void {
  for (const part of schemasIn(schema)) {
    expect(keywords).toEqual(expect.arrayContaining(Object.keys(part)))
    if (typeof part.pattern === 'string') new RegExp(part.pattern, 'u')
    if (part.required !== undefined) {
      const names = Object.keys(membersOf(part.properties))
      expect(names).toEqual(expect.arrayContaining(listOf(part.required)))
    }
  }
  compiled(schema)
}

/** Of JSON Schema 2020-12, those that say something here; a keyword of our own would tell a reader nothing. */
const keywords = [
  ...['type', 'const', 'enum', 'oneOf', 'anyOf', 'allOf', 'description', 'format', '$ref', 'not'],
  ...['properties', 'patternProperties', 'additionalProperties', 'required', 'minProperties', 'maxProperties'],
  ...['items', 'minItems', 'maxItems', 'uniqueItems', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum'],
]

function schemasIn(schema: Json): readonly Json[] {
  const { properties = {}, patternProperties = {}, items, additionalProperties } = schema
  const lists = ['oneOf', 'anyOf', 'allOf'].flatMap((name) => (Array.isArray(schema[name]) ? schema[name] : []))
  const parts: unknown[] = [...Object.values(properties as Json), ...Object.values(patternProperties as Json), ...lists]
  const inner = [...parts, items, additionalProperties].filter((part) => typeof part === 'object' && part !== null)
  return [schema, ...inner.flatMap((part) => schemasIn(membersOf(part)))]
}

/** The parameters and the results of an operation. They are its own, even where another operation has the same. */
function wholeIn(path: string): readonly Json[] {
  const request = requestSchema(path)
  const envelopes = Array.isArray(request.oneOf) ? request.oneOf.map(membersOf) : [request]
  const parameters = envelopes.flatMap(({ properties }) => partOf(properties, 'parameters'))
  const [activity] = partOf(answerSchema(path).properties, 'activity')
  const own = activity?.allOf === undefined ? [] : listOf(activity.allOf).map(membersOf).slice(1)
  const results = own.flatMap(({ properties }) => [
    ...partOf(properties, 'result'),
    ...partOf(properties, 'result').flatMap((result) => Object.values(membersOf(result.properties))),
  ])
  return [...envelopes, ...parameters, answerSchema(path), ...results]
}

function partOf(properties: unknown, name: string): readonly Json[] {
  const members = membersOf(properties ?? {})
  return members[name] === undefined ? [] : [members[name]]
}

function needsName({ type, properties = {}, enum: values, pattern }: Json): boolean {
  if (Array.isArray(values) && values.length > 1) return true
  return pattern !== undefined || (type === 'object' && Object.keys(membersOf(properties)).length > 0)
}

test('every resource, its parts and its parameters have the names that clients know', () => {
  const resources = [
    ...['Activity', 'ApiKey', 'AppProof', 'Authenticator', 'BootProof', 'Config', 'Feature', 'FiatOnRampCredential'],
    ...['IpAllowlist', 'MfaPolicy', 'MfaStatus', 'Oauth2Credential', 'OauthProvider', 'Policy', 'PolicyEvaluation'],
    ...['PrivateKey', 'SessionProfile', 'SmartContractInterface', 'Tag', 'TvcApp', 'TvcDeployment', 'User', 'Vote'],
    ...['Wallet', 'WalletAccount', 'WebhookEndpointData'],
  ]
  const parts = [
    ...['Address', 'AddressFormat', 'AuthenticationMethod', 'Credential', 'CredentialType', 'Curve', 'Effect'],
    ...['PageInfo', 'Pagination', 'Quorum', 'RequiredAuthenticationMethod', 'Timestamp', 'TvcOperatorSet'],
  ]
  const parameters = [
    ...['ApiKeyParams', 'ApiKeyParamsV2', 'Attestation', 'AuthenticatorParams', 'AuthenticatorParamsV2'],
    ...['ClientSignature', 'InvitationParams', 'OauthProviderParams', 'OauthProviderParamsV2', 'PrivateKeyParams'],
    ...['RootUserParamsV5', 'Selector', 'SelectorV2', 'UserParamsV4', 'WalletAccountParams', 'WalletParams'],
  ]
  const file = 'node_modules/@turnkey/http/dist/__generated__/services/coordinator/public/v1/public_api.types.d.ts'
  const known = readFileSync(join(repositoryFolder, file), 'utf8')
  for (const name of [...resources, ...parts, ...parameters]) {
    expect(Object.keys(namedSchemas)).toContain(name)
    expect(known, name).toMatch(
      new RegExp(`^    "?(external|immutable)?(api|data|activity|common)?(v1)?${name}"?:`, 'm'),
    )
  }
})

test('what clients do not know has a name of ours', () => {
  const ours = ['AuthProxyConfig', 'Explanation', 'Invitation', 'OrganizationData', 'Simulation', 'VelocityControl']
  expect(Object.keys(namedSchemas)).toEqual(expect.arrayContaining([...ours, 'Uuid', 'Label', 'Email']))
})

test('what several operations or schemas have is written once', () => {
  const whole = new Set(operations.flatMap(({ path }) => wholeIn(path)))
  const written = operations.flatMap(({ path }) => [requestSchema(path), answerSchema(path)])
  const texts = [...written, ...Object.values(namedSchemas)].flatMap((schema) => {
    const parts = schemasIn(schema).filter((part) => !whole.has(part) && needsName(part))
    return [...new Set(parts.map((part) => JSON.stringify(part)))] // one operation may have a part several times
  })
  expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([])
})

test('the document is the same each time, and the named schemas stand in the order of their names', () => {
  const again = openApiDocument({ version: '1.2.3', command: 'npx claviger' })
  expect(JSON.stringify(again)).toBe(JSON.stringify(document))
  expect(Object.keys(namedSchemas)).toEqual(Object.keys(namedSchemas).sort())
})

test('every reference leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target = '']) => target)
  expect(references.length).toBeGreaterThan(0)
  for (const reference of new Set(references)) {
    expect(reference).toMatch(/^#\//)
    at(document, ...reference.slice(2).split('/'))
  }
})

test('every response and every schema of the components is used, and every response is described', () => {
  const text = JSON.stringify(document)
  for (const kind of ['responses', 'schemas']) {
    for (const name of Object.keys(membersOf(at(document, 'components', kind)))) {
      expect(text).toContain(`"$ref":"#/components/${kind}/${name}"`)
    }
  }
  for (const response of Object.values(membersOf(at(document, 'components', 'responses')))) {
    expect(response.description).toMatch(/./)
  }
})

test('every name of a security scheme is one that is described', () => {
  const requirements = document.security as readonly Json[]
  expect(requirements.length).toBeGreaterThan(0)
  for (const requirement of requirements) {
    for (const name of Object.keys(requirement)) at(document, 'components', 'securitySchemes', name)
  }
})

describe('what the server really takes and gives', () => {
  let server: Server
  let root: Awaited<ReturnType<Server['createOrganization']>>
  beforeAll(async () => {
    server = await startInProcess()
    root = await server.createOrganization()
  })
  afterAll(() => server.close())

  function expectValid(schema: Json, value: unknown): void {
    const [valid, errors] = compiled(schema).Errors(value)
    expect({ valid, errors }).toEqual({ valid: true, errors: [] })
  }

  test('is described, for an activity and for what reads it back', async () => {
    const { organizationId, apiKey } = root
    const parameters = { walletName: 'described', accounts: [ethereumAccount("m/44'/60'/0'/0/0")] }
    const request = activityRequest('create_wallet', { organizationId, parameters, timestampMs: Date.now() })
    expectValid(requestSchema(request.path), JSON.parse(request.body))
    const created = await server.post(request.path, request.body, apiKey)
    expect(created.status).toBe(200)
    expectValid(answerSchema(request.path), created.body)

    const client = clientOf(server, root)
    for (const [name, asked] of [
      ['whoami', {}],
      ['get_organization', {}],
      ['get_organization_configs', {}],
      ['list_users', {}],
      ['get_user', { userId: root.userId }],
      ['get_api_keys', {}],
      ['list_wallets', {}],
      ['list_wallet_accounts', {}],
      ['list_suborgs', {}],
      ['list_private_keys', {}],
      ['list_activities', { paginationOptions: { limit: '10' } }],
      ['get_activity', { activityId: created.body.activity.id }],
    ] as const) {
      const path = `/public/v1/query/${name}`
      expectValid(requestSchema(path), { organizationId, ...asked })
      const answer = await client.query(name, asked)
      expect(answer.status, name).toBe(200)
      expectValid(answerSchema(path), answer.body)
    }
  })

  test('is described for a refusal', async () => {
    const refused = await clientOf(server, root).query('get_user', { userId: 'nobody' })
    expect(refused.status).toBe(400)
    expectValid(membersOf(namedSchemas.Error), refused.body)
  })

  test('does not describe what is refused', () => {
    const schema = requestSchema('/public/v1/query/whoami')
    for (const refused of [{}, { organizationId: 'a' }, { organizationId: root.organizationId, unknown: 1 }, []]) {
      expect(compiled(schema).Check(refused), JSON.stringify(refused)).toBe(false)
    }
  })
})
