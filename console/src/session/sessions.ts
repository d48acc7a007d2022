import type { Client } from '../api/client.ts'
import { ServerError, type SessionRefused } from '../api/server_error.ts'
import { createValue } from '../api/value.ts'
import { dropSession, isSameOwner, keepSession, type Owner, readSession, type Session } from '../stamping/key_store.ts'
import { revokeSession } from './logins.ts'
import { rememberOrganization } from './organizations.ts'

/** Why nobody is logged in any more, if somebody was. `loggedOutHere`: the server has not ended the session. */
type EndReason = 'loggedOut' | 'loggedOutHere' | 'expired' | 'refused'

export type SessionState =
  | { readonly kind: 'in'; readonly session: Session }
  | { readonly kind: 'out'; readonly reason?: EndReason; readonly message?: string }

/** How long a log-out waits for the server before it deletes the key all the same. */
const revokeMsMax = 5_000
const expiryCheckMs = 5_000

export type Sessions = ReturnType<typeof createSessions>

/** Who is logged in. It is the same in all tabs of this browser. */
export function createSessions(client: Client) {
  const state = createValue<SessionState>({ kind: 'out' })
  /** Tells the other tabs that the session has changed. */
  const channel = new BroadcastChannel('claviger.session')

  async function takeUp(): Promise<void> {
    const session = await readSession()
    if (session === undefined) state.set({ kind: 'out' })
    else if (isOver(session)) await end('expired')
    else state.set({ kind: 'in', session })
  }

  async function begin(session: Session): Promise<void> {
    await keepSession(session)
    rememberOrganization(session)
    state.set({ kind: 'in', session })
    channel.postMessage('changed')
  }

  /** Deletes the key here. The server is not asked. */
  async function end(reason: EndReason, message?: string): Promise<void> {
    await dropSession()
    state.set({ kind: 'out', reason, ...(message === undefined ? {} : { message }) })
    channel.postMessage('changed')
  }

  return {
    state,
    begin,

    /** Reads the kept session, before the first page is shown. */
    async start(): Promise<void> {
      channel.addEventListener('message', () => void takeUp())
      await takeUp()
      setInterval(() => {
        const now = state.get()
        if (now.kind === 'in' && isOver(now.session)) void takeUp()
      }, expiryCheckMs)
    },

    /** Keeps the id of a passkey that its user has just made in this browser. */
    async addPasskey(owner: Owner, credentialId: string): Promise<void> {
      const now = state.get()
      if (now.kind === 'out' || !isSameOwner(now.session, owner)) return
      await begin({ ...now.session, credentialIds: [...(now.session.credentialIds ?? []), credentialId] })
    },

    /** Ends the session whose key the server refused. The late refusal of an older key ends no newer session. */
    async endRefused({ publicKey, message }: SessionRefused): Promise<void> {
      const kept = await readSession()
      // The first of several refusals at once has ended the session, and the page keeps saying why.
      if (kept === undefined) return
      if (kept.publicKey === publicKey) await end('refused', message)
      else await takeUp()
    },

    /** Removes the session's key from the user at the server, and deletes it here whatever the server answers. */
    async logOut(session: Session): Promise<void> {
      const unanswered = new Promise<'waits'>((resolve) => setTimeout(() => resolve('waits'), revokeMsMax))
      try {
        const revoked = await Promise.race([revokeSession(client, session), unanswered])
        await end(revoked === 'waits' ? 'loggedOutHere' : 'loggedOut')
      } catch (error) {
        const refusal = error instanceof ServerError ? error : undefined
        // The server does not know the key any more: the session has ended there.
        if (refusal?.httpStatus === 401) await end('loggedOut')
        else await end('loggedOutHere', refusal?.message)
      }
    },
  }
}

function isOver({ expiresAtMs }: Session): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= Date.now()
}
