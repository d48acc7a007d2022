import type { WaitingOrganization } from '../store/store.ts'
import type { Hands } from './worker.ts'

/** One look visits so many organizations. The next look goes on behind them. */
const organizationsPerLookMax = 64

/** The turn of one organization: it may begin at most `limit` deliveries now, which have these owners. */
export type Turn = { readonly organizationId: string; readonly limit: number; readonly owners: readonly string[] }

type TurnsParts = {
  /** Deliveries at once. */
  readonly atOnceMax: number
  /** Deliveries of one organization at once. */
  readonly ofOrganizationMax: number
  /** Deliveries of an organization and its sub-organizations at once. It may make many of them. */
  readonly ofFamilyMax: number
  /** The next organization after this id in which something is due, and which is not of the family. */
  readonly next: (from: {
    readonly after: string
    readonly exceptFamily: string
  }) => Promise<WaitingOrganization | undefined>
  readonly takeDue: (turn: Turn, hands: Hands) => Promise<void>
}

/**
 * A look of a worker in which organizations take turns, each time from where the last look ended. A family that has all
 * the deliveries that it may have is passed over for the rest of the look, however many of its organizations wait. Two
 * such families have all the deliveries that there are.
 */
export function createDeliveryTurns(parts: TurnsParts): (hands: Hands) => Promise<void> {
  const { atOnceMax, ofOrganizationMax, ofFamilyMax, next, takeDue } = parts
  let lastOrganizationId = ''
  return async (hands) => {
    const visited = new Set<string>()
    let exceptFamily = ''
    while (visited.size < organizationsPerLookMax && hands.count() < atOnceMax) {
      const organization = await nextOrganization(exceptFamily)
      if (organization === undefined || visited.has(organization.organizationId)) return
      const { organizationId } = organization
      visited.add(organizationId)
      lastOrganizationId = organizationId
      const familyId = organization.parentId ?? organizationId
      const family = `family ${familyId}`
      const limit = Math.min(
        ofOrganizationMax - hands.count(organizationId),
        ofFamilyMax - hands.count(family),
        atOnceMax - hands.count(),
      )
      if (limit > 0) await takeDue({ organizationId, limit, owners: [organizationId, family] }, hands)
      if (hands.count(family) >= ofFamilyMax) exceptFamily = familyId
    }
  }

  async function nextOrganization(exceptFamily: string): Promise<WaitingOrganization | undefined> {
    const found = await next({ after: lastOrganizationId, exceptFamily })
    return found ?? (lastOrganizationId === '' ? undefined : next({ after: '', exceptFamily }))
  }
}
