import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { writeActivityProof } from '../../../../src/protocol/log/activity_proof.ts'
import type { Activity } from '../../api/activity.ts'
import { listedLogs } from '../../api/log_files.ts'
import type { Queries } from '../../api/operations.ts'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { Id } from '../../components/id.tsx'
import { Section } from '../../components/page_frame.tsx'
import { saveFile } from '../../components/save_file.ts'
import { Answer, ErrorBox } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'

type Proof = Queries['get_activity_proof']['result']['proof']
type Version = Proof['entries'][number]

const askAgainMs = 2_000
/** The log publishes an entry within a second. One that it lacks after so long was decided before it began. */
const publishedMsMax = 60_000

/** The entries of the transparency log for each version of an activity. */
export function Recorded({ activity }: { readonly activity: Activity }) {
  const { recorded: texts } = useTexts().activities
  const asked = useAsk('get_activity_proof', { activityId: activity.id })
  return (
    <Section title={texts.title} aside={<Download activity={activity} />}>
      <Answer of={asked}>{({ proof }) => <Entries activity={activity} proof={proof} />}</Answer>
    </Section>
  )
}

function Entries({ activity, proof }: { readonly activity: Activity; readonly proof: Proof }) {
  const { recorded: texts } = useTexts().activities
  const { entries, uncoveredVersions } = proof
  const isNew = Date.now() - Date.parse(activity.updatedAt) < publishedMsMax
  const columns: readonly Column<Version>[] = [
    { key: 'version', label: texts.version, show: ({ version }) => version },
    { key: 'index', label: texts.index, show: ({ index }) => index },
    { key: 'time', label: texts.time, show: ({ recordedAt }) => <Time of={recordedAt} /> },
    { key: 'log', label: texts.log, show: ({ origin }) => <Id id={origin} what={texts.log} /> },
  ]
  return (
    <>
      {entries.length > 0 && (
        <DataTable
          label={texts.title}
          columns={columns}
          rows={entries}
          keyOf={(entry) => `${entry.origin} ${entry.index}`}
        />
      )}
      {uncoveredVersions.length > 0 && <p>{texts.uncovered(uncoveredVersions.join(', '))}</p>}
      {uncoveredVersions.length > 0 && isNew && <AskAgain activityId={activity.id} />}
      <p>
        {texts.about}{' '}
        <a className="link" href="/verify" target="_blank" rel="noreferrer">
          {texts.verify}
        </a>
      </p>
    </>
  )
}

/** Asks until all is published. The answer is that of the section. */
function AskAgain({ activityId }: { readonly activityId: string }) {
  useAsk('get_activity_proof', { activityId }, { pollEveryMs: askAgainMs })
  return null
}

function Download({ activity }: { readonly activity: Activity }) {
  const { recorded: texts } = useTexts().activities
  const { id: activityId, organizationId } = activity
  const asked = useAsk('get_activity_proof', { activityId })
  const save = useMutation({
    mutationFn: async ({ entries, uncoveredVersions }: Proof) => {
      const origins = new Set(entries.map(({ origin }) => origin))
      const logs = (await listedLogs()).filter(({ origin }) => origins.has(origin))
      const keys = logs.flatMap((log) => log.keys)
      const text = writeActivityProof({ organizationId, activityId, keys, entries, uncoveredVersions })
      saveFile(`proof-${activityId}.json`, [text])
    },
  })
  const proof = asked.data?.proof
  if (proof === undefined || proof.entries.length === 0) return null
  return (
    <>
      <Button size="xs" variant="default" loading={save.isPending} onClick={() => save.mutate(proof)}>
        {texts.download}
      </Button>
      {save.error !== null && <ErrorBox error={save.error} />}
    </>
  )
}
