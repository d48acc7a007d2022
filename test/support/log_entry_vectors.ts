import { encodeLogEntry, hashOfLogEntry } from '../../src/protocol/log/encode_entry.ts'
import { decodeLogEntry, type LogEntry } from '../../src/protocol/log/log_entry.ts'
import { factOfAct } from '../../src/vault/activity/operator_acts.ts'

const organizationId = '01234567-89ab-7cde-8f01-23456789abcd'
const userId = '01234567-89ab-7cde-8f01-2345678900ef'
const atMs = Date.UTC(2026, 0, 1)
const until = '2026-01-01T00:10:00.000Z'
const tagOf = (byte: string) => byte.repeat(16)
const randomBytes = (size: number) => new Uint8Array(size).fill(0x0e)

const signature: LogEntry = {
  ...{ atMs, organizationId, number: 3, before: 41, changeKey: tagOf('0d') },
  activity: {
    activityId: '01234567-89ab-7cde-8f01-234567890001',
    ...{ version: 1, type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', status: 'ACTIVITY_STATUS_COMPLETED' },
    documentDigest: 'ab'.repeat(32),
  },
  ...{ restsOn: { version: 2, tag: tagOf('02') }, makes: undefined },
}
const entries: readonly LogEntry[] = [
  signature,
  { ...signature, number: 1, before: undefined, makes: { version: 3, tag: tagOf('03') }, isOfOperator: true },
  { ...signature, activity: undefined, makes: { version: 3, tag: tagOf('03') }, isLate: true, isTakenUp: true },
  {
    ...factOfAct({ act: 'lift_ip_allowlist', until }, { atMs, organizationId, randomBytes }),
    ...{ number: 4, before: 2 },
  },
  {
    ...factOfAct(
      { act: 'make_link', userId, publicKey: `02${'11'.repeat(32)}`, until },
      { atMs, organizationId, randomBytes },
    ),
    ...{ number: 5, before: 3 },
  },
  {
    ...factOfAct({ act: 'accept_restore', journal: tagOf('0a'), organizations: 2 }, { atMs, randomBytes }),
    ...{ number: 1, before: undefined },
  },
]

/** Bytes that are no entry: one that is cut, goes on, or has something in a second form. */
function malformed(): readonly Uint8Array[] {
  const whole = encodeLogEntry(signature)
  const act = encodeLogEntry(entries[3] ?? signature)
  const altered = (at: number, byte: number) => Uint8Array.from(whole, (each, index) => (index === at ? byte : each))
  const version = 2 + 6 + 16 + 6 + 6 + 16
  return [
    ...[whole.subarray(0, -1), Buffer.concat([whole, Buffer.of(0)]), Buffer.of(), act.subarray(0, -1)],
    ...[altered(0, 2), altered(1, 8), altered(version + 3, 0), altered(whole.indexOf('ACTIVITY'), 0xc1)],
    Buffer.concat([whole.subarray(0, -2), Buffer.of(0, 1, 0xff)]),
    Buffer.concat([whole.subarray(0, -2), Buffer.of(0x10, 1), Buffer.alloc(4_097, ' ')]),
  ]
}

/** The vectors of entries, with what the code reads in each. */
export function entryVectors() {
  const all = [...entries.map(encodeLogEntry), ...malformed()]
  return {
    comment: 'Entries in hex, with the SHA-256 that stands in the tree. `entry` is null if the bytes are malformed.',
    entries: all.map((bytes) => ({
      hex: Buffer.from(bytes).toString('hex'),
      hash: Buffer.from(hashOfLogEntry(bytes)).toString('hex'),
      entry: shown(decodeLogEntry(bytes)),
    })),
  }
}

function shown(entry: LogEntry | undefined) {
  if (entry === undefined) return null
  const { atMs, number, before = null, activity = null, restsOn = null, makes = null, changeKey, document = '' } = entry
  const flags = [entry.isLate && 'late', entry.isTakenUp && 'taken up', entry.isOfOperator && 'operator']
  return {
    ...{ flags: flags.filter(Boolean), timeMs: atMs, organization: entry.organizationId, number, before },
    ...{ activity, changeKey, restsOn, makes, document },
  }
}
