import type { WaitingOrganization } from '../store/store.ts'
import type { Hands } from './worker.ts'

/** One look visits so many organizations. The next look goes on behind them. */
const organizationsPerLookMax = 64

/** The turn of one organization: it may begin at most `limit` deliveries now, which have these owners. */
export type Turn = { readonly organizationId: string; readonly limit: number; readonly owners: readonly string[] }

type DeliveryTurnsParts = {
  /** Deliveries at once. */
  readonly atOnceMax: number
  /** Deliveries of one organization at once. */
  readonly ofOrganizationMax: number
  /** Deliveries of an organization and its sub-organizations at once. It may make many of them. */
  readonly ofFamilyMax: number
  /** Deliveries of all sub-organizations of one parent at once. Their receivers are not the parent's. */
  readonly ofSubOrganizationsMax: number
  /** The next organization after this id in which something is due, and whose parent is another one. */
  readonly next: (from: {
    readonly after: string
    readonly exceptParent: string
  }) => Promise<WaitingOrganization | undefined>
  readonly takeDue: (turn: Turn, hands: Hands) => Promise<void>
}

/**
 * A look of a worker in which organizations take turns, each time from where the last look ended. Sub-organizations
 * that have all the deliveries that they may have together are passed over for the rest of the look, however many of them
 * wait. Their parent is not: it has places beside theirs.
 */
export function createDeliveryTurns(parts: DeliveryTurnsParts): (hands: Hands) => Promise<void> {
  const { atOnceMax, ofOrganizationMax, ofFamilyMax, ofSubOrganizationsMax, next, takeDue } = parts
  let lastOrganizationId = ''
  return async (hands) => {
    const visited = new Set<string>()
    let turns = 0
    let exceptParent = ''
    while (turns < organizationsPerLookMax && hands.count() < atOnceMax) {
      const organization = await nextOrganization(exceptParent)
      if (organization === undefined || visited.has(organization.organizationId)) return
      const { organizationId, parentId } = organization
      visited.add(organizationId)
      lastOrganizationId = organizationId
      const familyId = parentId ?? organizationId
      const family = `family ${familyId}`
      const below = parentId === null ? [] : [`below ${parentId}`]
      const roomOfFamily = () =>
        Math.min(ofFamilyMax - hands.count(family), ...below.map((all) => ofSubOrganizationsMax - hands.count(all)))
      const limit = Math.min(ofOrganizationMax - hands.count(organizationId), roomOfFamily(), atOnceMax - hands.count())
      // One without a place has no turn: several parents may have sub-organizations that have all their places.
      if (limit > 0) {
        turns += 1
        await takeDue({ organizationId, limit, owners: [organizationId, family, ...below] }, hands)
      }
      if (roomOfFamily() <= 0) exceptParent = familyId
    }
  }

  async function nextOrganization(exceptParent: string): Promise<WaitingOrganization | undefined> {
    const found = await next({ after: lastOrganizationId, exceptParent })
    return found ?? (lastOrganizationId === '' ? undefined : next({ after: '', exceptParent }))
  }
}
