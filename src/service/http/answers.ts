import { randomUUID } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { errorAnswer, Failure } from '../../protocol/failures.ts'
import type { Log } from '../log.ts'

/** Clients compare the content type as a text: exactly this, without a character set. */
export function send(reply: FastifyReply, status: number, body: Uint8Array): FastifyReply {
  return reply.code(status).header('content-type', 'application/json').send(body)
}

/** A refusal in the interface's shape. Anything but a `Failure` is a 500 that shows an id, under which the log has the cause. */
export function sendError(reply: FastifyReply, error: unknown, log: Log): FastifyReply {
  const failure = failureOf(error)
  if (failure !== undefined) {
    if (failure.httpStatus === 503) reply.header('retry-after', '1')
    return send(reply, failure.httpStatus, json(errorAnswer(failure)))
  }
  const incidentId = randomUUID()
  log.error({ incidentId, error }, 'internal server error')
  return send(reply, 500, json({ code: 13, message: `internal server error (${incidentId})`, details: [] }))
}

export function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** Fastify's own refusals are about how the body arrived, and carry a status. */
function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error
  const status = statusOf(error)
  if (status === 413) return new Failure('BODY_TOO_LARGE')
  if (status === undefined || status < 400 || status >= 500) return undefined
  return new Failure('BODY_INVALID', { reason: 'the request could not be read', cause: error })
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const status: unknown = Reflect.get(error, 'statusCode')
  return typeof status === 'number' ? status : undefined
}
