import { builder, query } from './query.ts'

/** Two equal marks of an organization: neither its head nor its list of activities has changed between them. */
export type ChangeMark = {
  readonly organizationId: string
  readonly parentId: string | null
  /** The version of the head. */
  readonly version: number
  /** The place of the newest activity; null before the first one. */
  readonly sequence: number | null
}

/** One statement reads the marks of so many organizations. */
const portionMax = 64
const places = Array.from({ length: portionMax }, (_, index): Place => `organization${index}`)

type Place = `organization${number}`
type Portion = Record<Place, string>

export const changeMarkQueries = {
  changeMarks: query<Portion>()((bind) =>
    builder
      .selectFrom('organizations')
      .select(({ selectFrom }) => [
        'organization_id as organizationId',
        'parent_id as parentId',
        'version',
        selectFrom('activities')
          .select(({ fn }) => fn.max<number | null>('sequence').as('newest'))
          .whereRef('activities.organization_id', '=', 'organizations.organization_id')
          .as('sequence'),
      ])
      .where('organization_id', 'in', places.map(bind)),
  ),
} as const

/** Fills the places of the statement. In the last portion an organization stands several times. */
export function portionsOf(organizationIds: readonly string[]): readonly Portion[] {
  const portions: Portion[] = []
  for (let from = 0; from < organizationIds.length; from += portionMax) {
    const named = organizationIds.slice(from, from + portionMax)
    portions.push(Object.fromEntries(places.map((place, index) => [place, named[index] ?? named[0] ?? ''])))
  }
  return portions
}
