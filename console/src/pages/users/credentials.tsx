import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { DeleteByName } from '../../components/delete_by_name.tsx'
import { PasskeyIcon } from '../../components/icons.tsx'
import { Id } from '../../components/id.tsx'
import { Section } from '../../components/page_frame.tsx'
import { Empty } from '../../components/states.tsx'
import { dateOf, Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NewProvider } from './new_provider.tsx'
import { type ApiKey, credentialKind, type User } from './organization.ts'

/** Everything by which a user can stamp. `aside` stands beside the heading of the passkeys. */
export function Credentials({ user, aside }: { readonly user: User; readonly aside: ReactNode }) {
  const { users: texts } = useTexts()
  const apiKeys = user.apiKeys.filter((key) => credentialKind(key) === 'apiKey')
  const sessions = user.apiKeys.filter((key) => credentialKind(key) !== 'apiKey')
  return (
    <>
      <Passkeys user={user} aside={aside} />
      <Keys title={texts.apiKeyList} user={user} keys={apiKeys} what={texts.deleteApiKey} />
      <Keys title={texts.sessions} user={user} keys={sessions} what={texts.endSession} />
      <Providers user={user} />
    </>
  )
}

type Passkey = User['authenticators'][number]

function Passkeys({ user: { userId, authenticators }, aside }: { readonly user: User; readonly aside: ReactNode }) {
  const { users: texts, common } = useTexts()
  const columns: readonly Column<Passkey>[] = [
    { key: 'name', label: common.name, show: ({ authenticatorName }) => <UserText text={authenticatorName} /> },
    { key: 'created', label: common.created, show: ({ createdAt }) => <Time of={createdAt} /> },
    { key: 'id', label: common.id, show: ({ authenticatorId }) => <Id id={authenticatorId} /> },
    {
      key: 'actions',
      label: common.actions,
      align: 'end',
      show: ({ authenticatorId, authenticatorName }) => (
        <DeleteByName
          operation="delete_authenticators"
          parameters={{ userId, authenticatorIds: [authenticatorId] }}
          name={authenticatorName}
          id={authenticatorId}
          what={texts.deletePasskey}
          isQuiet
        >
          <p>{texts.endsSessions}</p>
        </DeleteByName>
      ),
    },
  ]
  return (
    <Section title={texts.passkeyList} aside={aside}>
      {authenticators.length === 0 ? (
        <Empty icon={<PasskeyIcon size={28} />} title={texts.noPasskeys}>
          {texts.noPasskeysText}
        </Empty>
      ) : (
        <DataTable
          label={texts.passkeyList}
          columns={columns}
          rows={authenticators}
          keyOf={({ authenticatorId }) => authenticatorId}
        />
      )}
    </Section>
  )
}

type KeysProps = {
  readonly title: string
  readonly user: User
  readonly keys: readonly ApiKey[]
  /** The name of a deletion. */
  readonly what: string
}

function Keys({ title, user: { userId }, keys, what }: KeysProps) {
  const { users: texts, common } = useTexts()
  const { publicKey } = useSession()
  const isMine = ({ credential }: ApiKey) => credential.publicKey === publicKey
  const columns: readonly Column<ApiKey>[] = [
    {
      key: 'name',
      label: common.name,
      show: (key) => (
        <span className="name-with-badge">
          <KeyName apiKey={key} />
          {isMine(key) && (
            <Badge size="sm" variant="default" tt="none">
              {texts.thisSession}
            </Badge>
          )}
        </span>
      ),
    },
    { key: 'kind', label: texts.kind, show: (key) => texts.kinds[credentialKind(key)] },
    { key: 'created', label: common.created, show: ({ createdAt }) => <Time of={createdAt} /> },
    { key: 'ends', label: texts.ends, show: (key) => <End apiKey={key} /> },
    { key: 'id', label: common.id, show: ({ apiKeyId }) => <Id id={apiKeyId} /> },
    {
      key: 'actions',
      label: common.actions,
      align: 'end',
      show: (key) =>
        isMine(key) ? null : (
          <DeleteByName
            operation="delete_api_keys"
            parameters={{ userId, apiKeyIds: [key.apiKeyId] }}
            name={key.apiKeyName}
            id={key.apiKeyId}
            what={what}
            isQuiet
          >
            {credentialKind(key) !== 'link' && <p>{texts.endsSessions}</p>}
          </DeleteByName>
        ),
    },
  ]
  if (keys.length === 0) return null
  return (
    <Section title={title}>
      <DataTable label={title} columns={columns} rows={keys} keyOf={({ apiKeyId }) => apiKeyId} />
    </Section>
  )
}

/** The server names a session by its key, which is too long to read. */
function KeyName({ apiKey }: { readonly apiKey: ApiKey }) {
  const { users: texts, activities } = useTexts()
  const { apiKeyName, credential } = apiKey
  if (!apiKeyName.includes(credential.publicKey)) return <UserText text={apiKeyName} />
  return (
    <>
      {texts.kinds[credentialKind(apiKey)]} <Id id={credential.publicKey} what={activities.detail.publicKey} />
    </>
  )
}

function End({ apiKey: { createdAt, expirationSeconds } }: { readonly apiKey: ApiKey }) {
  const { users: texts } = useTexts()
  if (expirationSeconds === undefined) return texts.never
  const endMs = dateOf(createdAt).getTime() + Number(expirationSeconds) * 1_000
  return endMs <= Date.now() ? texts.ended : <Time of={endMs} />
}

type Provider = User['oauthProviders'][number]

function Providers({ user: { userId, oauthProviders } }: { readonly user: User }) {
  const { users: texts, common } = useTexts()
  const columns: readonly Column<Provider>[] = [
    { key: 'name', label: common.name, show: ({ providerName }) => <UserText text={providerName} /> },
    { key: 'issuer', label: texts.issuer, show: ({ issuer }) => <UserText text={issuer} /> },
    { key: 'subject', label: texts.subject, show: ({ subject }) => <UserText text={subject} /> },
    { key: 'created', label: common.created, show: ({ createdAt }) => <Time of={createdAt} /> },
    {
      key: 'actions',
      label: common.actions,
      align: 'end',
      show: ({ providerId, providerName }) => (
        <DeleteByName
          operation="delete_oauth_providers"
          parameters={{ userId, providerIds: [providerId] }}
          name={providerName}
          id={providerId}
          what={texts.deleteProvider}
          isQuiet
        >
          <p>{texts.endsSessions}</p>
        </DeleteByName>
      ),
    },
  ]
  return (
    <Section title={texts.providers} aside={<NewProvider userId={userId} />}>
      {oauthProviders.length === 0 ? (
        <p className="hint">{texts.noProviders}</p>
      ) : (
        <DataTable
          label={texts.providers}
          columns={columns}
          rows={oauthProviders}
          keyOf={({ providerId }) => providerId}
        />
      )}
    </Section>
  )
}
