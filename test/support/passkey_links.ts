import type { Mail } from '../../src/protocol/wire/outgoing_messages.ts'
import { apiKeyOf } from './stamping.ts'

/** The parts of the link in a mail: `https://keys.example/#/passkey/<organization>/<user>/<private key>`. */
export function linkIn(mail: Pick<Mail, 'text'> | undefined) {
  const [link = '', organizationId = '', userId = '', privateKey = ''] =
    /^http\S+\/#\/passkey\/([^/\s]+)\/([^/\s]+)\/([0-9a-f]{64})$/m.exec(mail?.text ?? '') ?? []
  return { link, organizationId, userId, linkKey: apiKeyOf(privateKey) }
}
