import type { WaitingOrganization } from '../store/store.ts'
import type { Hands } from './worker.ts'

/** One look visits so many organizations. The next look goes on behind them. */
const organizationsPerLookMax = 64

/** The turn of one organization: it may begin at most `limit` deliveries now, which have these owners. */
export type Turn = { readonly organizationId: string; readonly limit: number; readonly owners: readonly string[] }

type Parts = {
  /** Deliveries at once. */
  readonly atOnceMax: number
  /** Deliveries of one organization at once. */
  readonly ofOrganizationMax: number
  /** Deliveries of an organization and its sub-organizations at once. It may make many of them. */
  readonly ofFamilyMax: number
  /** The next organization after this id in which something is due. */
  readonly next: (from: { readonly after: string }) => Promise<WaitingOrganization | undefined>
  readonly takeDue: (turn: Turn, hands: Hands) => Promise<void>
}

/** A look of a worker in which organizations take turns, each time from where the last look ended. */
export function createTurns(parts: Parts): (hands: Hands) => Promise<'more' | 'done'> {
  const { atOnceMax, ofOrganizationMax, ofFamilyMax, next, takeDue } = parts
  let lastOrganizationId = ''
  return async (hands) => {
    const visited = new Set<string>()
    while (visited.size < organizationsPerLookMax && hands.count() < atOnceMax) {
      const organization = await nextOrganization()
      if (organization === undefined || visited.has(organization.organizationId)) return 'done'
      const { organizationId } = organization
      visited.add(organizationId)
      lastOrganizationId = organizationId
      const family = familyOf(organization)
      const limit = Math.min(
        ofOrganizationMax - hands.count(organizationId),
        ofFamilyMax - hands.count(family),
        atOnceMax - hands.count(),
      )
      if (limit > 0) await takeDue({ organizationId, limit, owners: [organizationId, family] }, hands)
    }
    return hands.count() < atOnceMax ? 'more' : 'done'
  }

  async function nextOrganization(): Promise<WaitingOrganization | undefined> {
    const found = await next({ after: lastOrganizationId })
    return found ?? (lastOrganizationId === '' ? undefined : next({ after: '' }))
  }
}

/** The owner of the deliveries of an organization and its sub-organizations. */
function familyOf({ organizationId, parentId }: WaitingOrganization): string {
  return `family ${parentId ?? organizationId}`
}
