import { readTextOr } from '../../link/text_file.ts'
import type { Verifier } from '../../protocol/log/notes/note.ts'
import { verifierOf } from '../../protocol/log/notes/signatures.ts'
import { isQuorum, type PolicyWitness, readPolicy } from '../../protocol/log/policy.ts'
import { baseUrlOf } from '../../protocol/wire/base_url.ts'
import { isLoopbackHttp } from '../../protocol/wire/loopback.ts'
import { SettingsError } from '../process/settings_error.ts'

/** The witnesses of this server's operator. */
export type OwnWitnesses = {
  readonly witnesses: readonly OwnWitness[]
  /** Whether so many have cosigned a checkpoint as the policy wants, by their names there. */
  readonly isQuorum: (names: ReadonlySet<string>) => boolean
}

/** A server with one or several keys, each of which is a witness of the policy. */
export type OwnWitness = {
  /** Without a slash at its end. */
  readonly url: string
  /** The names in the policy, by the verifiers of the keys. */
  readonly names: ReadonlyMap<Verifier, string>
}

/**
 * Reads the policy (C2SP tlog-policy) that says which witnesses a server asks, and which of them are enough. Its lines
 * of logs are for who verifies. Throws `SettingsError`.
 */
export function readOwnWitnesses(path: string): OwnWitnesses {
  const found = readPolicy(Buffer.from(readTextOr(path, (reason, cause) => wrong(path, reason, cause))))
  if (found.kind === 'malformed') throw wrong(path, found.reason)
  const policy = found.value
  if (isQuorum(new Set(), policy)) throw wrong(path, 'its quorum needs no witness: name the one that is needed')
  const byUrl = Map.groupBy(policy.witnesses, (witness) => urlOf(path, witness))
  const witnesses = [...byUrl].map(([url, keys]) => ({
    url,
    names: new Map(keys.map(({ key, name }) => [verifierOf(key), name])),
  }))
  return { witnesses, isQuorum: (names) => isQuorum(names, policy) }
}

/** The address is the operator's own choice, so it may be a private one, and all that is sent there is public. */
function urlOf(path: string, { name, url: text }: PolicyWitness): string {
  const url = text === undefined ? undefined : baseUrlOf(text)
  if (url !== undefined && (url.startsWith('https:') || isLoopbackHttp(new URL(url)))) return url
  throw wrong(path, `the witness ${name} needs the address where it is asked: https, or http on this machine`)
}

function wrong(path: string, reason: string, cause?: unknown): SettingsError {
  return new SettingsError(`CLAVIGER_WITNESSES_FILE (--witnesses-file): ${path}: ${reason}`, { cause })
}
