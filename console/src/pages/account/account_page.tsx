import { Group, NativeSelect, useMantineColorScheme } from '@mantine/core'
import { Id } from '../../components/id.tsx'
import { LanguageChoice } from '../../components/language_choice.tsx'
import { Facts, PageFrame, Section } from '../../components/page_frame.tsx'
import { Answer } from '../../components/states.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk } from '../../state/queries.ts'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { UserEmail, UserName } from '../users/change_user.tsx'
import { Credentials } from '../users/credentials.tsx'
import { PasskeyLink } from '../users/passkey_link.tsx'
import { NewPasskey } from './new_passkey.tsx'
import { NoticePreferences } from './notice_preferences.tsx'

export function AccountPage() {
  const { account, common, users } = useTexts()
  const { userId, organizationId, organizationName } = useSession()
  const user = useAsk('get_user', { userId })
  return (
    <PageFrame title={account.title} about={account.about}>
      <Answer of={user}>
        {({ user: shown }) => (
          <>
            <Facts
              facts={[
                [common.name, <UserName key="name" user={shown} />],
                [users.email, <UserEmail key="email" user={shown} />],
                [common.id, <Id key="id" id={userId} />],
                [common.navigation.groupOrganization, <UserText key="organization" text={organizationName} />],
                [`${common.navigation.groupOrganization} (${common.id})`, <Id key="at" id={organizationId} />],
              ]}
            />
            <Credentials
              user={shown}
              aside={
                <Group gap="xs">
                  <NewPasskey user={shown} />
                  <PasskeyLink user={shown} label={account.otherDevice} />
                </Group>
              }
            />
          </>
        )}
      </Answer>
      <NoticePreferences />
      <Preferences />
    </PageFrame>
  )
}

const colourSchemes = ['auto', 'light', 'dark'] as const

function Preferences() {
  const { account, common } = useTexts()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const names = { auto: common.coloursAuto, light: common.coloursLight, dark: common.coloursDark }
  return (
    <Section title={account.preferences}>
      <div className="filters">
        <LanguageChoice />
        <NativeSelect
          size="xs"
          aria-label={common.colours}
          value={colorScheme}
          onChange={(event) => setColorScheme(colourSchemes.find((one) => one === event.currentTarget.value) ?? 'auto')}
          data={colourSchemes.map((value) => ({ value, label: names[value] }))}
        />
      </div>
      <p className="hint">
        <a href="/docs" className="link">
          {common.interfaceDocumentation}
        </a>
      </p>
    </Section>
  )
}
