import { useSyncExternalStore } from 'react'
import type { SessionRefused } from '../api/server_error.ts'
import { dropSession, keepSession, readSession, type Session } from './key_store.ts'
import { revokeSession } from './logins.ts'
import { rememberOrganization } from './organizations.ts'

/** Why nobody is logged in any more, if somebody was. */
export type EndReason = 'loggedOut' | 'expired' | 'refused'

export type SessionState =
  | { readonly kind: 'in'; readonly session: Session }
  | { readonly kind: 'out'; readonly reason?: EndReason; readonly message?: string }

/** How long a log-out waits for the server before it deletes the key all the same. */
const revokeMsMax = 5_000
const expiryCheckMs = 5_000

let state: SessionState = { kind: 'out' }
const listeners = new Set<() => void>()
/** Tells the other tabs of this browser that the session has changed. */
const channel = new BroadcastChannel('claviger.session')

/** Reads the kept session, before the first page is shown. */
export async function startSessions(): Promise<void> {
  await takeUp()
  channel.addEventListener('message', () => void takeUp())
  setInterval(endWhenExpired, expiryCheckMs)
}

async function takeUp(): Promise<void> {
  const session = await readSession()
  if (session === undefined) set({ kind: 'out' })
  else if (isOver(session)) await endSession('expired')
  else set({ kind: 'in', session })
}

export async function beginSession(session: Session): Promise<void> {
  await keepSession(session)
  rememberOrganization(session)
  set({ kind: 'in', session })
  channel.postMessage('changed')
}

/** Keeps the id of a passkey that was just made in this browser. */
export async function addPasskeyToSession(credentialId: string): Promise<void> {
  if (state.kind === 'out') return
  const { session } = state
  await beginSession({ ...session, credentialIds: [...(session.credentialIds ?? []), credentialId] })
}

/** Deletes the key here. The server is not asked. */
export async function endSession(reason: EndReason, message?: string): Promise<void> {
  await dropSession()
  set({ kind: 'out', reason, ...(message === undefined ? {} : { message }) })
  channel.postMessage('changed')
}

/** Ends the session whose key the server refused. The late refusal of an older key ends no newer session. */
export async function endRefusedSession({ publicKey, message }: SessionRefused): Promise<void> {
  const kept = await readSession()
  // The first of several refusals at once has ended the session, and the page keeps saying why.
  if (kept === undefined) return
  if (kept.publicKey === publicKey) await endSession('refused', message)
  else await takeUp()
}

/** Removes the session's key from the user at the server, as far as the server answers, and deletes it here. */
export async function logOut(session: Session): Promise<void> {
  const waited = new Promise<void>((resolve) => setTimeout(resolve, revokeMsMax))
  await Promise.race([revokeSession(session).catch(() => undefined), waited])
  await endSession('loggedOut')
}

export function useSessionState(): SessionState {
  return useSyncExternalStore(subscribe, () => state)
}

/** The session of a page, which is only shown to somebody who is logged in. */
export function useSession(): Session {
  const current = useSessionState()
  if (current.kind === 'out') throw new Error('this page is shown to nobody who is logged out')
  return current.session
}

function endWhenExpired(): void {
  if (state.kind === 'in' && isOver(state.session)) void endSession('expired')
}

function isOver({ expiresAtMs }: Session): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= Date.now()
}

function set(next: SessionState): void {
  state = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
