import { distinctIds } from '../../../contract/fields/ids.ts'
import { Failure } from '../../../protocol/wire/failures.ts'

/**
 * Removes credentials of one kind by their ids. `removedIds`: the ids in lower case, each once. `name`: the name of the
 * kind in the message. Throws NOT_FOUND for an id that no credential has.
 */
export function withoutCredentials<T>(
  credentials: readonly T[],
  givenIds: readonly string[],
  { name, idOf }: { readonly name: string; readonly idOf: (credential: T) => string },
): { readonly removedIds: string[]; readonly left: readonly T[] } {
  const removedIds = distinctIds(givenIds)
  const absentId = removedIds.find((id) => !credentials.some((credential) => idOf(credential) === id))
  if (absentId !== undefined) throw new Failure('NOT_FOUND', `there is no ${name} ${absentId} of this user`)
  return { removedIds, left: credentials.filter((credential) => !removedIds.includes(idOf(credential))) }
}
