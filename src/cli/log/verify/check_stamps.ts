import type { ActivityDocument, DocumentedVote } from '../../../contract/records/documents.ts'
import { mayAskFor } from '../../../operations/auth_proxy/shared/proxied_operations.ts'
import { operationOfType } from '../../../operations/catalogue.ts'
import type { LoggedActivity } from '../../../protocol/log/log_entry.ts'
import { proxiedNames } from '../../../protocol/wire/auth_proxy.ts'
import { fingerprintOf } from '../../../protocol/wire/fingerprint.ts'
import type { JsonValue } from '../../../protocol/wire/json.ts'
import type { PlacedEntry } from './chain/check_log.ts'
import type { CheckedDocument } from './check_document.ts'
import { createOutcomes, type Outcome, unchecked, unreadable, wrong } from './findings.ts'
import type { Replay } from './replay.ts'
import { outcomeOfAttested, outcomeOfLate, outcomeOfStamp } from './stamp_outcome.ts'

/**
 * Verifies each vote: its stamp is over its body, by a key that its user had then, and the body asks for this activity or
 * votes on it.
 */
export function createStampsCheck(organizationId: string, replay: Replay) {
  const outcomes = createOutcomes()

  async function outcomeOf(activity: LoggedActivity, placed: PlacedEntry, checked: CheckedDocument) {
    const { entry } = placed
    const { document, content, isLeftOut } = checked
    const { vote } = document
    if (vote === undefined) return outcomeWithoutVote(placed, document)
    if (vote.isUnstamped) return outcomeOfUnstamped(activity)
    if (content === undefined) return unchecked(isLeftOut ? leftOut : withheld)
    const asked = faultOfBody(activity, vote, content.message)
    if (asked !== undefined) return wrong(asked)
    const isOwn = vote.organizationId === organizationId
    if (vote.attested !== undefined) {
      const { attested } = vote
      return outcomeOfAttested(isOwn ? replay : undefined, { ...vote, attested }, { content, isLate: entry.isLate })
    }
    if (!isOwn) return outcomeOfForeign(vote)
    if (activity.version > 1 && replay.waiting(activity.activityId) === undefined) {
      const at = replay.withheldAt(activity.activityId)
      return unchecked(withoutRequest, at === undefined ? undefined : `it votes on the request at index ${at}`)
    }
    if (vote.operatorLink !== undefined && !replay.hasLink({ ...vote.operatorLink, userId: vote.userId })) {
      return wrong(`it was stamped by a link of the operator that no entry before it tells of`)
    }
    return entry.isLate ? outcomeOfLate(replay, vote, content) : outcomeOfStamp(replay, vote, content)
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

type Body = {
  readonly type?: unknown
  readonly organizationId?: unknown
  readonly parameters: JsonValue
}

function bodyIn(message: string): Body {
  return { parameters: null, ...JSON.parse(message) }
}
