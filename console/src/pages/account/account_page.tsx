import { Badge, NativeSelect, useMantineColorScheme } from '@mantine/core'
import type { Queries } from '../../api/operations.ts'
import { useAsk } from '../../api/queries.ts'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { PasskeyIcon } from '../../components/icons.tsx'
import { Id } from '../../components/id.tsx'
import { LanguageChoice } from '../../components/language_choice.tsx'
import { Facts, PageFrame, Section } from '../../components/page_frame.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { dateOf, Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useSession } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NewPasskey } from './new_passkey.tsx'

type User = Queries['get_user']['result']['user']
type ApiKey = User['apiKeys'][number]

export function AccountPage() {
  const { account, common } = useTexts()
  const { userId, organizationId, organizationName } = useSession()
  const user = useAsk('get_user', { userId })
  return (
    <PageFrame title={account.title} about={account.about}>
      <Answer of={user}>
        {({ user: shown }) => (
          <>
            <Facts
              facts={[
                [common.name, <UserText key="name" text={shown.userName} />],
                [common.id, <Id key="id" id={userId} />],
                [common.navigation.groupOrganization, <UserText key="organization" text={organizationName} />],
                [`${common.navigation.groupOrganization} (${common.id})`, <Id key="at" id={organizationId} />],
              ]}
            />
            <Passkeys user={shown} />
            <ApiKeys user={shown} />
          </>
        )}
      </Answer>
      <Preferences />
    </PageFrame>
  )
}

function Passkeys({ user }: { readonly user: User }) {
  const { account, common } = useTexts()
  const columns: readonly Column<User['authenticators'][number]>[] = [
    { key: 'name', label: common.name, show: ({ authenticatorName }) => <UserText text={authenticatorName} /> },
    { key: 'created', label: common.created, show: ({ createdAt }) => <Time of={createdAt} /> },
    { key: 'id', label: common.id, show: ({ authenticatorId }) => <Id id={authenticatorId} /> },
  ]
  const { authenticators } = user
  return (
    <Section title={account.passkeys} aside={<NewPasskey user={user} />}>
      {authenticators.length === 0 ? (
        <Empty icon={<PasskeyIcon size={28} />} title={account.noPasskeys} />
      ) : (
        <DataTable
          label={account.passkeys}
          columns={columns}
          rows={authenticators}
          keyOf={({ authenticatorId }) => authenticatorId}
        />
      )}
    </Section>
  )
}

function ApiKeys({ user: { apiKeys } }: { readonly user: User }) {
  const { account, common } = useTexts()
  const { publicKey } = useSession()
  const columns: readonly Column<ApiKey>[] = [
    {
      key: 'name',
      label: common.name,
      show: ({ apiKeyName, credential }) => (
        <span className="name-with-badge">
          <UserText text={apiKeyName} />
          {credential.publicKey === publicKey && (
            <Badge size="sm" variant="default" tt="none">
              {account.thisSession}
            </Badge>
          )}
        </span>
      ),
    },
    {
      key: 'kind',
      label: account.kind,
      show: ({ credential }) => (credential.type === 'CREDENTIAL_TYPE_LOGIN' ? account.session : account.apiKey),
    },
    {
      key: 'expires',
      label: account.expires,
      show: ({ createdAt, expirationSeconds }) =>
        expirationSeconds === undefined ? (
          account.never
        ) : (
          <Time of={dateOf(createdAt).getTime() + Number(expirationSeconds) * 1_000} />
        ),
    },
    { key: 'id', label: common.id, show: ({ apiKeyId }) => <Id id={apiKeyId} /> },
  ]
  return (
    <Section title={account.apiKeys}>
      <DataTable label={account.apiKeys} columns={columns} rows={apiKeys} keyOf={({ apiKeyId }) => apiKeyId} />
    </Section>
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
