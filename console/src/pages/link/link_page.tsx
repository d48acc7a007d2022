import { Alert, Anchor, Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { ServerError } from '../../api/server_error.ts'
import { CardFrame } from '../../components/card_frame.tsx'
import { PasskeyIcon } from '../../components/icons.tsx'
import { Id } from '../../components/id.tsx'
import { ErrorBox, Loading } from '../../components/states.tsx'
import { UserText } from '../../components/user_text.tsx'
import type { Link } from '../../session/link.ts'
import { logInByApiKey, logInByPasskey, revokeSession } from '../../session/logins.ts'
import type { Session } from '../../stamping/key_store.ts'
import { useConsole } from '../../state/console.ts'
import { useTexts } from '../../texts/texts.tsx'
import { canHavePasskeys } from '../login/insecure.tsx'
import { addPasskey } from './add_passkey.ts'

const sessionSeconds = 3_600
const nameCharactersMax = 256

/** Registers a passkey by the key of a link, and logs in with it. `session` is the one that is open here already. */
export function LinkPage({
  link,
  session,
}: {
  readonly link: Link | 'incomplete'
  readonly session: Session | undefined
}) {
  const { link: texts } = useTexts()
  const { links } = useConsole()
  return (
    <CardFrame title={texts.title}>
      {content()}
      <Anchor component="button" type="button" size="xs" onClick={links.forget}>
        {texts.toLogin}
      </Anchor>
    </CardFrame>
  )

  function content(): ReactNode {
    if (link === 'incomplete') return <Refused>{texts.incomplete}</Refused>
    if (!canHavePasskeys()) return <Refused>{texts.insecure}</Refused>
    return <WholeLink key={link.privateKey} link={link} former={session} />
  }
}

type LinkProps = { readonly link: Link; readonly former: Session | undefined }

/** Asks the server whose link it is. No query: its refusal would end the session that is open here. */
function WholeLink({ link, former }: LinkProps) {
  const { client } = useConsole()
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: ({ organizationId, privateKey }: Link) =>
      logInByApiKey(client, { organizationId, apiPrivateKey: privateKey }),
  })
  useEffect(() => mutate(link), [mutate, link])
  if (error !== null)
    return <LinkError error={error} way={link.way} isPending={isPending} onRetry={() => mutate(link)} />
  return data === undefined ? <Loading /> : <Registration link={link} former={former} holder={data} />
}

function Registration({ link, former, holder }: LinkProps & { readonly holder: Session }) {
  const { link: texts } = useTexts()
  const { client, sessions, links } = useConsole()
  const [name, setName] = useState(texts.nameDefault)
  const enter = useMutation({
    mutationFn: async (credentialId: string) => {
      const { organizationId } = holder
      const asked = { organizationId, seconds: sessionSeconds, credentialIds: [credentialId] }
      await sessions.begin(await logInByPasskey(client, asked))
      if (former !== undefined) await revokeSession(client, former).catch(() => undefined)
      links.forget()
    },
  })
  const register = useMutation({
    mutationFn: () => addPasskey(client, { holder, link, authenticatorName: name.trim() }),
    onSuccess: (credentialId) => enter.mutate(credentialId),
  })
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (register.isSuccess) enter.mutate(register.data)
        else register.mutate()
      }}
    >
      <p className="login-intro">
        {texts.forUser}{' '}
        <strong>
          <UserText text={holder.userName} charactersMax={60} />
        </strong>{' '}
        <Id id={holder.userId} what={texts.userId} /> {texts.inOrganization}{' '}
        <strong>
          <UserText text={holder.organizationName} charactersMax={60} />
        </strong>{' '}
        <Id id={holder.organizationId} what={texts.organizationId} />
      </p>
      {register.isSuccess ? (
        <p role="status">{texts.registered}</p>
      ) : (
        <>
          <p>{texts.about[link.way]}</p>
          <TextInput
            label={texts.name}
            description={texts.nameHint}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            required
            maxLength={nameCharactersMax}
            autoComplete="off"
          />
          <p className="hint">{texts.twoTouches}</p>
        </>
      )}
      {register.error !== null && <LinkError error={register.error} way={link.way} />}
      {enter.error !== null && <ErrorBox error={enter.error} />}
      <Button
        type="submit"
        size="md"
        fullWidth
        leftSection={<PasskeyIcon />}
        loading={register.isPending || enter.isPending}
      >
        {register.isSuccess ? texts.logIn : texts.make}
      </Button>
    </form>
  )
}

type LinkErrorProps = {
  readonly error: unknown
  readonly way: Link['way']
  readonly isPending?: boolean
  /** Asks again: the link of another page may still wait for approvals. */
  readonly onRetry?: () => void
}

/** A refusal of a link has a sentence in each language, with the remedy; all else is shown as it is. */
function LinkError({ error, way, isPending = false, onRetry }: LinkErrorProps) {
  const { link: texts, common } = useTexts()
  const httpStatus = error instanceof ServerError ? error.httpStatus : undefined
  if (httpStatus === 401) {
    return (
      <Refused>
        <p>{texts.over[way]}</p>
        {way === 'passkey' && onRetry !== undefined && (
          <Button size="xs" variant="default" mt="xs" onClick={onRetry} loading={isPending}>
            {common.tryAgain}
          </Button>
        )}
      </Refused>
    )
  }
  if (httpStatus === 403) return <Refused>{texts.elsewhere[way]}</Refused>
  return <ErrorBox error={error} {...(onRetry === undefined ? {} : { onRetry })} />
}

function Refused({ children }: { readonly children: ReactNode }) {
  return (
    <Alert color="red" role="alert">
      {children}
    </Alert>
  )
}
