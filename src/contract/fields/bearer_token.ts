import Type, { type TSchema } from 'typebox'
import { Failure } from '../../protocol/wire/failures.ts'
import { type JsonValue, parseBody } from '../../protocol/wire/json.ts'

const isBearerToken = Symbol('bearer token')

/**
 * A member of a result that serves every holder, such as a session token. Only the submitter of the activity sees
 * it. The key of the mark is a symbol: no document shows it.
 */
export const BearerToken = Type.String({ [isBearerToken]: true })

/** The names of the bearer tokens in a result of this schema. */
export function bearerTokensOf(result: TSchema): readonly string[] {
  const properties: object = Reflect.get(result, 'properties') ?? {}
  return Object.entries(properties).flatMap(([name, member]) => (Object.hasOwn(member, isBearerToken) ? [name] : []))
}

/**
 * Members of parameters, at any depth, that serve every holder until they are used up. A bundle is encrypted to the
 * server, and names no user who may send it. The id of a passcode belongs to them: without it nobody can try codes at
 * the server, nor find the few digits from the fingerprint of the request.
 */
export const bearerParameters: ReadonlySet<string> = new Set([
  ...['verificationToken', 'oidcToken', 'authCode', 'codeVerifier'],
  ...['otpId', 'otpCode', 'encryptedOtpBundle', 'encryptedBundle'],
])

/** Whether parameters of this schema can hold such a token. */
export function hasBearerParameters(parameters: TSchema): boolean {
  const text = JSON.stringify(parameters)
  return [...bearerParameters].some((name) => text.includes(`"${name}":`))
}

/** The member of a client's signature with the JSON that it signs. That may hold the tokens of identities too. */
const signedMember = 'message'

function holdsToken(message: string): boolean {
  try {
    const signed = parseBody(Buffer.from(message))
    return withoutBearerParameters(signed) !== signed
  } catch (error) {
    // No JSON: it signs nothing, and what it holds is unknown.
    if (error instanceof Failure) return true
    throw error
  }
}

/** The value with an empty text in place of each such token. The same value if it has none. */
export function withoutBearerParameters(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const shown = value.map(withoutBearerParameters)
    return shown.some((item, index) => item !== value[index]) ? shown : value
  }
  const members = Object.entries(value)
  const shown = members.map(([name, member]): [string, JsonValue] => {
    const isToken = bearerParameters.has(name) && typeof member === 'string'
    if (isToken || (name === signedMember && typeof member === 'string' && holdsToken(member))) return [name, '']
    return [name, withoutBearerParameters(member)]
  })
  return shown.some(([, member], index) => member !== members[index]?.[1]) ? Object.fromEntries(shown) : value
}
