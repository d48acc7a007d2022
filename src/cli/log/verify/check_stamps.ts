import { isDeepStrictEqual } from 'node:util'
import type { ActivityDocument, DocumentContent, DocumentedVote } from '../../../contract/records/documents.ts'
import { goesBy } from '../../../deciding/caller/attested_users.ts'
import {
  type Proof,
  passkeyScheme,
  readWebAuthnStamp,
  type Stamp,
  searchOfApiStamp,
} from '../../../deciding/caller/credential_stamps.ts'
import { voterOf } from '../../../deciding/votes/voter_of.ts'
import { mayAskFor } from '../../../operations/auth_proxy/shared/proxied_operations.ts'
import { operationOfType } from '../../../operations/catalogue.ts'
import { ecdsaSignatureFromDer } from '../../../protocol/crypto/der.ts'
import { p256Point, verifyP256Sha256 } from '../../../protocol/crypto/p256.ts'
import type { LoggedActivity } from '../../../protocol/log/log_entry.ts'
import { apiStampOf } from '../../../protocol/stamps/api_stamps.ts'
import { proxiedNames } from '../../../protocol/wire/auth_proxy.ts'
import { webauthnOriginsOf } from '../../../protocol/wire/feature_names.ts'
import { fingerprintOf } from '../../../protocol/wire/fingerprint.ts'
import type { JsonValue } from '../../../protocol/wire/json.ts'
import type { CheckedDocument } from './check_document.ts'
import type { PlacedEntry } from './check_log.ts'
import { createOutcomes, type Outcome, right, unchecked, unreadable, wrong } from './findings.ts'
import type { Replay } from './replay.ts'

/**
 * Verifies each vote: its stamp is over its body, by a key that its user had then, and the body asks for this activity or
 * votes on it.
 */
export function createStampsCheck(organizationId: string, replay: Replay) {
  const outcomes = createOutcomes()

  async function outcomeOf(activity: LoggedActivity, placed: PlacedEntry, checked: CheckedDocument) {
    const { document, content, isLeftOut } = checked
    const { vote } = document
    if (vote === undefined) return outcomeWithoutVote(placed, document)
    if (vote.isUnstamped) return outcomeOfUnstamped(activity)
    if (content === undefined) return unchecked(isLeftOut ? leftOut : withheld)
    const asked = faultOfBody(activity, vote, content.message)
    if (asked !== undefined) return wrong(asked)
    const isOwn = vote.organizationId === organizationId
    const ofToken =
      vote.attested && faultOfAttested(isOwn ? replay : undefined, { ...vote, attested: vote.attested }, content)
    if (ofToken !== undefined) return wrong(ofToken)
    if (vote.attested !== undefined) return unchecked('tokens of stamps: no document has them')
    if (!isOwn) return outcomeOfForeign(vote)
    if (activity.version > 1 && replay.waiting(activity.activityId) === undefined) {
      const at = replay.withheldAt(activity.activityId)
      return unchecked(withoutRequest, at === undefined ? undefined : `it votes on the request at index ${at}`)
    }
    if (vote.operatorLink !== undefined && !replay.hasLink({ ...vote.operatorLink, userId: vote.userId })) {
      return wrong(`it was stamped by a link of the operator that no entry before it tells of`)
    }
    return outcomeOfStamp(vote, content)
  }

  function outcomeOfForeign({ organizationId: votersId }: DocumentedVote): Outcome {
    const isOfParent = votersId === replay.organization.head.parentId
    return isOfParent || replay.lacks() !== undefined
      ? unchecked('stamps of users of the parent: its export has their keys')
      : wrong(`its voter is of ${votersId}, which is not the parent`)
  }

  /** The body must be the one that this activity was submitted by, or a vote on it. */
  function faultOfBody(activity: LoggedActivity, vote: DocumentedVote, message: string): string | undefined {
    const body = bodyIn(message)
    const { organization } = replay
    const { activityId, version, type } = activity
    const named = `${body.organizationId}`.toLowerCase()
    if (named !== organizationId && named !== organization.head.parentId) {
      return 'the stamped body is for another organization'
    }
    if (version === 1) return body.type === type ? undefined : `the stamped body asks for ${body.type}, not ${type}`
    return faultOfVote(body, vote, { message, submitted: replay.waiting(activityId) })
  }

  async function outcomeOfStamp(vote: DocumentedVote, { message, signature }: DocumentContent): Promise<Outcome> {
    const { organization } = replay
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
    const origins = organization.listed('feature', 'FEATURE_NAME_WEBAUTHN_ORIGINS')?.value
    const allowedOrigins = () => (origins === undefined ? '*' : [...(webauthnOriginsOf(origins) ?? [])])
    return (await proof.verify(Buffer.from(message), { allowedOrigins }))
      ? right
      : wrong(`the stamp of user ${vote.userId} is not over the body`)
  }

  return {
    /** To be called before the replay takes the changes of the entry. Returns whether its vote has a wrong stamp. */
    async add(placed: PlacedEntry): Promise<boolean> {
      const { entry, checked } = placed
      if (entry.activity === undefined || checked === undefined) return false
      const outcome = await outcomeOf(entry.activity, placed, checked).catch(unreadable)
      outcomes.add(placed, outcome)
      return outcome.kind === 'wrong'
    },
    /** Notes that the keys of later votes are not known, because the replay cannot take the changes of an entry. */
    note: outcomes.add,
    result: outcomes.result,
  }
}

const withheld = 'stamps that are withheld, because a token stands beside them'
const leftOut = 'stamps that are withheld without a reason'
const withoutRequest = 'votes on requests that are not in the file'

/** The body must be a vote on the request that was submitted, or another user's copy of it, which is an approval. */
function faultOfVote(
  body: Body,
  vote: DocumentedVote,
  { message, submitted }: { readonly message: string; readonly submitted: string | undefined },
): string | undefined {
  const casts = operationOfType(`${body.type}`)?.operation.casts
  const { selection } = casts ?? { selection: 'VOTE_SELECTION_APPROVED' }
  if (vote.selection !== selection) return `the stamped body is ${body.type}, and it counts as ${vote.selection}`
  if (submitted === undefined) return undefined
  if (casts === undefined) {
    return message === submitted ? undefined : 'the stamped body is neither a vote nor the request itself'
  }
  const isAbout = casts.fingerprintIn(body.parameters) === fingerprintOf(Buffer.from(submitted))
  return isAbout ? undefined : 'the stamped body votes on another activity'
}

/**
 * Says what is wrong with a stamp by a token, as far as it is not about the token: the key that the token is said to name has
 * stamped the body, and the user goes by the contact or identity. `replay` undefined: the user is of the parent.
 */
function faultOfAttested(
  replay: Replay | undefined,
  { userId, publicKey, attested }: DocumentedVote & Required<Pick<DocumentedVote, 'attested'>>,
  { message, signature: der }: DocumentContent,
): string | undefined {
  const point = p256Point(Buffer.from(publicKey, 'hex'))
  const signature = ecdsaSignatureFromDer(Buffer.from(der, 'hex'))
  if (point === undefined || signature === undefined) return 'its stamp cannot be read'
  const isStamped = verifyP256Sha256({ signature, message: Buffer.from(message), publicKey: point })
  if (!isStamped) return `the stamp of user ${userId} is not over the body`
  const user = replay?.lacks() === undefined ? replay?.organization.listed('user', userId) : undefined
  if (user === undefined || goesBy(user, attested)) return undefined
  return `its user ${userId} did not go by ${attested.key}, which its stamp names`
}

/** The auth proxy opens sessions, and does nothing else. It never approves what somebody else has asked for. */
function outcomeOfUnstamped({ type, version }: LoggedActivity): Outcome {
  return version === 1 && mayAskFor({ operations: proxiedNames }, type)
    ? unchecked('requests of the auth proxy, which have no stamp')
    : wrong('it has no stamp, and is nothing that the auth proxy asks for')
}

/** The activity is one of another organization, and its vote stands there: the parent has made this one by it. */
function outcomeWithoutVote({ entry }: PlacedEntry, { changes }: ActivityDocument): Outcome {
  const isMade = entry.makes?.version === 1 && changes.some(({ organization }) => organization?.parentId !== undefined)
  return isMade ? unchecked('activities of the parent: its export has their votes') : wrong('its document has no vote')
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

type Body = {
  readonly type?: unknown
  readonly organizationId?: unknown
  readonly parameters: JsonValue
}

function bodyIn(message: string): Body {
  return { parameters: null, ...JSON.parse(message) }
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
