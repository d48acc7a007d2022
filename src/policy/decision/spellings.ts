import type { Environment } from '../language/running/environment.ts'
import { isStruct, structsIn } from '../language/values.ts'

/**
 * Another spelling of the same signature: the parameters that the activity could have had in their place. No rule can
 * name `respelled`, where they stand beside `activity`.
 */
export type Respelled = {
  readonly encoding?: string
  readonly hash_function?: string
  /** One of several payloads has this spelling. A rule that allows is not asked about it: it is about all of them. */
  readonly in_part?: true
}

/** The environments of a request in each of its spellings, first in that of who asked. */
export function spellings(text: string, environment: Environment): readonly Environment[] {
  const { keywords, guards } = environment
  const { activity, respelled } = keywords
  if (respelled === undefined || activity === undefined || !isStruct(activity) || !spelledFields.test(text)) {
    return [environment]
  }
  const params = activity.params !== undefined && isStruct(activity.params) ? activity.params : {}
  const others = structsIn(respelled).filter((other) => guards === true || other.in_part === undefined)
  return [
    environment,
    ...others.map(({ in_part: _, ...other }) => ({
      ...environment,
      keywords: { ...keywords, activity: { ...activity, params: { ...params, ...other } } },
    })),
  ]
}

/** The only way to a parameter is its name. */
const spelledFields = /\b(encoding|hash_function)\b/
