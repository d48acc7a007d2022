import type { FastifyReply } from 'fastify'
import { errorAnswer, Failure } from '../../protocol/failures.ts'
import { jsonBytes } from '../../protocol/json.ts'
import { reportIncident } from '../incident.ts'
import type { Log } from '../log.ts'

/** Clients compare the content type as a text: exactly this, without a character set. */
export function send(reply: FastifyReply, status: number, body: Uint8Array): FastifyReply {
  return reply.code(status).header('content-type', 'application/json').send(body)
}

/** A refusal in the interface's shape. Anything but a `Failure` is an incident. */
export function sendError(reply: FastifyReply, error: unknown, log: Log): FastifyReply {
  const failure = failureOf(error)
  if (failure !== undefined) {
    if (failure.httpStatus === 503) reply.header('retry-after', '1')
    return send(reply, failure.httpStatus, jsonBytes(errorAnswer(failure)))
  }
  const { status, body } = reportIncident(error, log)
  return send(reply, status, body)
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
