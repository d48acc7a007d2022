import { hashKey, type QueryClient, useMutation, useQuery } from '@tanstack/react-query'
import type { Submitted } from '../api/client.ts'
import type { Activities, Queries } from '../api/operations.ts'
import { useValue } from '../api/value.ts'
import type { Session } from '../stamping/key_store.ts'
import { useConsole } from './console.ts'
import { useSession } from './session.tsx'

type QueryParameters<N extends keyof Queries> = Queries[N]['parameters']
type ActivityParameters<N extends keyof Activities> = Activities[N]['parameters']

const versionStaleMs = 60_000

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
   * Another version is asked for anew, and meanwhile the answer of the one before is shown. The same version is asked for
   * again after a minute at the earliest, because names and rules in it may change.
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
  const { client } = useConsole()
  const session = useSession()
  const asked = organizationId ?? session.organizationId
  const key = keyOf({ ...session, organizationId: asked }, name, parameters)
  return useQuery<Queries[N]['result']>({
    queryKey: [...key, version],
    queryFn: () => client.ask(session, name, parameters, asked),
    enabled: isEnabled,
    // The page may have shown another thing before, whose answer must not stand for this one.
    ...(version === undefined
      ? {}
      : {
          placeholderData: (answer, of) => (isOf(key, of) ? answer : undefined),
          staleTime: versionStaleMs,
        }),
    ...(pollEveryMs === undefined ? {} : { refetchInterval: pollEveryMs }),
  })
}

function isOf(key: readonly unknown[], query: { readonly queryKey: readonly unknown[] } | undefined): boolean {
  return query !== undefined && hashKey(query.queryKey.slice(0, -1)) === hashKey(key)
}

/** How often a page asks for activities. */
export function useActivityPollMs(): number {
  return useValue(useConsole().live.everyMs)
}

/** Asks again for everything shown, except for explanations: a large one is not asked for at each change of others. */
export function refreshChanged(client: QueryClient): Promise<void> {
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
  const { client, notices, queryClient } = useConsole()
  const session = useSession()
  return useMutation<Submitted<N>, Error, ActivityParameters<N>>({
    mutationFn: (parameters) => client.submit(session, name, parameters),
    onSuccess: async (submitted) => {
      await queryClient.invalidateQueries()
      notices.tell({ kind: submitted.activity.status, activityId: submitted.activity.id })
      onDone?.(submitted)
    },
  })
}
