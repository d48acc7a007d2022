import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { typeName } from '../../components/meaning/words.ts'
import { ErrorBox } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useConsole } from '../../state/console.ts'
import type { Draft } from '../../state/draft.ts'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { activitiesOf } from '../inbox/waiting.ts'
import { type Check, Gaps, namesOf } from './findings.tsx'
import { type Compared, compared, draftId } from './simulated.ts'

const pastMax = '100'
const explanationCharactersMax = 600

/** Tries a draft on what was asked before. */
export function Simulation({ draft, policyId, isWrong }: SimulationProps) {
  const { simulation: texts, mendFirst } = useTexts().policies
  const { client } = useConsole()
  const session = useSession()
  const run = useMutation({
    mutationFn: async (tried: Draft) => {
      const { effect, consensus, condition, time } = tried
      const past = { limit: pastMax }
      const supposed = {
        policy: { effect, consensus, condition, time },
        ...(policyId === undefined ? {} : { withoutPolicyIds: [policyId] }),
      }
      const [today, withDraft, latest, check] = await Promise.all([
        client.ask(session, 'simulate', { past }),
        client.ask(session, 'simulate', { past, ...supposed }),
        client.ask(session, 'list_activities', { paginationOptions: past }),
        client.ask(session, 'check_policies', supposed),
      ])
      return { tried, rows: compared(today, withDraft, activitiesOf(latest)), check }
    },
  })
  const { data, error, isPending } = run
  const isStale = data !== undefined && ruleOf(data.tried) !== ruleOf(draft)
  return (
    <section className="simulation" aria-label={texts.title}>
      <div className="section-head">
        <h2>{texts.title}</h2>
        <Button variant="default" size="xs" disabled={isWrong} loading={isPending} onClick={() => run.mutate(draft)}>
          {texts.run}
        </Button>
      </div>
      <p className="hint">{isWrong ? mendFirst : texts.about}</p>
      {error !== null && <ErrorBox error={error} />}
      {data !== undefined && (
        <>
          {isStale && (
            <p className="banner banner-warning" role="status">
              {texts.stale}
            </p>
          )}
          <Rows rows={data.rows} />
          <DraftFindings check={data.check} draft={data.tried} />
        </>
      )}
    </section>
  )
}

function ruleOf({ effect, consensus, condition, time }: Draft): string {
  return JSON.stringify([effect, consensus, condition, time])
}

function Rows({ rows }: { readonly rows: readonly Compared[] }) {
  const { simulation: texts } = useTexts().policies
  const [isAll, setIsAll] = useState(false)
  const changed = rows.filter(({ isChanged }) => isChanged)
  if (rows.length === 0) return <p role="status">{texts.none}</p>
  const shown = isAll ? rows : changed
  return (
    <>
      <div className="simulation-summary">
        <p role="status">
          <strong>{changed.length === 0 ? texts.same(rows.length) : texts.changed(changed.length, rows.length)}</strong>
        </p>
        {changed.length < rows.length && (
          <Button variant="subtle" size="compact-xs" onClick={() => setIsAll(!isAll)}>
            {isAll ? texts.onlyChanged : texts.showAll}
          </Button>
        )}
      </div>
      {shown.length > 0 && <Table rows={shown} />}
    </>
  )
}

/** Shows the findings of the server about the draft. */
function DraftFindings({ check, draft }: { readonly check: Check; readonly draft: Draft }) {
  const { findings: texts } = useTexts().policies
  const allowance = check.allowances.find(({ policyId }) => policyId === draftId)
  const denial = check.denials.find(({ policyId }) => policyId === draftId)
  return (
    <>
      {allowance !== undefined && (
        <p className="banner banner-warning">{texts.controls(namesOf(allowance.controls))}</p>
      )}
      {draft.effect === 'EFFECT_DENY' && (
        <>
          <h3>{texts.title}</h3>
          <Gaps unseen={denial?.unseen ?? []} />
        </>
      )}
    </>
  )
}

function Table({ rows }: { readonly rows: readonly Compared[] }) {
  const { policies, activities, meaning } = useTexts()
  const { simulation: texts } = policies
  const columns: readonly Column<Compared>[] = [
    {
      key: 'type',
      label: activities.type,
      show: ({ activityId, type, createdAt, askedBy }) => (
        <div>
          <Link to="/activities/$activityId" params={{ activityId }} className="link">
            {typeName(type, meaning.explanation.labels)}
          </Link>
          <span className="explanation">
            {createdAt !== undefined && <Time of={createdAt} />}
            {askedBy !== undefined && (
              <>
                {' · '}
                <UserText text={askedBy} />
              </>
            )}
          </span>
        </div>
      ),
    },
    {
      key: 'decision',
      label: texts.decision,
      show: ({ today, withDraft, isChanged }) => (
        <div>
          <Decision of={today} />
          {isChanged && (
            <>
              {' → '}
              <Decision of={withDraft} /> <mark className="changed-mark">{texts.changes}</mark>
            </>
          )}
        </div>
      ),
    },
    {
      key: 'result',
      label: texts.result,
      show: ({ outcome, explanation }) => (
        <div>
          {outcome === undefined ? '–' : texts.outcomes[outcome]}
          {explanation !== '' && (
            <span className="explanation">
              <UserText text={explanation} charactersMax={explanationCharactersMax} hasLines />
            </span>
          )}
        </div>
      ),
    },
  ]
  return <DataTable label={texts.title} columns={columns} rows={rows} keyOf={({ activityId }) => activityId} />
}

function Decision({ of }: { readonly of: Compared['today'] }) {
  const { decisions } = useTexts().policies.simulation
  return (
    <span className="decision" data-decision={of}>
      {decisions[of]}
    </span>
  )
}

type SimulationProps = { readonly draft: Draft; readonly policyId?: string; readonly isWrong: boolean }
