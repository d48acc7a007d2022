import { codeSentAtMsOf } from '../../contract/records/contact_times.ts'
import type { User } from '../../contract/records/records.ts'
import { isProvedBy, type Proved } from '../../deciding/caller/attested_users.ts'
import type { Proof } from '../../deciding/caller/credential_stamps.ts'
import { type AccountProof, isSameContact } from '../../operations/auth_proxy/shared/proxied_operations.ts'
import {
  closedProxyReason,
  contactLookup,
  isOfClosedProxy,
  verifiedContactLookup,
} from '../../operations/sessions/shared/verification_tokens.ts'
import { p256PublicPoint } from '../../protocol/crypto/p256.ts'
import { oidcIdentityKey } from '../../protocol/tokens/id_tokens.ts'
import { readVerificationToken } from '../../protocol/tokens/tokens.ts'
import { Failure, fieldInvalid } from '../../protocol/wire/failures.ts'
import { p256Secret } from '../keys/published_keys.ts'
import { type Organization, openOrganization } from '../state/organization.ts'
import { findCredential } from './caller.ts'
import type { Asking } from './request_context.ts'

/** In sub-organizations only a contact counts that was verified: a stranger may have made one with any address. */
type About = { readonly own: Proved; readonly inSubOrganizations: Proved }

/**
 * Returns the id of the organization of an account: the one of the proxy, if a user there goes by what is proved, else
 * the only sub-organization in which a user does. Undefined if there is none. Refuses a contact that users of both have.
 */
export async function accountOf(
  context: Asking,
  proxyOf: Organization,
  proof: AccountProof,
): Promise<string | undefined> {
  const { own, inSubOrganizations } = await aboutWhom(context, proxyOf, proof)
  const stamp = { ...searchFor(own), inSubOrganizations: searchFor(inSubOrganizations), failures }
  const search = { operation: { kind: 'query', resolvesSubOrganization: true }, target: proxyOf, stamp } as const
  return organizationFound(context, search)
}

/**
 * Returns the id of the organization of a login: the one that a stranger names, or else that of the account. A named one
 * is the proxy's or a sub-organization of it, and a user there goes by the proof. A stranger learns nothing about other
 * organizations, such as their IP allowlists.
 */
export async function organizationOfLogin(
  context: Asking,
  proxyOf: Organization,
  { named, proof }: { readonly named: string | undefined; readonly proof: AccountProof },
): Promise<string> {
  const organizationId = named?.toLowerCase() ?? (await accountOf(context, proxyOf, proof))
  if (organizationId === undefined) throw noAccount()
  if (named === undefined) return organizationId
  const { own, inSubOrganizations } = await aboutWhom(context, proxyOf, proof)
  const isOwn = organizationId === proxyOf.head.organizationId
  const target = isOwn ? proxyOf : openOrganization(context, organizationId)
  if (target === undefined || !(isOwn || target.head.parentId === proxyOf.head.organizationId)) throw noAccount()
  const stamp = { ...searchFor(isOwn ? own : inSubOrganizations), failures }
  const found = organizationFound(context, {
    operation: { kind: 'query', resolvesSubOrganization: false },
    target,
    stamp,
  })
  if (found !== organizationId) throw noAccount()
  return organizationId
}

function noAccount(): Failure {
  return new Failure('NOT_FOUND', 'nobody here has the contact or identity that was proved')
}

function organizationFound(...asked: Parameters<typeof findCredential>): string | undefined {
  try {
    return findCredential(...asked).organization.head.organizationId
  } catch (error) {
    if (error instanceof Failure && error.code === failures.notFound) return undefined
    throw error
  }
}

const failures = {
  notFound: 'USER_NOT_FOUND_BY_ATTESTATION',
  ambiguous: 'USER_AMBIGUOUS_BY_ATTESTATION',
  invalid: 'STAMP_INVALID',
} as const

/** Nothing is stamped: what is found proves nothing about the request. */
const noProof: Proof = {
  verify: async () => false,
  isExpired: () => true,
  recorded: { publicKey: '', signature: '', scheme: '' },
}

function searchFor(proved: Proved) {
  const { lookup, key } = proved
  return { lookup, key, proofOf: (user: User) => (isProvedBy(user, proved) ? noProof : undefined) }
}

async function aboutWhom({ services, nowMs }: Asking, proxyOf: Organization, proof: AccountProof): Promise<About> {
  const { organizationId } = proxyOf.head
  switch (proof.by) {
    case 'verificationToken': {
      using signing = p256Secret(services.seals, 'tlsFetcherSigning')
      const read = readVerificationToken({ token: proof.token, publicKey: p256PublicPoint(signing), nowMs })
      const fieldPath = 'verificationToken'
      if (read.kind === 'invalid') throw new Failure('TOKEN_INVALID', { fieldPath, reason: read.reason })
      const { claims } = read
      if (claims.organizationId !== organizationId) {
        throw new Failure('TOKEN_INVALID', { fieldPath, reason: 'it was issued by another organization' })
      }
      if (isOfClosedProxy(claims.ofAuthProxyAtMs, proxyOf.listed('auth_proxy', organizationId))) {
        throw new Failure('TOKEN_INVALID', { fieldPath, reason: closedProxyReason })
      }
      if (proof.contact !== undefined && !isSameContact(proof.contact, claims)) {
        throw fieldInvalid('filterValue', 'the contact of the verification token')
      }
      const codeSentAtMs = codeSentAtMsOf(claims)
      return {
        own: { ...contactLookup(claims), codeSentAtMs },
        inSubOrganizations: { ...verifiedContactLookup(claims), codeSentAtMs },
      }
    }
    case 'oidcToken': {
      const identity = await services.verifyOidcToken({ token: proof.token, nowMs })
      const own = { lookup: 'oidc_identity', key: oidcIdentityKey(identity) } as const
      return { own, inSubOrganizations: own }
    }
    case 'credential':
    case 'authenticator': {
      const own = { lookup: proof.by, key: proof.key }
      return { own, inSubOrganizations: own }
    }
  }
}
