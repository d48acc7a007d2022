import type { Store, WaitingEndpoint, WaitingOrganization } from '../../store/store.ts'
import { FamilyLines } from './family_lines.ts'

/** One look takes in so many endpoints at most. The next look goes on behind them. */
const endpointsPerLookMax = 256

/** So many endpoints of an organization in turn are looked at. The round finds others, of which some were deleted. */
const endpointsOfOrganizationMax = 16

const beginning = { organizationId: '', endpointId: '' }

type WaitingEndpointsParts = {
  readonly store: Pick<Store, 'waitingEndpoints'>
  /** Whether an event of the endpoint may be tried now. */
  readonly isReady: (endpoint: WaitingEndpoint) => boolean
}

/** The endpoints for which events wait, as one look found them. */
export type WaitingEndpoints = {
  /** An event was written for an endpoint of the organization, which the next look therefore asks for. */
  readonly note: (organizationId: string) => void
  /** Finds them anew. */
  readonly find: () => Promise<void>
  /** Whether events wait for more endpoints than were found. */
  readonly isMore: () => boolean
  /** The next organization after this id with an endpoint that is ready, and whose parent is another one. */
  readonly nextOrganization: (from: {
    readonly after: string
    readonly exceptParent: string
  }) => Promise<WaitingOrganization | undefined>
  /** The endpoints of an organization that are ready. First comes the one whose event has waited longest. */
  readonly ofOrganization: (organizationId: string) => readonly WaitingEndpoint[]
  /** The next ones in turn, at most so many. */
  readonly nextInTurn: (count: number) => readonly WaitingEndpoint[]
}

/**
 * Goes round the endpoints for which events wait. An endpoint that fails costs as much with a million events as with one.
 * If one look does not see all, it also asks for organizations with events that were just written or can be tried, in turns
 * of families, so that these need not wait for the round.
 */
export function createWaitingEndpoints({ store, isReady }: WaitingEndpointsParts): WaitingEndpoints {
  let from: Pick<WaitingEndpoint, 'organizationId' | 'endpointId'> = beginning
  let page: readonly WaitingEndpoint[] = []
  let found: readonly WaitingEndpoint[] = []
  const lines = new FamilyLines()
  let turn = 0
  let isMore = false

  async function endpointsOf(organizationId: string): Promise<readonly WaitingEndpoint[]> {
    const next = await store.waitingEndpoints({ organizationId, endpointId: '', limit: endpointsOfOrganizationMax })
    return next.filter((endpoint) => endpoint.organizationId === organizationId)
  }

  return {
    note: (organizationId) => lines.note(organizationId),
    async find() {
      const { organizationId, endpointId } = from
      const asked = lines.take() // before the page, which has what was noted until now if it has all
      page = await store.waitingEndpoints({ organizationId, endpointId, limit: endpointsPerLookMax })
      const last = page.length === endpointsPerLookMax ? page.at(-1) : undefined
      const isWhole = from === beginning && last === undefined
      const inTurn = isWhole ? [] : (await Promise.all(asked.map(endpointsOf))).flat()
      isMore = !isWhole || !lines.isEmpty()
      from = last ?? beginning
      const all = new Map([...page, ...inTurn].map((one) => [`${one.organizationId} ${one.endpointId}`, one]))
      found = [...all.values()].toSorted((a, b) =>
        a.organizationId < b.organizationId ? -1 : Number(a.organizationId > b.organizationId),
      )
      if (isWhole) return
      for (const one of found) if (isReady(one)) lines.add(one.organizationId, one.parentId ?? one.organizationId)
    },
    isMore: () => isMore,
    async nextOrganization({ after, exceptParent }) {
      return found.find(
        (endpoint) => endpoint.organizationId > after && endpoint.parentId !== exceptParent && isReady(endpoint),
      )
    },
    ofOrganization: (organizationId) =>
      found
        .filter((endpoint) => endpoint.organizationId === organizationId && isReady(endpoint))
        .toSorted((a, b) => a.dueAtMs - b.dueAtMs || (a.messageId < b.messageId ? -1 : 1)),
    nextInTurn(count) {
      const taken = Array.from({ length: Math.min(count, page.length) }, (_, index) => {
        return page[(turn + index) % page.length]
      })
      turn = page.length === 0 ? 0 : (turn + taken.length) % page.length
      return taken.filter((endpoint) => endpoint !== undefined)
    },
  }
}
