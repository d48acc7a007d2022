import { sessionStamper, submitStampedBy } from '../../api/client.ts'
import type { Session } from '../../session/key_store.ts'
import type { Link } from '../../session/link.ts'
import { registerPasskey } from '../../stamping/passkeys.ts'

/** Registers a passkey in this browser, and adds it by the key of the link, which this uses up. */
export async function addPasskey(holder: Session, { way, id }: Link, authenticatorName: string): Promise<void> {
  const { organizationId, userId, userName } = holder
  const owner = { organizationId, userId }
  const authenticator = await registerPasskey({ authenticatorName, userName, owner, knownCredentialIds: [] })
  const stamper = sessionStamper(holder)
  if (way === 'invitation') {
    const parameters = { invitationId: id, userId, authenticator }
    await submitStampedBy(stamper, { organizationId, name: 'accept_invitation', parameters })
  } else {
    await submitStampedBy(stamper, { organizationId, name: 'recover_user', parameters: { userId, authenticator } })
  }
}
