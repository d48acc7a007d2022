import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { AccountIcon, LogOutIcon } from '../components/icons.tsx'
import { UserText } from '../components/user_text.tsx'
import { LoginError } from '../pages/login/login_error.tsx'
import { renewByPasskey, revokeSession } from '../session/logins.ts'
import type { Session } from '../stamping/key_store.ts'
import { useConsole } from '../state/console.ts'
import { useSession } from '../state/session.tsx'
import { useSpoken, useTexts } from '../texts/texts.tsx'

const warnMs = 5 * 60_000
const tickMs = 15_000
const renewedSeconds = 3_600

/** The user who is logged in, until when, and the way out. */
export function SessionBox() {
  const { language, texts } = useSpoken()
  const { sessions } = useConsole()
  const session = useSession()
  const navigate = useNavigate()
  const leave = useMutation({
    mutationFn: async () => {
      await sessions.logOut(session)
      await navigate({ to: '/' }) // the next user begins at the beginning
    },
  })
  return (
    <div className="session-box">
      <Link to="/account" className="session-user">
        <AccountIcon />
        <span className="session-text">
          <span className="session-name">
            <UserText text={session.userName} charactersMax={60} />
          </span>
          <span className="session-until">{untilText(session)}</span>
        </span>
      </Link>
      <Button
        variant="subtle"
        size="xs"
        fullWidth
        justify="flex-start"
        leftSection={<LogOutIcon size={16} />}
        onClick={() => leave.mutate()}
        disabled={leave.isPending}
      >
        {leave.isPending ? texts.common.loggingOut : texts.common.logOut}
      </Button>
    </div>
  )

  function untilText({ expiresAtMs }: Session): string {
    const { byApiKey, endsAt } = texts.common.session
    if (expiresAtMs === undefined) return byApiKey
    return endsAt(new Intl.DateTimeFormat(language, { timeStyle: 'short' }).format(expiresAtMs))
  }
}

/** Offers a new session when this one is about to end. */
export function SessionEnd() {
  const { session: texts } = useTexts().common
  const { client, sessions } = useConsole()
  const session = useSession()
  const nowMs = useNow()
  const renew = useMutation({
    mutationFn: async () => {
      await sessions.begin(await renewByPasskey(client, session, renewedSeconds))
      await revokeSession(client, session).catch(() => undefined)
    },
  })
  const leftMs = (session.expiresAtMs ?? Number.POSITIVE_INFINITY) - nowMs
  if (leftMs > warnMs) return null
  return (
    <div className="banner banner-warning" role="status">
      <span>{texts.endsSoon(Math.ceil(leftMs / 60_000))}</span>
      <Button size="xs" variant="default" onClick={() => renew.mutate()} loading={renew.isPending}>
        {texts.renew}
      </Button>
      {renew.error !== null && <LoginError error={renew.error} />}
    </div>
  )
}

function useNow(): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [])
  return nowMs
}
