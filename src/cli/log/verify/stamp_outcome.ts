import { isDeepStrictEqual } from 'node:util'
import type { DocumentContent, DocumentedVote } from '../../../contract/records/documents.ts'
import type { RecordTypes, User } from '../../../contract/records/records.ts'
import { goesBy } from '../../../deciding/caller/attested_users.ts'
import {
  hasCredential,
  type Proof,
  passkeyScheme,
  readWebAuthnStamp,
  type Stamp,
  searchOfApiStamp,
} from '../../../deciding/caller/credential_stamps.ts'
import type { RecordedOrganization } from '../../../deciding/organization/recorded_organization.ts'
import { voterOf } from '../../../deciding/votes/voter_of.ts'
import { ecdsaSignatureFromDer } from '../../../protocol/crypto/der.ts'
import { p256Point, verifyP256Sha256 } from '../../../protocol/crypto/p256.ts'
import { apiStampOf } from '../../../protocol/stamps/api_stamps.ts'
import type { AllowedOrigins } from '../../../protocol/stamps/webauthn_data.ts'
import { webauthnOriginsOf } from '../../../protocol/wire/feature_names.ts'
import { lateByFormer, type Outcome, right, unchecked, wrong } from './findings.ts'
import type { Replay } from './replay.ts'

type Stamping = { readonly organization: RecordedOrganization; readonly allowedOrigins: AllowedOrigins }

/** The stamp must be over the body, by a key that its user has at the place of the entry. */
export async function outcomeOfStamp(
  replay: Pick<Replay, 'organization' | 'lacks'>,
  vote: DocumentedVote,
  { message, signature }: DocumentContent,
  { organization, allowedOrigins }: Stamping = stampedNow(replay),
): Promise<Outcome> {
  const lacks = replay.lacks()
  const unknown = (what: string) =>
    lacks === undefined ? wrong(what) : unchecked(`stamps by keys that may be from ${lacks}`)
  const caller = voterOf(organization, { ...vote, message, signature })
  if (caller === undefined) return unknown(`there was no user ${vote.userId}`)
  const stamp = stampOf(vote, signature)
  const proof = stamp?.proofOf(caller.user) ?? stamp?.amongClaims?.proofOf(caller.user)
  if (stamp === undefined) return wrong('its stamp cannot be read')
  if (proof === undefined) return unknown(`its user ${vote.userId} had no key ${vote.publicKey}`)
  const fault = faultOfProof(proof, vote)
  if (fault !== undefined) return wrong(fault)
  return (await proof.verify(Buffer.from(message), { allowedOrigins: () => allowedOrigins }))
    ? right
    : wrong(`the stamp of user ${vote.userId} is not over the body`)
}

/** The records and origins by which the vault verified stamps at the place of an entry. */
function stampedNow({ organization }: Pick<Replay, 'organization'>): Stamping {
  const origins = organization.listed('feature', 'FEATURE_NAME_WEBAUTHN_ORIGINS')?.value
  return { organization, allowedOrigins: origins === undefined ? '*' : [...(webauthnOriginsOf(origins) ?? [])] }
}

/**
 * A late vote was cast some time before its place, so its user, key or origin may be gone. A key that its user never had
 * made no stamp.
 */
export async function outcomeOfLate(replay: Replay, vote: DocumentedVote, content: DocumentContent): Promise<Outcome> {
  const { organization, former } = replay
  const inPlace = await outcomeOfStamp(replay, vote, content)
  if (inPlace.kind !== 'wrong') return inPlace
  const now = organization.listed('user', vote.userId)
  const users = [...(now === undefined ? [] : [now]), ...former.of(vote.userId)]
  for (const user of users) {
    const before: Stamping = { organization: withUser(organization, user), allowedOrigins: '*' }
    const { kind } = await outcomeOfStamp(replay, vote, content, before)
    if (kind === 'right') return unchecked(lateByFormer, inPlace.what)
  }
  const isKnown = former.areWhole() || users.some((user) => hasCredential(user, vote.publicKey))
  return isKnown ? inPlace : unchecked(lateByFormer, inPlace.what)
}

/**
 * Verifies a stamp by a token, as far as it is not about the token: the key that the token is said to name has stamped the
 * body, and the user goes by the contact or identity. `replay` undefined: the user is of the parent.
 */
export function outcomeOfAttested(
  replay: Replay | undefined,
  { userId, publicKey, attested }: DocumentedVote & Required<Pick<DocumentedVote, 'attested'>>,
  { content, isLate }: { readonly content: DocumentContent; readonly isLate: true | undefined },
): Outcome {
  const point = p256Point(Buffer.from(publicKey, 'hex'))
  const signature = ecdsaSignatureFromDer(Buffer.from(content.signature, 'hex'))
  if (point === undefined || signature === undefined) return wrong('its stamp cannot be read')
  const isStamped = verifyP256Sha256({ signature, message: Buffer.from(content.message), publicKey: point })
  if (!isStamped) return wrong(`the stamp of user ${userId} is not over the body`)
  const user = replay?.lacks() === undefined ? replay?.organization.listed('user', userId) : undefined
  if (user === undefined || goesBy(user, attested)) return unchecked('tokens of stamps: no document has them')
  const fault = `its user ${userId} did not go by ${attested.key}, which its stamp names`
  // Nothing keeps the contacts that a user had before.
  return isLate ? unchecked(lateByFormer, fault) : wrong(fault)
}

function faultOfProof(proof: Proof, vote: DocumentedVote): string | undefined {
  if (proof.recorded.publicKey !== vote.publicKey) return 'it names another key than its stamp'
  if (!isDeepStrictEqual(provenBy(proof), provenBy(vote))) return 'it claims another method than its key proves'
  return proof.isExpired(vote.createdAtMs) ? `the key ${vote.publicKey} had expired` : undefined
}

/** The facts of a stamp by which MFA policies and the terms of sessions go. */
function provenBy({ method, openedBy, isOfAuthProxy }: Pick<Proof, 'method' | 'openedBy' | 'isOfAuthProxy'>) {
  return [method, openedBy, isOfAuthProxy]
}

/** The organization with this user in the place of the one that it has. */
function withUser(organization: RecordedOrganization, user: User): RecordedOrganization {
  const listed: RecordedOrganization['listed'] = (kind, recordId) =>
    kind === 'user' && recordId === user.userId
      ? (user as RecordTypes[typeof kind])
      : organization.listed(kind, recordId)
  return { ...organization, listed }
}

/** The stamp as it was sent. A vote by a passkey keeps the whole header. */
function stampOf({ publicKey, scheme }: DocumentedVote, signature: string): Stamp | undefined {
  try {
    if (scheme === passkeyScheme) return readWebAuthnStamp(signature)
    // A document can have anything in their place.
    if ([publicKey, scheme, signature].some((member) => typeof member !== 'string')) return undefined
    return searchOfApiStamp(apiStampOf({ publicKey, scheme, signature }))
  } catch {
    return undefined
  }
}
