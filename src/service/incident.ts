import { randomUUID } from 'node:crypto'
import { jsonBytes } from '../protocol/wire/json.ts'
import type { Log } from './log.ts'

/** Answers an error that is not the caller's: the body shows only an id, under which the log has the cause. */
export function reportIncident(cause: unknown, log: Log): { readonly status: 500; readonly body: Uint8Array } {
  const incidentId = randomUUID()
  log.error({ incidentId, error: cause }, 'internal server error')
  const message = `internal server error (${incidentId})`
  return { status: 500, body: jsonBytes({ code: 13, message, details: [] }) }
}
