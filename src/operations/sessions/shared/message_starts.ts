import { createHash } from 'node:crypto'
import type { ActivityContext } from '../../../contract/define.ts'
import { asId, type Id } from '../../../contract/fields/ids.ts'
import { maybe, type Need } from '../../../contract/needs.ts'
import { startsMax, startsWindowMs } from '../../../contract/records/counted_kinds.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { mailboxOf } from '../../../protocol/wire/mail_addresses.ts'

/**
 * A start of a passcode or a recovery, which sends a message to somebody who may not have asked for it. Starts count
 * for the contact and also for the user whom the caller names. The user alone would not do: the caller could name
 * another one each time, and each started passcode allows three more guesses.
 */
type Started = {
  readonly otpType: 'OTP_TYPE_EMAIL' | 'OTP_TYPE_SMS'
  readonly contact: string
  readonly userIdentifier?: string
  /** Whether the auth proxy asks. Its strangers must not use up the starts of a backend, or those of a recovery. */
  readonly isUnstamped?: boolean | undefined
}

export function startReads(started: Started): readonly Need[] {
  return bucketsOf(started).map((bucketId) => maybe('passcode_starts', bucketId))
}

/** Counts a start. Throws `tooMany`, or PASSCODE_LIMIT, if there were too many in the window. */
export function countStart(
  started: Started,
  { organization, nowMs }: Pick<ActivityContext<unknown>, 'organization' | 'nowMs'>,
  tooMany = new Failure('PASSCODE_LIMIT'),
): void {
  for (const bucketId of bucketsOf(started)) {
    const known = organization.passcodeStarts.find(bucketId)
    const lately = known?.startsMs.filter((startMs) => nowMs < startMs + startsWindowMs) ?? []
    if (lately.length >= startsMax) throw tooMany
    const starts = { bucketId, startsMs: [...lately, nowMs] }
    if (known === undefined) organization.passcodeStarts.add(starts)
    else organization.passcodeStarts.put(starts)
  }
}

function bucketsOf({ otpType, contact, userIdentifier, isUnstamped = false }: Started): readonly Id[] {
  const ofContact = [...(isUnstamped ? ['auth proxy'] : []), otpType, mailboxOf(contact)]
  const buckets = [ofContact, ...(userIdentifier === undefined ? [] : [['user', userIdentifier]])]
  return buckets.map((bucket) => asId(createHash('sha256').update(JSON.stringify(bucket)).digest('hex')))
}
