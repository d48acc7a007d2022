import type { ActivityOperation, Operation, Query } from '../../contract/define.ts'
import { codeSentAtMsOf } from '../../contract/records/contact_times.ts'
import type { Invitation } from '../../contract/records/records.ts'
import {
  apiKeyOf,
  type Proof,
  type RecordedStamp,
  type Search,
  type Stamp,
} from '../../deciding/caller/credential_stamps.ts'
import { requireOneTimeUse } from '../../deciding/caller/one_time_use.ts'
import { proxyOver } from '../../deciding/caller/proxy_over.ts'
import type { SeenCaller } from '../../deciding/caller/seen_caller.ts'
import type { VaultRequest } from '../../link/verbs.ts'
import { lazily } from '../../protocol/tools/lazily.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { Evidence } from '../state/evidence.ts'
import { type Organization, openOrganization } from '../state/organization.ts'
import type { VaultServices } from '../state/vault_services.ts'
import { requireCodesOn } from './codes.ts'
import { requireBasis } from './link_basis.ts'
import { type FoundUser, foundByLink, foundInvited, type UsedLink } from './one_time_keys.ts'
import { isVerified, type StampSources } from './verify_stamp.ts'

/** The user who stamped a request. The stamp covers its exact bytes, and the sealed user has the credential. */
export type Caller = Omit<SeenCaller, 'stamp' | 'organization'> & {
  readonly stamp: RecordedStamp
  /** The verification token, the ID token or the link that the activity uses up, and the organization where. */
  readonly uses: Stamp['uses'] | UsedIdToken | UsedLink
  /** The invitation whose link made the stamp. `user` is the one that the invited person will be. */
  readonly invitation?: Invitation | undefined
  readonly credentialType: Proof['credentialType']
  /** The authentication method that the stamp proves to MFA policies. */
  readonly method: Proof['method']
  /** The factor by which the caller's session was opened. */
  readonly openedBy: Proof['openedBy']
  readonly organization: Organization
  /** On a stamp by a key that its user claims: whether the request proves that the user has it. */
  readonly provesClaim?: FoundUser['provesClaim']
}

export type CallerSources = StampSources & {
  readonly services: Pick<VaultServices, 'operatorLinks'>
  readonly nowMs: number
  readonly request: Pick<VaultRequest, 'isLocal'>
}

type UsedIdToken = { readonly id: string; readonly organizationId: string }

/** An issuer's token is of no organization. It is used up where its user is. */
function usedIn({ head: { organizationId } }: Organization, id: string): UsedIdToken {
  return { id, organizationId }
}

type Stamped = { readonly operation: Operation; readonly target: Organization; readonly stamp: Stamp }

export async function identifyCaller(sources: CallerSources, stamped: Stamped): Promise<Caller> {
  const { user, organization, proof, invitation, link, provesClaim } = findCredential(sources, stamped)
  if (!(await isVerified(sources, { organization, proof }))) throw new Failure(stamped.stamp.failures.invalid)
  if (proof.isExpired(sources.nowMs)) throw new Failure('CREDENTIAL_EXPIRED')
  requireOneTimeUse({ ...proof, isInvited: invitation !== undefined }, stamped.operation)
  requireIssuer({ uses: stamped.stamp.uses, organization })
  requireIssuerOpen(stamped.stamp, organization, sources)
  const { recorded, credentialType, sessionProfileId, method, openedBy, attested } = proof
  requireBasis(sources, user, apiKeyOf({ user, stamp: recorded }))
  const { usesIdToken, uses = usesIdToken === undefined ? link : usedIn(organization, usesIdToken) } = stamped.stamp
  const isOfAuthProxy = isOfProxy({ proof, organization, stamp: stamped.stamp }) || undefined
  const about = { credentialType, sessionProfileId, method, openedBy, attested, invitation, isOfAuthProxy, provesClaim }
  return { stamp: recorded, uses, ...about, user, organization }
}

/**
 * Whether the stamp is of a session or a token of the auth proxy. So is a stamp by the token of an issuer where there
 * is a proxy, or was one that bound them: a page that lets its users log in there needs none.
 */
function isOfProxy({
  proof,
  organization,
  stamp,
}: Pick<FoundUser, 'proof' | 'organization'> & Pick<Stamped, 'stamp'>): boolean {
  if (proof.isOfAuthProxy === true || stamp.uses?.ofAuthProxyAtMs !== undefined) return true
  return proof.attested?.lookup === 'oidc_identity' && proxyOver(organization) !== undefined
}

/**
 * Refuses the token of another organization before anything is decided or shown by it. A sub-organization's token is only
 * about its own users, although users of its parent may log them in. Throws ATTESTATION_INVALID.
 */
function requireIssuer({ uses, organization: { head } }: Pick<Caller, 'uses' | 'organization'>): void {
  if (uses === undefined || [head.organizationId, head.parentId].includes(uses.organizationId)) return
  throw new Failure('ATTESTATION_INVALID', 'it was issued by another organization')
}

/** Refuses a stamp by a code that counts no more. The decision rests on the head of the organization that issued it. */
function requireIssuerOpen({ uses }: Pick<Stamp, 'uses'>, organization: Organization, sources: CallerSources): void {
  if (uses === undefined) return
  const { organizationId } = uses
  requireCodesOn(organization, { ...uses, sentAtMs: codeSentAtMsOf(uses) }, () =>
    openOrganization(sources, organizationId)?.listed('auth_proxy', organizationId),
  )
}

/** The operation, as far as it decides where a credential is looked for. */
type Searching =
  | Pick<Query, 'kind' | 'resolvesSubOrganization'>
  | Pick<ActivityOperation, 'kind' | 'resolvesSubOrganization' | 'openToParent'>

/**
 * Finds the stamp's credential in the target, else in its parent. If the target has no parent and the operation allows
 * it, the credential may be in the one sub-organization that has it. A contact of users of both is refused. A key that
 * a user only claims is found last, so that nobody takes the key of somebody else, and in no sub-organization that the
 * request does not name. Where users of both claim it, a request that only users of the target may submit is that of
 * the target's.
 */
export function findCredential(
  sources: CallerSources,
  { operation, target, stamp }: Omit<Stamped, 'operation'> & { readonly operation: Searching },
): FoundUser {
  const { evidence } = sources
  const { failures, inSubOrganizations = stamp } = stamp
  const { parentId, organizationId } = target.head
  // A token of the parent proves a contact there. In a sub-organization somebody may have claimed the same one.
  const isOfParent = parentId !== undefined && stamp.uses !== undefined && stamp.uses.organizationId !== organizationId
  const search = isOfParent ? { ...inSubOrganizations, failures } : stamp
  const own = foundIn(evidence, target, search) ?? foundByLink(sources, target, stamp)
  const elsewhere = lazily(() => foundElsewhere(sources, { operation, target, stamp }))
  if (own !== undefined) {
    if (parentId === undefined && isOfContact(stamp) && elsewhere() !== undefined) {
      throw new Failure(failures.ambiguous, 'or name the organization in organizationId')
    }
    return own
  }
  const claimed = foundClaimed(evidence, target, stamp)
  const claimedInParent = lazily(() => foundClaimed(evidence, target.parent(), stamp))
  // People of any sub-organization name the parent to log in.
  const mayBeOfOthers = parentId === undefined && operation.resolvesSubOrganization
  if (claimed === undefined) {
    const found = elsewhere() ?? claimedInParent()
    if (found !== undefined) return found
    throw new Failure(
      failures.notFound,
      mayBeOfOthers && stamp.amongClaims !== undefined ? claimsAreNotSearched : undefined,
    )
  }
  // Users of the organization alone may submit it, so nobody else is made to.
  const isOfOwnUsers = operation.kind === 'activity' && !operation.openToParent && !mayBeOfOthers
  const provesClaim = () => isOfOwnUsers && elsewhere() === undefined
  if (isOfOwnUsers) return { ...claimed, provesClaim }
  return elsewhere() ?? olderOf({ ...claimed, provesClaim }, claimedInParent())
}

/**
 * The older of two claims counts, and where it has ended, none does. A key such as that of a session is new, and nobody
 * else knows its public half before somebody asks for the session.
 */
function olderOf(own: FoundUser, other: FoundUser | undefined): FoundUser {
  return other === undefined || claimedAtMs(own) <= claimedAtMs(other) ? own : other
}

function claimedAtMs({ user, proof }: FoundUser): number {
  const key = apiKeyOf({ user, stamp: proof.recorded })
  return key?.claimedAtMs ?? key?.createdAtMs ?? 0
}

const claimsAreNotSearched =
  'a key that was added in a sub-organization has to stamp one login with the id of that sub-organization first'

/**
 * Whether a contact tells whose stamp it is. The user of the parent need not have verified it, so nothing says which of
 * two users is meant. An identity or a key is proved, or of an older claim, in the parent too.
 */
function isOfContact({ lookup, inSubOrganizations }: Stamp): boolean {
  return inSubOrganizations !== undefined && inSubOrganizations.lookup !== lookup
}

/** Finds a user of the parent, or of the only sub-organization, who has the credential and does not only claim it. */
function foundElsewhere(
  sources: CallerSources,
  { operation, target, stamp }: Omit<Stamped, 'operation'> & { readonly operation: Searching },
): FoundUser | undefined {
  const { evidence } = sources
  const { failures, inSubOrganizations = stamp } = stamp
  const { parentId, organizationId } = target.head
  if (parentId !== undefined) {
    const parent = target.parent()
    return parent && foundIn(evidence, parent, stamp)
  }
  if (!operation.resolvesSubOrganization) return undefined
  const { lookup, key } = inSubOrganizations
  const children: FoundUser[] = []
  for (const row of evidence.find({ read: 'holders', parentId: organizationId, lookup, key, limit: 2 }).rows ?? []) {
    const child = openOrganization(sources, row.organizationId)
    if (child?.head.parentId !== organizationId) continue
    const found = foundIn(evidence, child, { ...inSubOrganizations, failures })
    if (found !== undefined) children.push(found)
  }
  const [only, another] = children
  if (another !== undefined) throw new Failure(failures.ambiguous)
  return only
}

function foundClaimed(
  evidence: Evidence,
  organization: Organization | undefined,
  { amongClaims, failures }: Stamp,
): FoundUser | undefined {
  return organization && amongClaims && foundIn(evidence, organization, { ...amongClaims, failures })
}

/** Finds the user of the stamp. Throws if several users have the same contact. A credential belongs to one user. */
function foundIn(
  evidence: Evidence,
  organization: Organization,
  { failures, ...search }: Search & Pick<Stamp, 'failures'>,
): FoundUser | undefined {
  const { lookup, key } = search
  const { rows } = evidence.find({ read: 'lookup', organizationId: organization.head.organizationId, lookup, key })
  const users = rows.flatMap(({ kind, recordId }) => {
    const found =
      kind === 'user'
        ? foundOf(organization, recordId, search)
        : kind === 'invitation'
          ? foundInvited(organization, recordId, search)
          : undefined
    return found === undefined ? [] : [found]
  })
  const [only, another] = users
  if (another !== undefined) throw new Failure(failures.ambiguous)
  return only
}

/** Returns the user if the sealed user has the credential, because the lookup is only a hint. */
function foundOf(
  organization: Organization,
  userId: string,
  { proofOf }: Pick<Stamp, 'proofOf'>,
): FoundUser | undefined {
  const user = organization.listed('user', userId)
  const proof = user && proofOf(user)
  return user === undefined || proof === undefined ? undefined : { user, organization, proof }
}
