import type { DueWebhook, Store } from '../../store/store.ts'

/** Endpoints of which it is remembered whose turn is next. The oldest is forgotten, and its sources begin anew. */
const endpointsMax = 10_000
/** For one event so many sources are visited of which none is due. The next look goes on behind them. */
const sourcesPerEventMax = 64

type Endpoint = Pick<DueWebhook, 'organizationId' | 'endpointId'>

/**
 * The source of an event is the organization in which it happened: that of the endpoint, or one of its
 * sub-organizations. Sources take turns, an event each, so none has others wait for more than one of its own.
 */
export function createSourceTurns(store: Pick<Store, 'nextWebhookSource' | 'dueWebhooks'>) {
  /** The source of the last turn of each endpoint. */
  const lastOf = new Map<string, string>()

  async function nextSource(endpoint: Endpoint) {
    const key = `${endpoint.organizationId} ${endpoint.endpointId}`
    const last = lastOf.get(key) ?? ''
    const behind = await store.nextWebhookSource({ ...endpoint, happenedIn: last })
    const next = behind ?? (last === '' ? undefined : await store.nextWebhookSource({ ...endpoint, happenedIn: '' }))
    lastOf.delete(key)
    if (next !== undefined) lastOf.set(key, next.happenedIn)
    const [oldest] = lastOf.keys()
    if (lastOf.size > endpointsMax && oldest !== undefined) lastOf.delete(oldest)
    return next
  }

  return {
    /** The next event of an endpoint: that of the next source of which one is due. */
    async nextDue(endpoint: Endpoint, nowMs: number): Promise<DueWebhook | undefined> {
      const visited = new Set<string>()
      while (visited.size < sourcesPerEventMax) {
        const source = await nextSource(endpoint)
        if (source === undefined || visited.has(source.happenedIn)) return undefined
        visited.add(source.happenedIn)
        if (source.dueAtMs > nowMs) continue
        const [event] = await store.dueWebhooks({ ...endpoint, happenedIn: source.happenedIn, nowMs, limit: 1 })
        if (event !== undefined) return event
      }
      return undefined
    },
  }
}
