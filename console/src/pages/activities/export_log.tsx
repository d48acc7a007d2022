import { Alert, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { EndlessAnswers } from '../../../../src/protocol/log/exports/exported_documents.ts'
import { saveFile } from '../../components/save_file.ts'
import { ErrorBox } from '../../components/states.tsx'
import { useConsole } from '../../state/console.ts'
import { useSession } from '../../state/session.tsx'
import { useSpoken } from '../../texts/texts.tsx'
import { exportedLines } from './log_export.ts'

/** Saves all entries of the organization in the transparency logs as one file. */
export function ExportLog() {
  const { language, texts } = useSpoken()
  const { client } = useConsole()
  const session = useSession()
  const [entries, setEntries] = useState(0)
  const { exported } = texts.activities
  const save = useMutation({
    mutationFn: async () => {
      const { organizationId } = session
      setEntries(0)
      const lines = await exportedLines({
        organizationId,
        askEntries: (parameters) => client.ask(session, 'list_log_entries', parameters),
        askDocuments: (activityIds) => client.ask(session, 'list_log_documents', { activityIds }),
        onProgress: setEntries,
      })
      saveFile(`log-${organizationId}.export`, lines)
    },
  })
  return (
    <div>
      <Button variant="default" disabled={save.isPending} onClick={() => save.mutate()}>
        {exported.action}
      </Button>
      <p role="status" className="hint">
        {save.isPending && exported.progress(new Intl.NumberFormat(language).format(entries))}
        {save.isSuccess && exported.done(new Intl.NumberFormat(language).format(entries))}
      </p>
      {save.error instanceof EndlessAnswers ? (
        <Alert color="red" role="alert">
          {exported.endless}
        </Alert>
      ) : (
        save.error !== null && <ErrorBox error={save.error} />
      )}
    </div>
  )
}
