import Type, { type TSchema } from 'typebox'

const isBearerToken = Symbol('bearer token')

/**
 * A member of a result that is good for whoever has it, such as a session token. Only the submitter of the activity sees
 * it. The key of the mark is a symbol: no document shows it.
 */
export const BearerToken = Type.String({ [isBearerToken]: true })

/** The names of the bearer tokens in a result of this schema. */
export function bearerTokensOf(result: TSchema): readonly string[] {
  const properties: object = Reflect.get(result, 'properties') ?? {}
  return Object.entries(properties).flatMap(([name, member]) => (Object.hasOwn(member, isBearerToken) ? [name] : []))
}
