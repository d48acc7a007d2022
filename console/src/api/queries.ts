import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { notify } from '../components/notices.tsx'
import type { Session } from '../session/key_store.ts'
import { endSession, useSession } from '../session/session.tsx'
import { ask, type Submitted, submit } from './client.ts'
import type { Activities, Queries } from './operations.ts'
import { SessionRefused } from './server_error.ts'

type QueryParameters<N extends keyof Queries> = Queries[N]['parameters']
type ActivityParameters<N extends keyof Activities> = Activities[N]['parameters']

const staleMs = 5_000
/** How often a page asks for what may have changed while it is looked at. */
export const pollMs = 10_000

/** A session that the server no longer accepts is over. A passkey that it refuses says nothing of the session. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: endIfRefused }),
  mutationCache: new MutationCache({ onError: endIfRefused }),
  // The client sends again by itself what may be sent again.
  defaultOptions: { queries: { retry: false, staleTime: staleMs } },
})

function endIfRefused(error: Error): void {
  if (error instanceof SessionRefused) void endSession('refused', error.message)
}

/** The key of a query whose answer is kept: of one user in one organization. */
export function keyOf(
  { organizationId, userId }: Pick<Session, 'organizationId' | 'userId'>,
  ...parts: readonly unknown[]
): readonly unknown[] {
  return [organizationId, userId, ...parts]
}

type AskOptions = {
  readonly pollEveryMs?: number
  readonly isEnabled?: boolean
  /**
   * Another version is asked for anew, and meanwhile the answer of the one before is shown. The same version is not asked
   * for again.
   */
  readonly version?: string
  /** A sub-organization, in place of the session's own organization. */
  readonly organizationId?: string
}

/** Asks a query as the user who is logged in. The answer is kept for the organization and the parameters. */
export function useAsk<N extends keyof Queries>(
  name: N,
  parameters: QueryParameters<N>,
  { pollEveryMs, isEnabled = true, version, organizationId }: AskOptions = {},
) {
  const session = useSession()
  const asked = organizationId ?? session.organizationId
  return useQuery({
    queryKey: keyOf({ ...session, organizationId: asked }, name, parameters, version),
    queryFn: () => ask(session, name, parameters, asked),
    enabled: isEnabled,
    ...(version === undefined ? {} : { placeholderData: keepPreviousData, staleTime: Number.POSITIVE_INFINITY }),
    ...(pollEveryMs === undefined ? {} : { refetchInterval: pollEveryMs }),
  })
}

/** Asks again for everything shown, except for what has its version in its key: an explanation changes with its activity. */
export function refreshAll(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[2] !== 'explain_activity' })
}

/**
 * Submits an activity as the user who is logged in. Everything shown is asked for again afterwards, because an activity
 * may change anything. An activity that waits is told as a notice.
 */
export function useSubmit<N extends keyof Activities>(
  name: N,
  { onDone }: { readonly onDone?: (submitted: Submitted<N>) => void } = {},
) {
  const session = useSession()
  const client = useQueryClient()
  return useMutation<Submitted<N>, Error, ActivityParameters<N>>({
    mutationFn: (parameters) => submit(session, name, parameters),
    onSuccess: async (submitted) => {
      await refreshAll(client)
      notify({ kind: submitted.activity.status, activityId: submitted.activity.id })
      onDone?.(submitted)
    },
  })
}
