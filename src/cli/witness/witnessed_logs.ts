import { readTextOr } from '../../link/text_file.ts'
import type { Verifier } from '../../protocol/log/notes/note.ts'
import { verifierOf } from '../../protocol/log/notes/signatures.ts'
import { readPolicyLogs } from '../../protocol/log/policy.ts'
import { SettingsError } from '../../service/process/settings_error.ts'

/** A log has a key of each kind, and further ones while it changes them. */
const keysMax = 16
/** A cosignature by ML-DSA-44 has the length of the origin in one byte. */
const originBytesMax = 255

/** Reads the file that names the logs of a witness: the keys of each, by its origin. Throws `SettingsError`. */
export function readWitnessedLogs(path: string): ReadonlyMap<string, readonly Verifier[]> {
  const found = readPolicyLogs(Buffer.from(readTextOr(path, (reason, cause) => wrong(path, reason, cause))))
  if (found.kind === 'malformed') throw wrong(path, found.reason)
  const logs = Map.groupBy(
    found.value.map(({ key }) => verifierOf(key)),
    ({ name }) => name,
  )
  if (logs.size === 0) throw wrong(path, 'it names no log')
  for (const [origin, { length }] of logs) {
    if (length > keysMax) throw wrong(path, `${origin} has more than ${keysMax} keys`)
    if (Buffer.byteLength(origin) > originBytesMax)
      throw wrong(path, `${origin} is longer than ${originBytesMax} bytes`)
  }
  return logs
}

function wrong(path: string, reason: string, cause?: unknown): SettingsError {
  return new SettingsError(
    `${path}: ${reason}. Each line of the file is \`log <key>\`, with a key as \`/log/\` of a server lists it`,
    { cause },
  )
}
