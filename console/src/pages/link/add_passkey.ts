import { type Client, sessionStamper } from '../../api/client.ts'
import type { Link } from '../../session/link.ts'
import type { Session } from '../../stamping/key_store.ts'
import { registerPasskey } from '../../stamping/passkeys.ts'

type Adding = { readonly holder: Session; readonly link: Link; readonly authenticatorName: string }

/** Registers a passkey in this browser, and adds it by the key of the link, which this uses up. Returns its id. */
export async function addPasskey(client: Client, { holder, link, authenticatorName }: Adding): Promise<string> {
  const { way, id } = link
  const { organizationId, userId, userName } = holder
  const owner = { organizationId, userId }
  const authenticator = await registerPasskey({ authenticatorName, userName, owner, knownCredentialIds: [] })
  const stamper = sessionStamper(holder)
  if (way === 'invitation') {
    const parameters = { invitationId: id, userId, authenticator }
    await client.submitStampedBy(stamper, { organizationId, name: 'accept_invitation', parameters })
  } else {
    await client.submitStampedBy(stamper, {
      organizationId,
      name: 'recover_user',
      parameters: { userId, authenticator },
    })
  }
  return authenticator.attestation.credentialId
}
