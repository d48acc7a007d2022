import { Button, Divider, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { askProxy, type LoginWays } from '../../api/auth_proxy.ts'
import { Loading } from '../../components/states.tsx'
import { UserText } from '../../components/user_text.tsx'
import { knownOrganizations } from '../../session/organizations.ts'
import { goToIssuer, logInByCode, type SentCode, sendCode } from '../../session/token_logins.ts'
import { isUuid } from '../../stamping/encoding.ts'
import { useConsole } from '../../state/console.ts'
import { useTexts } from '../../texts/texts.tsx'
import { LoginError } from './login_error.tsx'
import { OrganizationChoice, typedChoice } from './organization_choice.tsx'

/** A login by a code in a mail, or at an issuer, where the organization has enabled its auth proxy. */
export function CodeLogin() {
  const { login } = useTexts()
  const known = knownOrganizations()
  const { organizationId: linked } = useConsole().loginLink
  const isKnown = known.some(({ organizationId }) => organizationId === linked)
  const [choice, setChoice] = useState(
    linked !== undefined && !isKnown ? typedChoice : (linked ?? known[0]?.organizationId ?? typedChoice),
  )
  const [typedId, setTypedId] = useState(linked ?? '')
  const organizationId = (choice === typedChoice ? typedId.trim() : choice).toLowerCase()
  return (
    <div className="form">
      <OrganizationChoice known={known} choice={choice} onChoice={setChoice} typedId={typedId} onTypedId={setTypedId} />
      {isUuid(organizationId) ? (
        <Ways key={organizationId} organizationId={organizationId} />
      ) : (
        <p className="hint">{login.code.needsOrganization}</p>
      )}
    </div>
  )
}

function Ways({ organizationId }: { readonly organizationId: string }) {
  const { login } = useTexts()
  const asked = useQuery({
    queryKey: ['login ways', organizationId],
    queryFn: () => askProxy(organizationId, 'wallet_kit_config', {}),
  })
  if (asked.isPending) return <Loading />
  if (asked.error !== null) return <p className="hint">{login.code.notEnabled}</p>
  const { appName, enabledProviders, oauthProviders } = asked.data
  const hasMail = enabledProviders.includes('email')
  if (!hasMail && oauthProviders.length === 0) return <p className="hint">{login.code.notEnabled}</p>
  return (
    <>
      <p>
        {login.code.into}{' '}
        <strong>
          <UserText text={appName} charactersMax={60} />
        </strong>
      </p>
      {hasMail && <ByMail organizationId={organizationId} ways={asked.data} />}
      {hasMail && oauthProviders.length > 0 && <Divider label={login.code.or} />}
      {oauthProviders.length > 0 && <ByIssuer organizationId={organizationId} ways={asked.data} />}
    </>
  )
}

type WaysProps = { readonly organizationId: string; readonly ways: LoginWays }

const secondsOf = ({ sessionExpirationSeconds }: LoginWays) => Number(sessionExpirationSeconds)

function ByMail({ organizationId, ways }: WaysProps) {
  const { login } = useTexts()
  const { client, sessions } = useConsole()
  const [contact, setContact] = useState('')
  const [code, setCode] = useState('')
  const [sent, setSent] = useState<SentCode>()
  const send = useMutation({
    mutationFn: () => sendCode(organizationId, contact.trim()),
    onSuccess: (started) => {
      setSent(started)
      setCode('')
    },
  })
  const enter = useMutation({
    mutationFn: async (started: SentCode) =>
      sessions.begin(await logInByCode(client, started, { code: code.trim(), seconds: secondsOf(ways) })),
  })
  const error = enter.error ?? send.error
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (sent === undefined) send.mutate()
        else enter.mutate(sent)
      }}
    >
      <TextInput
        label={login.code.mail}
        type="email"
        value={contact}
        onChange={(event) => {
          setContact(event.currentTarget.value)
          setSent(undefined)
          enter.reset()
        }}
        autoComplete="email"
        required
      />
      {sent !== undefined && (
        <>
          <p className="hint" role="status">
            {login.code.sent}
          </p>
          <TextInput
            label={login.code.code}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            autoComplete="one-time-code"
            spellCheck={false}
            required
          />
        </>
      )}
      {error !== null && <LoginError error={error} />}
      <Button type="submit" size="md" fullWidth loading={send.isPending || enter.isPending}>
        {sent === undefined ? login.code.send : login.code.enter}
      </Button>
      {sent !== undefined && (
        <Button variant="subtle" size="xs" loading={send.isPending} onClick={() => send.mutate()}>
          {login.code.again}
        </Button>
      )}
    </form>
  )
}

function ByIssuer({ organizationId, ways }: WaysProps) {
  const { login } = useTexts()
  const go = useMutation({
    mutationFn: (providerName: string) => {
      const issuer = ways.oauthProviders.find((one) => one.providerName === providerName)
      if (issuer === undefined) throw new Error('a button stands for an issuer of the list')
      return goToIssuer(issuer, { organizationId, seconds: secondsOf(ways) })
    },
  })
  return (
    <>
      {ways.oauthProviders.map(({ providerName, authorizationUrl }) => (
        <div key={providerName}>
          <Button variant="default" size="md" fullWidth onClick={() => go.mutate(providerName)}>
            <span>
              {login.code.continueWith} <UserText text={providerName} />
            </span>
          </Button>
          <p className="hint">{login.code.leadsTo(new URL(authorizationUrl).host)}</p>
        </div>
      ))}
      {go.error !== null && <LoginError error={go.error} />}
    </>
  )
}
