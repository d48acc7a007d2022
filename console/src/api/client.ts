import { utf8 } from '../stamping/encoding.ts'
import type { Session } from '../stamping/key_store.ts'
import { type Stamp, stampByKey, stampByPasskey } from '../stamping/stamps.ts'
import type { Activity } from './activity.ts'
import { asksForPasskey } from './asks_for_passkey.ts'
import type { Connection } from './connection.ts'
import { type Activities, activityTypes, type Queries } from './operations.ts'
import { ServerError, SessionRefused, Unreachable } from './server_error.ts'

/** Stamps the bytes of a body. */
export type Stamper = (body: Uint8Array<ArrayBuffer>) => Promise<Stamp>

/** An activity, with its result once it is completed. Without a result it waits for approvals or proofs. */
export type Submitted<N extends keyof Activities> = {
  readonly activity: Activity
  readonly result: Activities[N]['result'] | undefined
}

type Submission<N extends keyof Activities> = {
  readonly organizationId: string
  readonly name: N
  readonly parameters: Activities[N]['parameters']
}

const triesMax = 3
const retryMs = 1_000

type Told = Pick<Connection, 'heard' | 'unheard'>

export type Client = ReturnType<typeof createClient>

/** Asks and submits, and tells the connection after each try whether the server answered. */
export function createClient(connection: Told) {
  /** `organizationId`: the session's own organization, unless it is one of its sub-organizations. */
  async function ask<N extends keyof Queries>(
    session: Session,
    name: N,
    parameters: Queries[N]['parameters'],
    organizationId = session.organizationId,
  ): Promise<Queries[N]['result']> {
    const body = utf8(JSON.stringify({ organizationId, ...parameters }))
    const stamp = await stampByKey(session, body)
    return (await bySession(session, send(connection, `/public/v1/query/${name}`, body, stamp))) as Queries[N]['result']
  }

  async function submitStampedBy<N extends keyof Activities>(
    stamper: Stamper,
    { organizationId, name, parameters }: Submission<N>,
  ): Promise<Submitted<N>> {
    const envelope = { type: activityTypes[name], timestampMs: String(Date.now()), organizationId, parameters }
    const body = utf8(JSON.stringify(envelope))
    const answer = await send(connection, `/public/v1/submit/${name}`, body, await stamper(body))
    const { activity } = answer as { activity: Activity }
    const isDone = activity.status === 'ACTIVITY_STATUS_COMPLETED'
    const [result] = isDone ? Object.values(activity.result) : []
    return { activity, result: result as Activities[N]['result'] | undefined }
  }

  /**
   * Submits an activity. Those for which `asksForPasskey` holds are stamped by a passkey of the session, if it has
   * one, and all others by the session's key.
   */
  async function submit<N extends keyof Activities>(
    session: Session,
    name: N,
    parameters: Activities[N]['parameters'],
  ): Promise<Submitted<N>> {
    const credentialIds = asksForPasskey(name) ? await passkeysOf(session) : []
    const request = { organizationId: session.organizationId, name, parameters }
    if (credentialIds.length === 0) return bySession(session, submitStampedBy(sessionStamper(session), request))
    return submitStampedBy(async (body) => (await stampByPasskey(body, credentialIds)).stamp, request)
  }

  /**
   * The passkeys of the session that the user still has. Other passkeys of the user may belong to another address, such
   * as `localhost`, or to a device that is not here.
   */
  async function passkeysOf(session: Session): Promise<readonly string[]> {
    const { userId, credentialIds = [] } = session
    if (credentialIds.length === 0) return []
    const { authenticators } = await ask(session, 'get_authenticators', { userId })
    const owned = new Set(authenticators.map(({ credentialId }) => credentialId))
    return credentialIds.filter((id) => owned.has(id))
  }

  return { ask, submit, submitStampedBy }
}

/** A session ends when the server refuses a stamp of its key. */
async function bySession<T>({ publicKey }: Session, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ServerError && error.httpStatus === 401) throw new SessionRefused(publicKey, error.message)
    throw error
  }
}

export function sessionStamper(session: Session): Stamper {
  return (body) => stampByKey(session, body)
}

/** The same bytes may be sent again: a request that the server knows is answered as it was. */
async function send(told: Told, path: string, body: Uint8Array<ArrayBuffer>, stamp: Stamp): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    const answer = await sendOnce(told, path, body, stamp)
    if (answer.kind === 'answer') return answer.json
    if (tries === triesMax) throw answer.error
    await new Promise((resolve) => setTimeout(resolve, answer.retryMs))
  }
}

type Sent =
  | { readonly kind: 'answer'; readonly json: unknown }
  | { readonly kind: 'again'; readonly retryMs: number; readonly error: Error }

async function sendOnce(told: Told, path: string, body: Uint8Array<ArrayBuffer>, stamp: Stamp): Promise<Sent> {
  const headers = { 'content-type': 'application/json', [stamp.name]: stamp.value }
  let response: Response
  let text: string
  try {
    response = await fetch(path, { method: 'POST', headers, body, credentials: 'omit', redirect: 'error' })
    text = await response.text()
  } catch (cause) {
    told.unheard()
    return { kind: 'again', retryMs, error: new Unreachable(undefined, { cause }) }
  }
  told.heard()
  if (response.ok) return { kind: 'answer', json: JSON.parse(text) }
  const error = ServerError.of(response.status, text)
  if (response.status !== 503) throw error
  return { kind: 'again', retryMs: retryAfterMs(response), error }
}

function retryAfterMs({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? '1')
  return Number.isFinite(seconds) ? Math.min(10, Math.max(1, seconds)) * 1_000 : retryMs
}
