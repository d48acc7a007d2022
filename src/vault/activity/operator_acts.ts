import type { PublicChanges } from '../../contract/records/public_changes.ts'
import { type LoggedFact, noOrganizationId } from '../../protocol/log/log_entry.ts'
import { canonicalJson } from '../../protocol/tools/canonical_json.ts'
import type { Books } from '../books/books.ts'
import { idBytes } from '../books/ids.ts'
import { JournalUnavailable } from '../books/journal/journal.ts'

/**
 * An act of the operator that changes no record, as its entry of the transparency log tells it. Nothing in it is a
 * secret. `until` in RFC 3339.
 */
export type OperatorAct =
  /** A new root organization, with its first user. */
  | { readonly act: 'make_organization'; readonly changes: readonly PublicChanges[] }
  /** `journal`: the id under which heads were made so far. The next comparison tells which rows the database lacks. */
  | { readonly act: 'accept_restore'; readonly journal: string; readonly organizations: number }
  /** An accepted database lacks these of an organization, by numbers of its entries in this log. */
  | {
      readonly act: 'miss_rows'
      readonly acceptedAt: number
      readonly numbers: readonly (readonly [from: number, to: number])[]
    }
  /** Comes after these. `unread`: entries of this log that nobody has any more. */
  | {
      readonly act: 'compare_restore'
      readonly acceptedAt: number
      readonly organizations: number
      readonly entries: number
      readonly unread: number
    }
  | { readonly act: 'lift_ip_allowlist'; readonly until: string }
  /** `publicKey`: the key of the link, which stamps the request that adds the passkey. */
  | { readonly act: 'make_link'; readonly userId: string; readonly publicKey: string; readonly until: string }
  /** A start with other settings than the last one. `digest`: SHA-256 of the list of all settings. */
  | {
      readonly act: 'change_settings'
      readonly changed: readonly string[]
      readonly digest: string
      readonly unsealer: string
      readonly version: string
    }

type Circumstances = {
  readonly atMs: number
  readonly organizationId?: string | undefined
  readonly randomBytes: (size: number) => Uint8Array
}

/**
 * The entry of an act, which is about an organization or about none. Its change key is random: the log shows the hash of an
 * entry to strangers, who could guess all else.
 */
export function factOfAct(
  act: OperatorAct,
  { atMs, organizationId = noOrganizationId, randomBytes }: Circumstances,
): LoggedFact {
  const changeKey = Buffer.from(randomBytes(idBytes)).toString('hex')
  return { atMs, organizationId, activity: undefined, changeKey, restsOn: undefined, makes: undefined, ...told(act) }
}

/** The part of an entry that tells of an act. */
export function told(act: OperatorAct): Pick<LoggedFact, 'isOfOperator' | 'document'> {
  return { isOfOperator: true, document: canonicalJson(act) }
}

/**
 * Resolves once the entry of an act is on disk. Before, the act must have no effect. Rejects with `JournalUnavailable`.
 */
export async function enterAct(
  books: Pick<Books, 'sync' | 'unavailable'> & { enter(facts: readonly LoggedFact[]): Promise<unknown> },
  fact: LoggedFact,
): Promise<void> {
  const reason = books.unavailable()
  if (reason !== undefined) throw new JournalUnavailable(reason)
  await books.enter([fact])
  await books.sync()
}
