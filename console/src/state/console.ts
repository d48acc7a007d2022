import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { type Client, createClient } from '../api/client.ts'
import { createConnection } from '../api/connection.ts'
import { createLive } from '../api/live.ts'
import { createNotices } from '../api/notices.ts'
import { SessionRefused } from '../api/server_error.ts'
import { createValue } from '../api/value.ts'
import { createLinks } from '../session/link.ts'
import { takeLoginLink } from '../session/login_link.ts'
import { createSessions, type Sessions } from '../session/sessions.ts'
import type { Draft } from './draft.ts'

const staleMs = 5_000

export type Console = Awaited<ReturnType<typeof openConsole>>

/**
 * Makes all that a console keeps beside its components, and starts it: nothing of it is in a module. It reads the address
 * and the kept session before the first page is shown.
 */
export async function openConsole() {
  const links = createLinks()
  links.start()
  const connection = createConnection()
  const client = createClient(connection)
  const sessions = createSessions(client)
  await sessions.start()
  const loginLink = await takeLoginLink(client, sessions)
  return { links, connection, client, sessions, loginLink, ...createUserState(client, sessions) }
}

/** Makes what a console keeps for one user, or for nobody. The next user gets all of it anew. */
export function createUserState(client: Client, sessions: Sessions) {
  // A session that the server no longer accepts is over. A passkey that it refuses says nothing of the session.
  const onError = (error: Error) => {
    if (error instanceof SessionRefused) void sessions.endRefused(error)
  }
  const queryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    // The client sends again by itself what may be sent again.
    defaultOptions: { queries: { retry: false, staleTime: staleMs } },
  })
  return {
    queryClient,
    live: createLive(client, queryClient),
    notices: createNotices(),
    /** A draft for the page of a new policy, which is opened next. A link cannot bring one. */
    preparedDraft: createValue<Draft | undefined>(undefined),
  }
}

export const ConsoleContext = createContext<Console | undefined>(undefined)

export function useConsole(): Console {
  const opened = use(ConsoleContext)
  if (opened === undefined) throw new Error('pages are inside a ConsoleContext')
  return opened
}
