import type { OidcIdentity } from '../../../contract/oidc.ts'
import { mailboxOf } from '../../../protocol/wire/mail_addresses.ts'

const googleIssuer = 'https://accounts.google.com'
/** Domains of Google's own mailboxes, which are never given to somebody else. */
const googleDomains: readonly string[] = ['gmail.com', 'googlemail.com']

/**
 * Whether Google tells an app of the operator who has the address of a token now. Anybody may own another client and
 * have a token of somebody else. Other issuers may vouch for any address. Google vouches for its own mailboxes, and for
 * those of an organization that it hosts. It has looked at any other address once, when the account was made: the
 * mailbox may be somebody else's today. Source: "Authenticate with a backend server" of Google Identity, on `hd`.
 */
export function vouchesForAddress(
  { issuer, audience, email, emailVerified, hostedDomain }: OidcIdentity,
  oidcAudiences: readonly string[],
): boolean {
  if (issuer !== googleIssuer || !emailVerified || email === undefined || !oidcAudiences.includes(audience)) {
    return false
  }
  const domain = domainOf(email)
  return googleDomains.includes(domain) || (hostedDomain !== undefined && domainOf(`@${hostedDomain}`) === domain)
}

function domainOf(address: string): string {
  const mailbox = mailboxOf(address)
  return mailbox.slice(mailbox.lastIndexOf('@') + 1)
}
