import { createHash } from 'node:crypto'
import { Failure } from '../../../protocol/wire/failures.ts'
import { mailboxOf } from '../../../protocol/wire/outgoing_messages.ts'
import type { ActivityContext } from '../../define.ts'
import { maybe, type Need } from '../../needs.ts'
import { startsMax, startsWindowMs } from '../../records/counted_kinds.ts'

/**
 * What is started is a passcode or a recovery: each sends a message to somebody who may not have asked for it. Starts are
 * counted for the contact, and also for the user whom the caller names. They are never counted for the user alone: the
 * caller could name another one each time, and each start of a passcode gives three more guesses at it.
 */
type Started = {
  readonly otpType: 'OTP_TYPE_EMAIL' | 'OTP_TYPE_SMS'
  readonly contact: string
  readonly userIdentifier?: string
}

export function startReads(started: Started): readonly Need[] {
  return bucketsOf(started).map((bucketId) => maybe('passcode_starts', bucketId))
}

/** Throws PASSCODE_LIMIT when there were too many lately. */
export function countStart(
  started: Started,
  { organization, nowMs }: Pick<ActivityContext<unknown>, 'organization' | 'nowMs'>,
): void {
  for (const bucketId of bucketsOf(started)) {
    const known = organization.passcodeStarts.find(bucketId)
    const lately = known?.startsMs.filter((startMs) => nowMs < startMs + startsWindowMs) ?? []
    if (lately.length >= startsMax) throw new Failure('PASSCODE_LIMIT')
    const starts = { bucketId, startsMs: [...lately, nowMs] }
    if (known === undefined) organization.passcodeStarts.add(starts)
    else organization.passcodeStarts.put(starts)
  }
}

function bucketsOf({ otpType, contact, userIdentifier }: Started): readonly string[] {
  const buckets = [[otpType, mailboxOf(contact)], ...(userIdentifier === undefined ? [] : [['user', userIdentifier]])]
  return buckets.map((bucket) => createHash('sha256').update(JSON.stringify(bucket)).digest('hex'))
}
