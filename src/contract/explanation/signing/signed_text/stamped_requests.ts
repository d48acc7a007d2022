import { activityNames } from '../../../../policy/language/names/activity_names.ts'
import { type JsonObject, type JsonValue, jsonObjectIn } from '../../../../protocol/wire/json.ts'
import type { Now } from '../../explain_context.ts'
import type { Note, Value } from '../../explanation.ts'
import { code, note, noteOf, shortName } from '../../shown_values.ts'
import { personalMessage } from './personal_messages.ts'
import { written } from './transaction_words.ts'

/**
 * Notes on the meaning of a payload to a server like this one. The signature of a body is the stamp of that request, if
 * the key is one of a user there. The signature of a message with a `tokenId` comes with a verification token.
 */
export function requestNotes(payload: Uint8Array, { organizationId }: Pick<Now, 'organizationId'>): readonly Note[] {
  const bytes = innermostMessage(payload)
  const body = jsonObjectIn(bytes)
  if (body === undefined) return mayBeBody(bytes) ? [unreadRequest] : []
  const members = membersOf(body)
  if (members.has('organizationid')) {
    const organization = organizationOf(members.get('organizationid'), organizationId)
    return [noteOf('isRequest', kindOf(members.get('type')), organization)]
  }
  const type = members.get('type')
  const isProof = members.has('tokenid') && typeof type === 'string' && type.startsWith('USAGE_TYPE_')
  return isProof ? [note('logsIn')] : []
}

const unknownOrganization = code('unknownOrganization')
const unreadRequest = noteOf('isRequest', code('unknownRequest'), unknownOrganization)

function innermostMessage(bytes: Uint8Array): Uint8Array {
  let inner = bytes
  for (let message = personalMessage(inner); message !== undefined; message = personalMessage(inner)) {
    inner = message.body
  }
  return inner
}

/** By their names as JSON has them. gRPC takes `organization_id` too, and some readers take names in any case. */
function membersOf(body: JsonObject): ReadonlyMap<string, JsonValue> {
  return new Map(Object.entries(body).map(([name, value]) => [name.replaceAll('_', '').toLowerCase(), value]))
}

/** Whether it may be a body for readers that are less strict than those here, which know which member counts. */
function mayBeBody(bytes: Uint8Array): boolean {
  const given = Buffer.from(bytes).toString('utf8')
  return /^\s*\{/.test(given) && /"organization_*id"\s*:/i.test(written(given))
}

const activityTypes: ReadonlySet<string> = new Set(activityNames.map((name) => `ACTIVITY_TYPE_${name}`))

/**
 * A query names no type: its stamp is good for every query that takes these members. A type that no activity has is a
 * text of who asks.
 */
function kindOf(type: JsonValue | undefined): Value {
  if (type === undefined) return code('anyQuery')
  if (typeof type !== 'string') return code('unknownRequest')
  return activityTypes.has(type.replace(/_V[0-9]{1,2}$/, '')) ? code(type) : shortName(type)
}

function organizationOf(given: JsonValue | undefined, own: string): Value {
  if (typeof given !== 'string') return unknownOrganization
  return given.toLowerCase() === own ? code('thisOrganization') : shortName(given)
}
