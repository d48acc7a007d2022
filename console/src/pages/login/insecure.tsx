import { Alert, Anchor } from '@mantine/core'
import { useTexts } from '../../texts/texts.tsx'

/** A passkey cannot belong to an IP address. */
export function canHavePasskeys(): boolean {
  return isSecureContext && !/^[\d.]+$|:/.test(location.hostname)
}

/** Says why this address can have no passkeys. */
export function Insecure() {
  const { login } = useTexts()
  const isLoopback = /^127\.|^\[::1\]$/.test(location.hostname)
  return (
    <Alert color="yellow" className="login-insecure">
      <p>{login.insecure(location.host)}</p>
      {isLoopback && (
        <Anchor href={location.href.replace(location.hostname, 'localhost')}>{login.openAsLocalhost}</Anchor>
      )}
    </Alert>
  )
}
