import { type BookedHead, type HeadName, noId } from './booked_head.ts'
import { beginningKeyOf } from './entry_names.ts'

/** How long the books remember a lost head. */
export const lostMsMax = 30 * 24 * 60 * 60 * 1000

/** The keys and tags that are known once a head is taken up: its own, and those of the heads that it names. */
export function* keysOf(head: BookedHead): Iterable<string> {
  for (const { tag, changeKey } of [head, ...head.below.values()]) {
    yield tag
    if (changeKey !== noId) yield changeKey
  }
  for (const { changeKey } of firstHeadsIn(head)) yield beginningKeyOf(changeKey)
}

/** Returns the organization's first head, if the head is it or names it and a request made it; otherwise nothing. */
export function firstHeadsIn(head: BookedHead): readonly HeadName[] {
  return [head, ...head.below.values()].filter(({ version, changeKey }) => version === 1 && changeKey !== noId)
}
