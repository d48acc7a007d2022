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

/** Of other errors only Fastify's own are the caller's: they say with a status how the body arrived. */
function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined
  const isLeft = 'code' in error && error.code === 'ECONNRESET' // the caller went away
  if (error.name !== 'FastifyError' && !isLeft) return undefined
  if (error.statusCode === 413) return new Failure('BODY_TOO_LARGE')
  return new Failure('BODY_INVALID', { reason: 'the request could not be read', cause: error })
}
