import { QueryCache, QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { notify } from '../components/notices.tsx'
import { endSession, useSession } from '../session/session.tsx'
import { ask, type Submitted, submit } from './client.ts'
import type { Activities, Queries } from './operations.ts'
import { ServerError } from './server_error.ts'

type QueryParameters<N extends keyof Queries> = Queries[N]['parameters']
type ActivityParameters<N extends keyof Activities> = Activities[N]['parameters']

const staleMs = 5_000
/** How often a page asks for what may have changed while it is looked at. */
export const pollMs = 10_000

/** A session that the server no longer accepts is over. Queries are stamped by nothing else. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      if (error instanceof ServerError && error.httpStatus === 401) void endSession('refused', error.message)
    },
  }),
  // The client sends again by itself what may be sent again.
  defaultOptions: { queries: { retry: false, staleTime: staleMs } },
})

type AskOptions = {
  readonly pollEveryMs?: number
  readonly isEnabled?: boolean
  /** A sub-organization, in place of the session's own organization. */
  readonly organizationId?: string
}

/** Asks a query as the user who is logged in. The answer is kept for the organization and the parameters. */
export function useAsk<N extends keyof Queries>(
  name: N,
  parameters: QueryParameters<N>,
  { pollEveryMs, isEnabled = true, organizationId }: AskOptions = {},
) {
  const session = useSession()
  const asked = organizationId ?? session.organizationId
  return useQuery({
    queryKey: [asked, session.userId, name, parameters],
    queryFn: () => ask(session, name, parameters, asked),
    enabled: isEnabled,
    ...(pollEveryMs === undefined ? {} : { refetchInterval: pollEveryMs }),
  })
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
      await client.invalidateQueries()
      notify({ kind: submitted.activity.status, activityId: submitted.activity.id })
      onDone?.(submitted)
    },
  })
}
