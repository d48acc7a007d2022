import { isUuid } from '../protocol/wire/identifiers.ts'
import { AdminError } from './admin_error.ts'

/** The version and tag of an organization's head, without its content. */
export type NamedHead = {
  readonly organizationId: string
  readonly version: number
  /** The tag of its seal: 32 hex digits. */
  readonly tag: string
}

/** Heads in one message of the sockets at most. They fit with room to spare. */
export const headsPerPageMax = 1_000

/** A page of the newest heads on the books, in no order. `cursor` leads to the next page; there is none after the last. */
export type BookedHeadsPage = { readonly heads: readonly NamedHead[]; readonly cursor?: number }

export type AcceptedRestore = {
  readonly oldJournalId: string
  readonly newJournalId: string
  /** How many organizations had a newest head on the books. */
  readonly organizations: number
}

/** How long an IP allowlist may be lifted at a time. */
export const liftMinutesMax = 60

export type LiftRequest = { readonly organizationId: string; readonly minutes: number }

/** `until` in RFC 3339. */
export type LiftedAllowlist = { readonly organizationId: string; readonly until: string }

export type LinkRequest = { readonly organizationId: string; readonly userId: string }

/** The private half of the link's key, 64 hex digits; nothing keeps it. `until` in RFC 3339. */
export type MadeLink = LinkRequest & { readonly privateKey: string; readonly until: string }

/**
 * The vault's verbs for the operator, on a socket of its own. The channel to the service has none of them: strangers
 * reach the service, and a service that was taken over must not make the vault forget.
 */
export type Operator = {
  /** Without a cursor a new list begins and the former one ends. Throws `AdminError` for a cursor of the former one. */
  bookedHeads(request: { readonly cursor?: number | undefined }): Promise<BookedHeadsPage>
  /** The newest heads on the books of these organizations. Organizations that the books lack are left out. */
  bookedHeadsOf(request: { readonly organizationIds: readonly string[] }): Promise<readonly NamedHead[]>
  /**
   * Forgets the newest head of each organization and trusts the next one that the database shows. Keeps the counts and
   * the change keys. Throws `AdminError` when this could not be written to disk.
   */
  acceptRestore(): Promise<AcceptedRestore>
  /**
   * Lets requests for an organization pass from every address for some minutes, whatever its IP allowlist says. Changes
   * no record. Throws `AdminError` for an organization that the books lack.
   */
  liftIpAllowlist(request: LiftRequest): Promise<LiftedAllowlist>
  /**
   * Makes a link that adds one passkey to a user, once, within ten minutes. Changes no record. Throws `AdminError` for
   * an organization that the books lack. Whether there is such a user shows when the link is used.
   */
  makeLink(request: LinkRequest): Promise<MadeLink>
}

/** `{ organizationIds }` as it came over a socket. */
export function readOrganizationIds(argument: unknown): { readonly organizationIds: readonly string[] } {
  const ids: unknown = memberOf(argument, 'organizationIds')
  if (!Array.isArray(ids) || ids.length > headsPerPageMax) {
    throw new AdminError(`organizationIds must be a list of at most ${headsPerPageMax}`)
  }
  return { organizationIds: ids.map(readUuid) }
}

/** `{ cursor }` as it came over a socket. */
export function readCursor(argument: unknown): { readonly cursor: number | undefined } {
  const cursor: unknown = memberOf(argument, 'cursor')
  if (cursor === undefined) return { cursor }
  if (typeof cursor !== 'number' || !Number.isSafeInteger(cursor)) throw new AdminError('cursor must be a whole number')
  return { cursor }
}

/** `{ organizationId, minutes }` as it came over a socket. */
export function readLiftRequest(argument: unknown): LiftRequest {
  const organizationId = readUuidMember(argument, 'organizationId')
  const minutes: unknown = memberOf(argument, 'minutes')
  if (typeof minutes !== 'number' || !Number.isInteger(minutes) || minutes < 1 || minutes > liftMinutesMax) {
    throw new AdminError(`minutes must be a whole number from 1 to ${liftMinutesMax}`)
  }
  return { organizationId, minutes }
}

/** `{ organizationId, userId }` as it came over a socket. */
export function readLinkRequest(argument: unknown): LinkRequest {
  return { organizationId: readUuidMember(argument, 'organizationId'), userId: readUuidMember(argument, 'userId') }
}

function readUuidMember(argument: unknown, name: string): string {
  const id: unknown = memberOf(argument, name)
  if (typeof id !== 'string' || !isUuid(id)) throw new AdminError(`${name} must be a UUID`)
  return id.toLowerCase()
}

function readUuid(id: unknown): string {
  if (typeof id !== 'string' || !isUuid(id)) throw new AdminError('organizationIds must be UUIDs')
  return id
}

function memberOf(argument: unknown, name: string): unknown {
  return typeof argument === 'object' && argument !== null ? Reflect.get(argument, name) : undefined
}
