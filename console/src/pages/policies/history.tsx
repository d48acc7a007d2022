import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Activity } from '../../api/activity.ts'
import { Answer } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useConsole } from '../../state/console.ts'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { activitiesOf } from '../inbox/waiting.ts'
import { Difference } from './difference.tsx'
import type { Effect } from './drafts.ts'
import { Expressions } from './policy_texts.tsx'
import { type FieldChange, type Version, versionsOf, writingTypes } from './versions.ts'

const pageMax = 100
/** How many pages are asked for without being told to. */
const pagesMax = 5

/** The versions of a policy, newest first, from the activities that wrote it. */
export function History({ policyId }: { readonly policyId: string }) {
  const { history: texts } = useTexts().policies
  const { pages, asked } = useWriting(policyId)
  return (
    <Answer of={{ data: pages, error: asked.error, refetch: asked.refetch }}>
      {(activities) => {
        const versions = versionsOf(policyId, activities)
        return (
          <>
            <ol className="versions">
              {versions.map((version) => (
                <li key={version.activity.id}>
                  <VersionRow version={version} />
                </li>
              ))}
            </ol>
            {!versions.some(({ isCreation }) => isCreation) && (
              <p className="hint">
                {texts.older}{' '}
                {asked.hasNextPage && (
                  <Button
                    variant="default"
                    size="xs"
                    loading={asked.isFetchingNextPage}
                    onClick={() => void asked.fetchNextPage()}
                  >
                    {texts.searchOlder}
                  </Button>
                )}
              </p>
            )}
          </>
        )
      }}
    </Answer>
  )
}

/** Completed activities that wrote policies, until the one that made this policy. */
function useWriting(policyId: string) {
  const { client } = useConsole()
  const session = useSession()
  const asked = useInfiniteQuery({
    queryKey: [session.organizationId, session.userId, 'policy_history', policyId],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam }) => {
      const read: Activity[] = []
      let after = pageParam
      for (let page = 0; page < pagesMax; page += 1) {
        const activities = activitiesOf(
          await client.ask(session, 'list_activities', {
            filterByStatus: ['ACTIVITY_STATUS_COMPLETED'],
            filterByType: writingTypes,
            paginationOptions: { limit: String(pageMax), ...(after === undefined ? {} : { after }) },
          }),
        )
        read.push(...activities)
        // A page with large requests ends early, so only an empty one is the last.
        after = activities.at(-1)?.id
        if (after === undefined || versionsOf(policyId, read).some(({ isCreation }) => isCreation)) break
      }
      return { read, after }
    },
    getNextPageParam: ({ after }) => after,
  })
  return { asked, pages: asked.data?.pages.flatMap(({ read }) => read) }
}

function VersionRow({ version }: { readonly version: Version }) {
  const { history: texts } = useTexts().policies
  const { activity, isCreation, fields, changes, hasSelectors } = version
  const { effect, consensus = '', condition = '', time = '' } = fields
  const policy = { effect: effectOf(effect), consensus, condition, time }
  return (
    <article className="version">
      <p className="version-head">
        <strong>{isCreation ? texts.created : texts.updated}</strong> <Time of={activity.updatedAt} />{' '}
        <UserText text={texts.by(activity.votes[0]?.user.userName ?? '–')} />{' '}
        <Link to="/activities/$activityId" params={{ activityId: activity.id }} className="link">
          {texts.showActivity}
        </Link>
      </p>
      {isCreation && hasSelectors && <p className="hint">{texts.unread}</p>}
      {isCreation && !hasSelectors && <Expressions policy={policy} />}
      {!isCreation && changes.length === 0 && <p className="hint">{texts.nothing}</p>}
      {changes.map((change) => (
        <Change key={change.field} change={change} />
      ))}
    </article>
  )
}

function effectOf(text: string | undefined): Effect {
  return text === 'EFFECT_DENY' ? 'EFFECT_DENY' : 'EFFECT_ALLOW'
}

function Change({ change: { field, from, to } }: { readonly change: FieldChange }) {
  const { policies: texts } = useTexts()
  const shown = (text: string) =>
    field === 'effect' && (text === 'EFFECT_ALLOW' || text === 'EFFECT_DENY') ? texts.effects[text] : text
  return (
    <div className="version-change">
      <p className="hint">{texts[field]}</p>
      <Difference from={shown(from)} to={shown(to)} />
    </div>
  )
}
