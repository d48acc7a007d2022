import { Switch } from '@mantine/core'
import { Section } from '../../components/page_frame.tsx'
import { Answer, ErrorBox } from '../../components/states.tsx'
import { useAsk, useSubmit } from '../../state/queries.ts'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** Whether the server mails the user of this session about activities. */
export function NoticePreferences() {
  const { account: texts } = useTexts()
  const { userId } = useSession()
  const preferences = useAsk('get_notice_preferences', { userId })
  const set = useSubmit('set_notice_preferences')
  return (
    <Section title={texts.notices}>
      <Answer of={preferences}>
        {({ receivesNotices }) => (
          <Switch
            label={texts.receivesNotices}
            description={texts.receivesNoticesHint}
            checked={set.isPending ? set.variables.receivesNotices : receivesNotices}
            disabled={set.isPending}
            onChange={(event) => set.mutate({ userId, receivesNotices: event.currentTarget.checked })}
          />
        )}
      </Answer>
      {set.error !== null && <ErrorBox error={set.error} />}
    </Section>
  )
}
