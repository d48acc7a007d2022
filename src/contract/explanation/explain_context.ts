import type { Approvals } from '../../policy/decision/policy_evaluator.ts'
import type { Struct } from '../../policy/language/expression_values.ts'
import type { Own } from '../../policy/openings/opened_deeds.ts'
import type { Failure } from '../../protocol/wire/failures.ts'
import type { OrganizationReader, Quorum } from '../readers.ts'
import type { RecordKind, RecordTypes } from '../records/records.ts'
import type { Row, Value } from './explanation.ts'
import { change, none, note, row } from './shown_values.ts'

/** The organization as it is now, for the sake of names and of values that change. */
export type Now = {
  /** Whether the values now are those before the activity. Not so for an activity that has ended. */
  readonly isBefore: boolean
  /** Milliseconds since 1970. */
  readonly nowMs: number
  readonly organizationId: string
  readonly organizationName: string
  readonly rootQuorum: Quorum
  /** The public key of the credential that stamped the submission. */
  readonly submitterKey: string | undefined
  /** Each user, and the approvals that the user can give alone: by each credential, by all of them, and by an attested stamp. */
  approvalsAlone(): readonly { readonly userId: string; readonly ways: readonly Approvals[] }[]
  /** Whether the organization has a record, or a user a credential or an MFA policy, with this id. Wallet accounts do not count. */
  exists(id: string): boolean
  /** The wallets and the private keys, as conditions see them: the first `ownKeysMax` of each. And the velocity controls. */
  own(): Own
  /** The velocity controls by their identifiers. */
  controls(): ReadonlyMap<string, RecordTypes['velocity_control']>
  find<K extends RecordKind>(kind: K, recordId: string): RecordTypes[K] | undefined
  /** Shows the id of a record or of a part of a user, with its name. */
  named(id: string): Value
  /** The name that stands in a mail of the request, by what it may choose now. */
  nameInMails(chosen: string): string
  /** The wallet accounts at these addresses, by address. The first `accountAddressesMax` are looked up. */
  accountsAt(addresses: readonly string[]): ReadonlyMap<string, RecordTypes['wallet_account']>
  /** The uploaded ABIs of this contract of Ethereum, by its address in lower case. */
  interfacesAt(address: string): readonly RecordTypes['smart_contract_interface'][]
}

/** The request as the rules see it. */
export type ReadableRequest = {
  /** The records that `needs` named. */
  readonly organization: OrganizationReader
  readonly facts: Struct
  /** The uploaded interfaces by which calls were decoded. */
  readonly interfaces: readonly Value[]
}

/**
 * The wallets, and the private keys, that are tried with a condition. Hardly more ids fit into one, and one that covers so
 * many by a tag or a name is taken to cover all.
 */
export const ownKeysMax = 300

/** The addresses of one request that are looked up. */
export const accountAddressesMax = 200

export type ExplainContext<P> = {
  readonly parameters: P
  /** The failure, if something that the request names is gone, or its content cannot be read. */
  readonly request: ReadableRequest | Failure
  readonly now: Now
}

type Changed = { readonly from: Value | undefined; readonly to: Value | undefined }

/** The row of a value that changes. There is no row if the request leaves the value as it is (`to` is undefined). */
export function changedRow({ isBefore }: Pick<Now, 'isBefore'>, label: string, { from, to }: Changed): readonly Row[] {
  if (to === undefined) return []
  return [row(label, change(isBefore ? (from ?? none) : note('notKnownAnyMore'), to))]
}
