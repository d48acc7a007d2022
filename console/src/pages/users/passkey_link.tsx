import { Anchor, NativeSelect, Switch } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { CodeBlock } from '../../components/code_block.tsx'
import { Copy } from '../../components/copy.tsx'
import { DialogButton, FormDialog } from '../../components/form_dialog.tsx'
import { PasskeyIcon } from '../../components/icons.tsx'
import { LocalhostWarning } from '../../components/localhost_warning.tsx'
import { Loading } from '../../components/states.tsx'
import { UserText } from '../../components/user_text.tsx'
import { newLinkKey } from '../../stamping/link_keys.ts'
import { useSubmit } from '../../state/queries.ts'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { User } from './organization.ts'

const QrCode = lazy(async () => ({ default: (await import('../../components/qr_code.tsx')).QrCode }))

const lifetimes = ['600', '3600', '86400'] as const

/**
 * Makes a link with which another device adds one passkey to a user: a second device of one's own, or of a person who
 * lost a passkey. The rules of the organization decide who may, and the link works once they have agreed. A link for
 * somebody else is mailed by the server where the user has an address, so that nobody else handles it.
 */
export function PasskeyLink({ user, label }: { readonly user: User; readonly label: string }) {
  return (
    <DialogButton label={label} icon={<PasskeyIcon size={14} />}>
      {(close) => <Dialog user={user} label={label} onClose={close} />}
    </DialogButton>
  )
}

type DialogProps = { readonly user: User; readonly label: string; readonly onClose: () => void }

/** `url`: undefined if the server mails the link. */
type Made = { readonly url?: string; readonly isWaiting: boolean }

function Dialog({ user: { userId, userName, userEmail }, label, onClose }: DialogProps) {
  const { passkeyLink: texts, common } = useTexts()
  const session = useSession()
  const [seconds, setSeconds] = useState<string>(lifetimes[0])
  const isMine = userId === session.userId
  const mayMail = !isMine && userEmail !== undefined
  const [isMailed, setIsMailed] = useState(mayMail)
  const create = useSubmit('create_passkey_link')
  const make = useMutation({
    mutationFn: async (): Promise<Made> => {
      if (isMailed) {
        const mailed = await create.mutateAsync({ userId, sendEmail: true, expirationSeconds: seconds })
        return { isWaiting: mailed.result === undefined }
      }
      const { publicKey, privateKey } = await newLinkKey()
      const { result } = await create.mutateAsync({ userId, publicKey, expirationSeconds: seconds })
      const path = `#/passkey/${session.organizationId}/${userId}/${privateKey}`
      return { url: `${location.origin}${location.pathname}${path}`, isWaiting: result === undefined }
    },
  })
  return (
    <FormDialog
      title={label}
      action={make.data === undefined ? (isMailed ? texts.mail : texts.make) : common.close}
      isPending={make.isPending}
      error={make.error}
      isOver={make.data !== undefined}
      onSubmit={() => (make.data === undefined ? make.mutate() : onClose())}
      onClose={onClose}
    >
      {make.data === undefined ? (
        <>
          <p>
            {isMine ? texts.aboutMine : texts.aboutOther} <strong>{!isMine && <UserText text={userName} />}</strong>
          </p>
          <NativeSelect
            label={texts.lifetime}
            value={seconds}
            onChange={(event) => setSeconds(event.currentTarget.value)}
            data={lifetimes.map((value) => ({ value, label: texts.lifetimes[value] }))}
          />
          {mayMail && (
            <Switch
              label={texts.mailed(userEmail)}
              description={texts.mailedHint}
              checked={isMailed}
              onChange={(event) => {
                setIsMailed(event.currentTarget.checked)
                make.reset()
              }}
            />
          )}
        </>
      ) : make.data.url === undefined ? (
        <p role="status">{make.data.isWaiting ? texts.mailWaits : texts.mailSent}</p>
      ) : (
        <MadeLink
          url={make.data.url}
          isWaiting={make.data.isWaiting}
          {...(userEmail === undefined ? {} : { email: userEmail })}
        />
      )}
    </FormDialog>
  )
}

function MadeLink({ url, isWaiting, email }: Required<Made> & { readonly email?: string }) {
  const { passkeyLink: texts } = useTexts()
  const mail = `subject=${encodeURIComponent(texts.mailSubject)}&body=${encodeURIComponent(`${texts.mailBody}\n\n${url}`)}`
  return (
    <div className="made-link">
      <p role="status">{isWaiting ? texts.waits : texts.works}</p>
      <Suspense fallback={<Loading />}>
        <QrCode text={url} label={texts.qr} />
      </Suspense>
      <div className="made-link-text">
        <CodeBlock label={texts.link}>{url}</CodeBlock>
        <Copy text={url} what={texts.link} />
      </div>
      {email !== undefined && (
        <Anchor size="sm" href={`mailto:${encodeURIComponent(email)}?${mail}`}>
          {texts.mailTo(email)}
        </Anchor>
      )}
      <p className="hint">{texts.secret}</p>
      <LocalhostWarning />
    </div>
  )
}
