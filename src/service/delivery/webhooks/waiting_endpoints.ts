import type { Store, WaitingEndpoint, WaitingOrganization } from '../../store/store.ts'

/** One look takes in so many endpoints at most. The next look goes on behind them. */
const endpointsPerLookMax = 256

const beginning = { organizationId: '', endpointId: '' }

type WaitingEndpointsParts = {
  readonly store: Pick<Store, 'waitingEndpoints'>
  /** Whether an event of the endpoint may be tried now. */
  readonly isReady: (endpoint: WaitingEndpoint) => boolean
}

/** The endpoints for which events wait, as one look found them. */
export type WaitingEndpoints = {
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

/** Goes round the endpoints for which events wait. An endpoint that fails costs as much with a million events as with one. */
export function createWaitingEndpoints({ store, isReady }: WaitingEndpointsParts): WaitingEndpoints {
  let from: Pick<WaitingEndpoint, 'organizationId' | 'endpointId'> = beginning
  let found: readonly WaitingEndpoint[] = []
  let turn = 0
  let isMore = false

  return {
    async find() {
      const { organizationId, endpointId } = from
      found = await store.waitingEndpoints({ organizationId, endpointId, limit: endpointsPerLookMax })
      const last = found.length === endpointsPerLookMax ? found.at(-1) : undefined
      isMore = from !== beginning || last !== undefined
      from = last ?? beginning
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
      const taken = Array.from({ length: Math.min(count, found.length) }, (_, index) => {
        return found[(turn + index) % found.length]
      })
      turn = found.length === 0 ? 0 : (turn + taken.length) % found.length
      return taken.filter((endpoint) => endpoint !== undefined)
    },
  }
}
