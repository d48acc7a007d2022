import { resources } from '../../operations/catalogue.ts'
import type { AcceptedType, ActivityOperation, Operation, Query } from '../../operations/define.ts'
import { codeSamples } from './code_samples.ts'
import { exampleBody } from './examples.ts'
import { resourceTitles } from './resource_titles.ts'

type Json = { readonly [member: string]: unknown }

/** OpenAPI 3.1 of every operation, derived from the operation files: there is no second description to keep in step. */
export function openApiDocument({
  version,
  publicUrl,
  command,
}: {
  readonly version: string
  readonly publicUrl?: string | undefined
  /** How a reader of the examples starts the command line. */
  readonly command: string
}): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Claviger',
      version,
      description:
        'Keys, wallets, users and organizations. Every request is a POST whose body bytes are signed; the signature travels in the header X-Stamp, made with an API key, X-Stamp-WebAuthn, made with a passkey, or X-Stamp-Attested, made with the key that a token names.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl ?? '/' }],
    security: [{ stamp: [] }, { passkeyStamp: [] }, { attestedStamp: [] }],
    tags: resources.map(({ name }) => ({ name: titleOf(name), description: resourceTitles[name]?.description })),
    paths: Object.fromEntries(
      resources.flatMap(({ name, operations }) =>
        operations.map((operation) => [operation.path, { post: describe(operation, { tag: titleOf(name), command }) }]),
      ),
    ),
    components: {
      securitySchemes: {
        stamp: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Stamp',
          description:
            'base64url of {"publicKey","scheme","signature"}; the signature is over exactly the bytes of the body.',
        },
        passkeyStamp: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Stamp-WebAuthn',
          description:
            '{"authenticatorData","clientDataJson","credentialId","signature"}, or base64url of it; the challenge is the hex SHA-256 of the body, as text.',
        },
        attestedStamp: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Stamp-Attested',
          description:
            '{"publicKeyAttestation","scheme","publicKey","signature"}, or base64url of it; the attestation is a verification token or an ID token that names the key, and a verification token is used up by it.',
        },
      },
      responses: { Refused: refused, Unanswered: unanswered },
      schemas: { Error: errorSchema },
    },
  }
}

function titleOf(resource: string): string {
  return resourceTitles[resource]?.title ?? resource
}

function describe(operation: Operation, { tag, command }: { readonly tag: string; readonly command: string }): Json {
  const answer = operation.kind === 'query' ? schemaFor(operation.result) : activityAnswerSchema(operation)
  return {
    operationId: operation.name,
    summary: operation.summary,
    tags: [tag],
    'x-codeSamples': codeSamples(operation, command),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: requestSchema(operation), example: exampleBody(operation) } },
    },
    responses: {
      200: { description: 'Done.', content: { 'application/json': { schema: answer } } },
      '4XX': { $ref: '#/components/responses/Refused' },
      '5XX': { $ref: '#/components/responses/Unanswered' },
    },
  }
}

function requestSchema(operation: Operation): Json {
  if (operation.kind === 'query') return schemaFor(operation.parameters)
  const envelopes = operation.types.map(envelopeSchema)
  const [only] = envelopes
  return envelopes.length === 1 && only !== undefined ? only : { oneOf: envelopes }
}

function envelopeSchema({ type, parameters }: AcceptedType): Json {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['type', 'timestampMs', 'organizationId', 'parameters'],
    properties: {
      type: { const: type },
      timestampMs: {
        type: 'string',
        description: 'Milliseconds since 1970: at most 1 hour old, at most 5 minutes ahead.',
      },
      organizationId: { type: 'string', format: 'uuid' },
      parameters: schemaFor(parameters),
      generateAppProofs: { type: 'boolean' },
    },
  }
}

function activityAnswerSchema({ types }: ActivityOperation): Json {
  const intentKeys = [...new Set(types.map(({ intentKey }) => intentKey))]
  const timestamp = { description: 'RFC 3339 text; {seconds, nanos} in the hosted dialect.' }
  const always = {
    id: { type: 'string' },
    organizationId: { type: 'string' },
    status: { type: 'string' },
    type: { enum: types.map(({ type }) => type) },
    intent: { type: 'object', description: `Holds ${intentKeys.join(' or ')}.` },
    result: {
      type: 'object',
      properties: Object.fromEntries(types.map(({ resultKey, result }) => [resultKey, schemaFor(result)])),
    },
    votes: { type: 'array', items: { type: 'object' } },
    fingerprint: { type: 'string' },
    canApprove: { type: 'boolean' },
    canReject: { type: 'boolean' },
    createdAt: timestamp,
    updatedAt: timestamp,
  }
  return {
    type: 'object',
    required: ['activity'],
    properties: {
      activity: {
        type: 'object',
        required: Object.keys(always),
        properties: {
          ...always,
          appProofs: { type: 'array', items: { type: 'object' }, description: 'When `generateAppProofs` was true.' },
        },
      },
    },
  }
}

/**
 * `expected` is how our schemas tell a caller what is right; readers of the document find it as the description, unless
 * the schema says the same by itself.
 */
function schemaFor(schema: Query['parameters']): Json {
  return JSON.parse(JSON.stringify(schema), (_key, value) => {
    if (typeof value !== 'object' || value === null || typeof value.expected !== 'string') return value
    const { expected, ...rest } = value
    const isPlain = 'enum' in rest || expected === 'an object'
    return isPlain ? rest : { ...rest, description: `Must be ${expected}.` }
  })
}

const errorSchema: Json = {
  type: 'object',
  required: ['code', 'message', 'details'],
  properties: {
    code: { type: 'integer', description: 'A gRPC status code.' },
    message: { type: 'string' },
    details: { type: 'array', items: { type: 'object' } },
    turnkeyErrorCode: { type: 'string', description: 'The category, where there is one.' },
  },
}

const errorContent: Json = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }

const refused: Json = {
  description:
    'Refused; the message names the field or the rule. 400: the request is wrong. 401: the stamp is wrong or unknown. 403: the rules do not allow it. 404: there is no such thing. 409: it exists already. 413: the body is too large. 429: a limit is reached.',
  content: errorContent,
}

const unanswered: Json = {
  description:
    '503: not now; the same bytes may be sent again after `Retry-After` seconds. 500: a fault of the server, whose message names an incident in its log.',
  headers: { 'Retry-After': { description: 'Seconds, with 503.', schema: { type: 'integer' } } },
  content: errorContent,
}
