import Type, { type TSchema } from 'typebox'
import type { AcceptedType, ActivityOperation, Operation } from '../../../contract/define.ts'
import { optional } from '../../../contract/fields/fields.ts'
import { named, view } from '../../../contract/fields/named.ts'
import { ActivityView } from '../../../contract/records/activity_view.ts'
import { operations, resources } from '../../../operations/catalogue.ts'
import { codeSamples } from './code_samples.ts'
import { exampleBody } from './examples.ts'
import { namedSchemas, schemaAsJson } from './named_schemas.ts'
import { resourceTitles } from './resource_titles.ts'

type Json = { readonly [member: string]: unknown }

type DocumentParts = {
  readonly version: string
  readonly publicUrl?: string | undefined
  /** How a reader of the examples starts the command line. */
  readonly command: string
}

/** OpenAPI 3.1 of every operation, derived from the operation files: there is no second description to keep in step. */
export function openApiDocument({ version, publicUrl, command }: DocumentParts): Json {
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
    tags: resources.map(({ name }) => ({ name: titleOf(name), description: resourceTitles[name]?.[1] })),
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
      schemas: namedSchemas([...schemasOf(operations), TimestampMs, ErrorAnswer]),
    },
  }
}

function titleOf(resource: string): string {
  return resourceTitles[resource]?.[0] ?? resource
}

function schemasOf(operations: readonly Operation[]): readonly TSchema[] {
  return operations.flatMap((operation) =>
    operation.kind === 'query'
      ? [operation.parameters, operation.result]
      : operation.types.flatMap(({ parameters, result }) => [parameters, result]),
  )
}

function describe(operation: Operation, { tag, command }: { readonly tag: string; readonly command: string }): Json {
  const answer = operation.kind === 'query' ? schemaAsJson(operation.result) : activityAnswerSchema(operation)
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
  if (operation.kind === 'query') return schemaAsJson(operation.parameters)
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
      timestampMs: schemaAsJson(TimestampMs),
      organizationId: { type: 'string', format: 'uuid' },
      parameters: schemaAsJson(parameters),
      generateAppProofs: { type: 'boolean' },
    },
  }
}

/** The schema of one operation's members, beside those that every activity has. */
function activityAnswerSchema({ types }: ActivityOperation): Json {
  const results = types.map(({ resultKey, result }) => [resultKey, schemaAsJson(result)])
  const own = {
    type: { enum: types.map(({ type }) => type) },
    result: { type: 'object', properties: Object.fromEntries(results) },
  }
  const activity = { allOf: [schemaAsJson(ActivityView), { type: 'object', properties: own }] }
  return { type: 'object', required: ['activity'], properties: { activity } }
}

const TimestampMs = Type.String({
  description: 'Milliseconds since 1970: at most 1 hour old, at most 5 minutes ahead.',
  ...named('TimestampMs'),
})

const ErrorAnswer = view('Error', {
  code: Type.Integer({ description: 'A gRPC status code.' }),
  message: Type.String(),
  details: Type.Array(Type.Object({})),
  turnkeyErrorCode: optional(Type.String({ description: 'The category, where there is one.' })),
})

const errorContent: Json = { 'application/json': { schema: schemaAsJson(ErrorAnswer) } }

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
