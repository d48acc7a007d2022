import { type ApiKey, recoveryCredentialType } from '../../contract/records/records.ts'

/** A link that lets its holder add one passkey to a user, as a recovery does. Its private half is only in the link. */
export type OperatorLink = {
  /** The id under which its use is counted. */
  readonly linkId: string
  readonly organizationId: string
  readonly userId: string
  /** A compressed point of P-256 in lower-case hex. */
  readonly publicKey: string
  readonly createdAtMs: number
}

export const linkSeconds = 600
/** The oldest goes when there are more. */
const linksMax = 100

/**
 * The links that the operator has made by the vault's own socket. They are kept in memory only, so no database and no
 * message of the service can make one, or bring one back. A new start of the vault forgets them.
 */
export type OperatorLinks = {
  add(link: OperatorLink): void
  /** Also finds a link that has expired: its key is refused as an expired one. */
  find(link: Pick<OperatorLink, 'organizationId' | 'publicKey'>): OperatorLink | undefined
  all(): readonly OperatorLink[]
}

export function createOperatorLinks(): OperatorLinks {
  let links: readonly OperatorLink[] = []
  return {
    add(link) {
      links = [...links, link].slice(-linksMax)
    },
    find({ organizationId, publicKey }) {
      return links.find((link) => link.organizationId === organizationId && link.publicKey === publicKey)
    },
    all: () => links,
  }
}

/** The link as a recovery credential of its user. No record has it, and no answer shows it. */
export function credentialOf({ linkId, publicKey, createdAtMs }: OperatorLink): ApiKey {
  return {
    ...{ apiKeyId: linkId, apiKeyName: 'Link of the operator', publicKey, curveType: 'API_KEY_CURVE_P256' },
    ...{ credentialType: recoveryCredentialType, isLink: true, expirationSeconds: linkSeconds },
    ...{ createdAtMs, updatedAtMs: createdAtMs },
  }
}
