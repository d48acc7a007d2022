import type { LoggedFact } from '../../protocol/log/log_entry.ts'
import { type BookedHead, belowNext } from './booked_head.ts'
import type { Books } from './books.ts'

/** The heads that this vault decided, by tag, with the entries of the transparency log that they get. */
export type ExpectedHeads = Pick<Books, 'expect' | 'isTaken' | 'dismiss'> & {
  /** The entries of a head that this vault decided. */
  factsOf(tag: string): readonly LoggedFact[] | undefined
  /** Notes that a head, and with it those below, is on the books. */
  take(head: BookedHead): void
}

export function createExpectedHeads(): ExpectedHeads {
  const expected = new Map<string, { isTaken: boolean; readonly facts: readonly LoggedFact[] }>()
  return {
    expect(made) {
      for (const { tag, facts } of made) expected.set(tag, { isTaken: false, facts })
    },
    isTaken: (tag) => expected.get(tag)?.isTaken === true,
    dismiss(tags) {
      for (const tag of tags) expected.delete(tag)
    },
    factsOf: (tag) => expected.get(tag)?.facts,
    take(head) {
      for (const { tag } of belowNext(head).values()) {
        const waiting = expected.get(tag)
        if (waiting !== undefined) waiting.isTaken = true
      }
    },
  }
}
