import { isStruct, type Struct, structsIn } from '../language/expression_values.ts'
import { deedsOfQuorum } from '../language/names/activity_forms.ts'
import type { Environment } from '../language/running/environment.ts'

/**
 * Another spelling of the same signature: the parameters that the activity could have had in their place. No rule can
 * name `respelled`, where they stand beside `activity`.
 */
export type Respelled = {
  readonly encoding?: string
  readonly hash_function?: string
  /** One of several payloads has this spelling. A rule that allows is not asked about it: it is about all of them. */
  readonly in_part?: true
  /**
   * The payload is a digest, perhaps of such bytes. A rule that guards is asked about it if it writes the name of the hash:
   * one that denies all but digests goes on to let them pass.
   */
  readonly of_digest?: true
}

/**
 * The environments of a request in each of its spellings, first in that of who asked. A deed of the root quorum alone has
 * no resource and no action; in a rule that guards it has those of what it does as well.
 */
export function spellings(text: string, environment: Environment): readonly Environment[] {
  const { keywords, guards } = environment
  const { activity, respelled } = keywords
  if (activity === undefined || !isStruct(activity)) return [environment]
  const spelledBy = (other: Struct) => ({
    ...environment,
    keywords: { ...keywords, activity: { ...activity, ...other } },
  })
  const deed = guards === true && deedFields.test(text) ? deedOfQuorum(activity) : undefined
  const params = activity.params !== undefined && isStruct(activity.params) ? activity.params : {}
  const others = respelled !== undefined && spelledFields.test(text) ? structsIn(respelled) : []
  return [
    environment,
    ...(deed === undefined ? [] : [spelledBy(deed)]),
    ...others
      .filter((other) => isAsked(other, { text, guards }))
      .map(({ in_part: _, of_digest: __, ...other }) => spelledBy({ params: { ...params, ...other } })),
  ]
}

function isAsked(
  { in_part: inPart, of_digest: ofDigest, hash_function: hash }: Struct,
  { text, guards }: { readonly text: string; readonly guards: boolean | undefined },
): boolean {
  if (ofDigest === true && !text.includes(String(hash))) return false
  return guards === true || (inPart === undefined && ofDigest === undefined)
}

function deedOfQuorum({ type }: Struct): Struct | undefined {
  return typeof type === 'string' ? deedsOfQuorum.get(type.replace('ACTIVITY_TYPE_', '')) : undefined
}

/** The only way to a field is its name. */
const spelledFields = /\b(encoding|hash_function)\b/
const deedFields = /\b(resource|action)\b/
