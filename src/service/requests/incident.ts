import { randomUUID } from 'node:crypto'
import type { Integrity } from '../../link/verbs.ts'
import { jsonBytes } from '../../protocol/wire/json.ts'
import type { Log } from '../process/log.ts'

/** The members that every line of the log about a request has. */
type AboutRequest = {
  /** Ties the lines about one request together, also those of the vault. */
  readonly requestId?: string | undefined
  /** The organization that the request names. Nobody has verified it. */
  readonly organizationId?: string | undefined
}

export function aboutOf({ requestId, organizationId }: AboutRequest): AboutRequest {
  return { requestId, organizationId }
}

/** Answers an error that is not the caller's: the body shows only an id, under which the log has the cause. */
export function reportIncident(
  cause: unknown,
  { log, ...about }: { readonly log: Log } & AboutRequest,
): { readonly status: 500; readonly body: Uint8Array } {
  const incidentId = randomUUID()
  log.error({ incidentId, ...about, error: cause }, 'internal server error')
  const message = `internal server error (${incidentId})`
  return { status: 500, body: jsonBytes({ code: 13, message, details: [] }) }
}

/**
 * The incident that no concurrent commit explains: a fork, or a head older than the head of the same organization that
 * was on the books before the last attempt read the database.
 */
export function contradictionIn(incidents: readonly Integrity[]): Integrity | undefined {
  const last = incidents.at(-1)
  if (last?.found === 'fork') return last
  const before = incidents.at(-2)
  const isStillBehind =
    last?.found === 'behind' &&
    before?.found === 'behind' &&
    last.organizationId === before.organizationId &&
    last.shownVersion < before.newestVersion
  return isStillBehind ? last : undefined
}

/**
 * Whether commits of one organization explain all of these, none of which is a contradiction: each attempt read at least
 * what was on the books before it, and another commit came first again.
 */
export function areOvertaken(incidents: readonly Integrity[]): boolean {
  const organizationIds = incidents.map((one) => (one.found === 'behind' ? one.organizationId : undefined))
  return organizationIds.every((one) => one !== undefined && one === organizationIds[0])
}
