import Type from 'typebox'
import type { AcceptedType, ActivityOperation } from '../../contract/define.ts'
import { compileCheck } from '../../contract/fields/check_object.ts'
import { Flag, fields, optional, Uuid } from '../../contract/fields/fields.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import type { JsonObject, JsonValue } from '../../protocol/wire/json.ts'

export type Envelope = {
  readonly organizationId: string
  readonly timestampMs: number
  readonly accepted: AcceptedType
  readonly parameters: JsonValue
}

const activityBody = fields({
  type: Type.String({ expected: 'an activity type' }),
  timestampMs: Type.String({ pattern: '^[0-9]{1,15}$', expected: 'milliseconds since 1970, as a string' }),
  organizationId: Uuid,
  parameters: Type.Record(Type.String(), Type.Unknown(), { expected: 'an object' }),
  generateAppProofs: optional(Flag),
})
const checkActivityBody = compileCheck(activityBody)
const envelopeNames = fieldNamesOf(activityBody)

const checkOrganization = compileCheck(fields({ organizationId: Uuid }))

/** Reads the envelope of an activity. Its `type` must be one that this path accepts. */
export function readEnvelope(operation: ActivityOperation, body: JsonObject): Envelope {
  refuseLooseParameters(operation, body)
  const envelope = checkActivityBody(body, '')
  const accepted = operation.types.find(({ type }) => type === envelope.type)
  if (accepted === undefined) {
    const types = operation.types.map(({ type }) => type).join(' or ')
    throw fieldInvalid('type', `${types} on this path`)
  }
  return {
    organizationId: envelope.organizationId,
    timestampMs: Number(envelope.timestampMs),
    accepted,
    // The parameters stay as they were sent. Their nulls are dropped when they are read.
    parameters: body.parameters ?? null,
  }
}

/** Says where parameters belong that stand beside the envelope, as clients without types write them. */
function refuseLooseParameters({ types }: ActivityOperation, body: JsonObject): void {
  const names = new Set(types.flatMap(({ parameters }) => fieldNamesOf(parameters)))
  const [first, ...others] = Object.keys(body).filter((name) => names.has(name) && !envelopeNames.includes(name))
  if (first === undefined) return
  throw fieldInvalid(first, `inside: put these into \`parameters\`: ${[first, ...others].join(', ')}`)
}

function fieldNamesOf(schema: object): readonly string[] {
  return 'properties' in schema ? Object.keys(schema.properties as object) : []
}

/** Reads the organization of a query, whose body is flat. The organization is needed before the parameters are read. */
export function readOrganizationId({ organizationId = null }: JsonObject): string {
  return checkOrganization({ organizationId }, '').organizationId
}
