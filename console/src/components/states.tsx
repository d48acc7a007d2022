import { Alert, Button, Loader } from '@mantine/core'
import type { ReactNode } from 'react'
import { ServerError, Unreachable } from '../api/server_error.ts'
import { useValue } from '../api/value.ts'
import { useConsole } from '../state/console.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import { WarningIcon } from './icons.tsx'
import { UserText } from './user_text.tsx'

const messageCharactersMax = 2_000

/** Shows an error, by the server's own message where there is one, which may quote texts that users set. */
export function ErrorBox({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { common } = useTexts()
  return (
    <Alert color="red" icon={<WarningIcon />} title={common.errors.title} role="alert" className="error-box">
      <p className="error-message">
        <UserText text={messageOf(error, common.errors)} charactersMax={messageCharactersMax} />
      </p>
      {onRetry !== undefined && (
        <Button size="xs" variant="default" onClick={onRetry}>
          {common.tryAgain}
        </Button>
      )}
    </Alert>
  )
}

function messageOf(error: unknown, errors: Texts['common']['errors']): string {
  if (error instanceof ServerError) return error.message
  if (error instanceof Unreachable) return errors.unreachable
  if (error instanceof DOMException && error.name === 'NotAllowedError') return errors.passkeyRefused
  if (error instanceof DOMException && error.name === 'InvalidStateError') return errors.passkeyKnown
  return errors.unknown
}

export function Loading() {
  const { common } = useTexts()
  return (
    <div className="loading" role="status">
      <Loader size="sm" aria-hidden="true" />
      <span>{common.loading}</span>
    </div>
  )
}

export function Empty({
  icon,
  title,
  children,
  action,
}: {
  readonly icon?: ReactNode
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div className="empty">
      {icon !== undefined && <div className="empty-icon">{icon}</div>}
      <p className="empty-title">{title}</p>
      {children !== undefined && <p className="empty-text">{children}</p>}
      {action}
    </div>
  )
}

type QueryState<T> = { readonly data: T | undefined; readonly error: unknown; readonly refetch: () => unknown }

/**
 * Shows the answer of a query once it is there, and until then that it is loading or what went wrong. While the server
 * is out of reach, the banner says so, and an older answer stays.
 */
export function Answer<T>({ of, children }: { readonly of: QueryState<T>; readonly children: (data: T) => ReactNode }) {
  const { data, error, refetch } = of
  const isToldByBanner = data !== undefined && error instanceof Unreachable
  return (
    <>
      {error !== null && !isToldByBanner && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data !== undefined ? children(data) : error === null && <Loading />}
    </>
  )
}

/** Says that what is shown may be old, as long as the server does not answer. The pages go on asking. */
export function Offline() {
  const { offline, unreachable } = useTexts().common
  const connection = useValue(useConsole().connection)
  return (
    <div role="status" aria-live="polite">
      {connection !== 'connected' && (
        <div className="banner banner-warning">
          <WarningIcon size={16} /> {connection === 'offline' ? offline : unreachable}
        </div>
      )}
    </div>
  )
}
