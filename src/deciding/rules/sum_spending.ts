import type { BoundActivity, OrganizationReader, OrganizationWriter } from '../../contract/define.ts'
import type { SignedAmounts, VelocityBucket } from '../../contract/records/records.ts'
import { type Struct, valueAt } from '../../policy/language/expression_values.ts'
import type { Environment } from '../../policy/language/running/evaluate.ts'
import { durationMsMax } from '../../policy/language/time/durations.ts'
import { type Amount, sumOf, withAmount } from '../../policy/spending.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import { type ResolvedNeeds, type ResolvedRecord, readerOf } from '../organization/organization_reader.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import { type CompiledPolicy, compiledPolicies } from './compiled_policies.ts'
import type { Addition, Counts } from './counts.ts'

type Signing = {
  readonly bound: BoundActivity
  /** Reads what the operation needs. Undefined if some of that does not exist any more. */
  readonly reader: OrganizationReader | undefined
}

/**
 * Returns the id under which the amounts of the signing key are counted. It is the public key itself: a key may have
 * several addresses and be in several wallets, and all of these spend the same funds.
 */
export function signerIdOf({ bound: { spendsFrom: signWith }, reader }: Signing): string | undefined {
  if (signWith === undefined || reader === undefined) return undefined
  return Buffer.from(reader.signer(signWith).publicKey).toString('hex')
}

export type Spent = NonNullable<Environment['spent']>

/**
 * Returns the function behind `spent` in conditions about this activity. It returns undefined if the activity signs
 * nothing that has amounts. The database holds the counts of all nodes. The books hold the counts of this node,
 * whatever the database shows. The greater sum holds.
 */
export function spentBy(organization: SeenOrganization, signing: Signing, { decisionCounts, nowMs }: Counts): Spent {
  return (path, durationMs) => {
    const signerId = signerIdOf(signing)
    if (signerId === undefined) return undefined
    const window = { nowMs, durationMs }
    const stored = sumOf(amountsOf(organization.unlisted('signed_amounts', signerId)?.record, path), window)
    const { organizationId } = organization.head
    const counted = sumOf(decisionCounts.amounts(organizationId, nameOf(signerId, path), 'activity'), window)
    if (stored > counted) return stored
    return counted
  }
}

const nameOf = (signerId: string, path: string) => ['signed_amounts', signerId, path]

/** A record of sums. */
export type SumAfter =
  | { readonly kind: 'signed_amounts'; readonly record: Omit<SignedAmounts, 'createdAtMs' | 'updatedAtMs'> }
  | { readonly kind: 'velocity_bucket'; readonly record: Omit<VelocityBucket, 'createdAtMs' | 'updatedAtMs'> }

/** The sums to which an activity adds, and how they change in the database and on the books. */
export type CountedAmounts = {
  /** The records of the sums as they were, without which no draft can change them. */
  readonly sums: readonly ResolvedRecord[]
  /** The same as they are afterwards, without their times. */
  readonly after: readonly SumAfter[]
  change(writer: OrganizationWriter): void
  readonly additions: readonly Addition[]
}

/**
 * Counts the amounts that the organization's policies name in `spent`, whichever user submits and whichever rule allows
 * it. The books count them before the signature leaves the vault. The database counts them in the transaction that
 * records the signature. If two requests run at once, one is decided again and then knows what the other has signed.
 */
export async function countSpending({
  resolved,
  bound,
  facts,
  nowMs,
  pause,
}: Omit<Signing, 'reader'> & {
  readonly resolved: ResolvedNeeds
  readonly facts: () => Struct
  readonly nowMs: number
  readonly pause: Pause
}): Promise<CountedAmounts> {
  const { organization } = resolved.own
  const paths = await pathsCountedOf(organization, bound, pause)
  const added = paths.size === 0 ? [] : amountsIn(facts, paths)
  const signerId = added.length === 0 ? undefined : signerIdOf({ bound, reader: readerOf(resolved) })
  if (signerId === undefined) return { sums: [], after: [], change: () => {}, additions: [] }

  const kind = 'signed_amounts'
  const before = organization.unlisted(kind, signerId)?.record
  const changed = added.map(({ path, amount }) => {
    const amounts = withAmount(amountsOf(before, path), { atMs: nowMs, amount }, durationMsMax)
    return [path, amounts.map(storedAmount)] as const
  })
  const after = { signerId, paths: { ...before?.paths, ...Object.fromEntries(changed) } }
  const { organizationId } = organization.head
  return {
    sums: [{ kind, recordId: signerId, record: before }],
    after: [{ kind, record: after }],
    change({ signedAmounts }) {
      if (before === undefined) signedAmounts.add(after)
      else signedAmounts.put({ ...after, createdAtMs: before.createdAtMs })
    },
    additions: added.map(({ path, amount }) => {
      return { organizationId, what: nameOf(signerId, path), amount, keptMs: durationMsMax, by: 'activity' }
    }),
  }
}

/** Returns the paths of the fields of a request whose sums the organization's policies ask for. */
export async function pathsCountedOf(
  organization: SeenOrganization,
  { spendsFrom }: BoundActivity,
  pause: Pause,
): Promise<ReadonlySet<string>> {
  return spendsFrom === undefined ? new Set() : countedPaths(await compiledPolicies(organization, pause))
}

/** Returns the paths of the fields whose sums these policies ask for. */
export function countedPaths(policies: readonly CompiledPolicy[]): ReadonlySet<string> {
  return new Set(policies.flatMap(({ condition }) => condition.spentTerms.map(({ path }) => path)))
}

/** Returns the amounts that a transaction adds to the sums of these fields. */
export function amountsIn(facts: () => Struct, paths: ReadonlySet<string>) {
  return [...paths].flatMap((path) => {
    const amount = amountAt(facts(), path)
    return amount > 0n ? [{ path, amount }] : []
  })
}

function amountsOf(record: SignedAmounts | undefined, path: string): readonly Amount[] {
  return (record?.paths[path] ?? []).map(readAmount)
}

/** An amount as records have it. */
type StoredAmount = SignedAmounts['paths'][string][number]

export function storedAmount({ atMs, amount }: Amount): StoredAmount {
  return { atMs, amount: String(amount) }
}

export function readAmount({ atMs, amount }: StoredAmount): Amount {
  return { atMs, amount: BigInt(amount) }
}

/** A missing field adds nothing. A negative field adds nothing either, because it would make room in the limit. */
function amountAt(facts: Struct, path: string): bigint {
  const value = valueAt(facts, path.split('.'))
  return typeof value === 'bigint' && value > 0n ? value : 0n
}
