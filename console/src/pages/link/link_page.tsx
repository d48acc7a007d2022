import { Alert, Anchor, Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { ServerError } from '../../api/server_error.ts'
import { MarkIcon, PasskeyIcon } from '../../components/icons.tsx'
import { LanguageChoice } from '../../components/language_choice.tsx'
import { ErrorBox, Loading } from '../../components/states.tsx'
import { UserText } from '../../components/user_text.tsx'
import type { Session } from '../../session/key_store.ts'
import { forgetLink, type Link } from '../../session/link.ts'
import { logInByApiKey, logInByPasskey, revokeSession } from '../../session/logins.ts'
import { beginSession } from '../../session/session.tsx'
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
  const { link: texts, common } = useTexts()
  useEffect(() => {
    document.title = `${texts.title} · ${common.productName}`
  }, [texts.title, common.productName])
  return (
    <main className="login">
      <div className="login-card">
        <div className="login-brand">
          <span className="brand-mark">
            <MarkIcon size={22} />
          </span>
          <span>{common.productName}</span>
        </div>
        <h1>{texts.title}</h1>
        {content()}
        <Anchor component="button" type="button" size="xs" onClick={forgetLink}>
          {texts.toLogin}
        </Anchor>
      </div>
      <LanguageChoice />
    </main>
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
  const { mutate, data, error } = useMutation({
    mutationFn: ({ organizationId, privateKey }: Link) => logInByApiKey({ organizationId, apiPrivateKey: privateKey }),
  })
  useEffect(() => mutate(link), [mutate, link])
  if (error !== null) return <LinkError error={error} way={link.way} />
  return data === undefined ? <Loading /> : <Registration link={link} former={former} holder={data} />
}

function Registration({ link, former, holder }: LinkProps & { readonly holder: Session }) {
  const { link: texts } = useTexts()
  const [name, setName] = useState(texts.nameDefault)
  const enter = useMutation({
    mutationFn: async () => {
      const { organizationId } = holder
      await beginSession(await logInByPasskey({ organizationId, seconds: sessionSeconds }))
      if (former !== undefined) await revokeSession(former).catch(() => undefined)
      forgetLink()
    },
  })
  const register = useMutation({
    mutationFn: () => addPasskey(holder, link, name.trim()),
    onSuccess: () => enter.mutate(),
  })
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (register.isSuccess) enter.mutate()
        else register.mutate()
      }}
    >
      <p className="login-intro">
        {texts.forUser}{' '}
        <strong>
          <UserText text={holder.userName} charactersMax={60} />
        </strong>{' '}
        {texts.inOrganization}{' '}
        <strong>
          <UserText text={holder.organizationName} charactersMax={60} />
        </strong>
      </p>
      {register.isSuccess ? (
        <p role="status">{texts.registered}</p>
      ) : (
        <>
          <p>{texts[link.way]}</p>
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

/** A refusal of a link has a sentence in each language, with the remedy; all else is shown as it is. */
function LinkError({ error, way }: { readonly error: unknown; readonly way: Link['way'] }) {
  const { link: texts } = useTexts()
  const httpStatus = error instanceof ServerError ? error.httpStatus : undefined
  if (httpStatus === 401) return <Refused>{way === 'firstStart' ? texts.firstStartOver : texts.invitationOver}</Refused>
  if (httpStatus === 403 && way === 'firstStart') return <Refused>{texts.firstStartElsewhere}</Refused>
  return <ErrorBox error={error} />
}

function Refused({ children }: { readonly children: ReactNode }) {
  return (
    <Alert color="red" role="alert">
      {children}
    </Alert>
  )
}
