import { expect, test } from 'vitest'
import { mailAddressFault, mailboxOf, mailboxPieceOf, routedAddress } from '../../../../protocol/wire/mail_addresses.ts'
import { chainOf } from '../payload_forms/other_chains.ts'
import { mayBeOrder } from './orders_in_text.ts'
import { personalMessage } from './personal_messages.ts'
import { readableText } from './printable_text.ts'
import { textNotes } from './text_notes.ts'
import { mayBeTransaction } from './transaction_words.ts'

/** What reads the texts of requests, each a text of any length. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  mayBeTransaction,
  mayBeOrder,
  mailboxOf,
  routedAddress,
  mailboxPieceOf,
  mailAddressFault,
  readableText: (text) => readableText(Buffer.from(text)),
  chainOf: (text) => chainOf(Buffer.from(text)),
  personalMessage: (text) => personalMessage(Buffer.from(text)),
}

/** Runs of one kind of characters, and of what patterns look for. */
const runs: readonly string[] = [
  ...' \n\t\\"\'`{}[]()<>:,;=&.?/-_%$@+#!1aZ',
  ...[
    '\\"',
    '"a":',
    '{"',
    "{ '",
    '{a ',
    '[ "',
    '<a',
    '</',
    '&a',
    'a=',
    '%41',
    '\\u0041',
    '0x',
    '0x12 ',
    'ab ',
    'aB',
    'Aa1',
  ],
  ...['a.', 'a@', ' ,', '((', 'm=', '1q', 'to ', 'swap', 'a:b ', '"type":', '/protocol.a'],
  ...[
    '\u0300',
    '\u0316\u0300',
    '\u0f73\u0344',
    '\uff9e\u0334',
    'e\u0301',
    '\ufdfa',
    '\ufdfa ',
    '\u212b',
    '\u00ad',
    '\u200d',
  ],
  ...[
    '\u0430a',
    '\u0430',
    '\u0627',
    '\u05d0',
    '\u4f8b',
    '\u{1d41a}',
    '\u{1f469}\u200d',
    '\u0130',
    '\u2800',
    '\u202e',
    '\ue000',
  ],
]

/** Texts in which a run stands where a pattern has begun. */
const around: readonly (readonly [before: string, after: string])[] = [
  ['', ''],
  ['{"a":"</&', '"x'],
  ['a=1&', '!'],
  ['a\u0300', '\u0316@b.example'],
]

function usedMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Units of UTF-16. */
const length = 50_000
/** Of processor time. They take 30 ms at most, and many seconds where the time grows with the square of the length. */
const longMs = 1_000

test.each(Object.entries(readers))('%s takes a time that grows with the length of a text alone', (_name, read) => {
  const slow = runs.flatMap((run) =>
    around.flatMap(([before, after]) => {
      const text = before + run.repeat(Math.ceil(length / run.length)) + after
      return usedMs(() => read(text)) < longMs ? [] : [text.slice(0, 20)]
    }),
  )
  expect(slow).toEqual([])
})

test('textNotes takes a time that is bounded', () => {
  const slow = runs.filter((run) => usedMs(() => textNotes(run.repeat(length))) >= longMs)
  expect(slow).toEqual([])
})
