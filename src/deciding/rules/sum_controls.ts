import type { BoundActivity, OrganizationReader } from '../../contract/define.ts'
import { signs } from '../../contract/operation.ts'
import type { VelocityBucket, VelocityControl } from '../../contract/records/records.ts'
import { type Struct, valueAt } from '../../policy/language/expression_values.ts'
import type { Environment } from '../../policy/language/running/evaluate.ts'
import { type Amount, withAmount } from '../../policy/spending.ts'
import { scriptsOwnedBy } from '../../policy/transactions/bitcoin/bitcoin_scripts.ts'
import { explainControl } from '../../policy/velocity/explain_control.ts'
import {
  amountIn,
  type Counted,
  groupingOf,
  holds,
  isAbout,
  totalOf,
  windowMsOf,
} from '../../policy/velocity/velocity_control.ts'
import { lazily } from '../../protocol/tools/lazily.ts'
import { type ResolvedNeeds, readerOf } from '../organization/organization_reader.ts'
import { together } from '../organization/reads_needed.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import { type Counts, countGroupKind } from './counts.ts'
import { type CountedAmounts, readAmount, storedAmount } from './sum_spending.ts'

/** An activity as velocity controls count it. */
export type Acting = {
  readonly bound: BoundActivity
  /** Reads what the operation needs. Undefined if some of that does not exist any more. */
  readonly reader: OrganizationReader | undefined
  readonly facts: () => Struct
  readonly submitterId: string
  /** The activity is in another organization, where these controls count nothing: it may add any amount. */
  readonly isElsewhere?: boolean
}

/** The velocity controls as conditions see them: one field for each that is about the activity. */
export type Controls = { readonly struct: Struct; readonly textOf: NonNullable<Environment['controlText']> }

export type CountedIn = (control: VelocityControl, bucketId: string) => Counted

/** Returns the controls of an organization for one activity. Nothing is read before the struct is asked for. */
export function controlsFor(
  organization: SeenOrganization,
  acting: Acting,
  { nowMs, countedIn }: { readonly nowMs: number; readonly countedIn: CountedIn },
): Controls {
  const seen = lazily(() => {
    const controls = controlsAbout(organization, acting)
    const buckets = together(
      controls.map(
        ({ control, bucketId }) =>
          () =>
            countedIn(control, bucketId),
      ),
    )
    return new Map(
      controls.map(({ control, added }, index) => {
        const counted = buckets[index] ?? { stored: [], booked: [] }
        return [control.identifier, { control, added, counted, nowMs }] as const
      }),
    )
  })
  // Conditions may read a control hundreds of times.
  const struct = lazily(() =>
    Object.fromEntries(
      [...seen()].map(([identifier, { control, added, counted }]) => {
        const total = added === undefined ? undefined : totalOf(control, counted, nowMs) + added
        return [identifier, holds(control, total)]
      }),
    ),
  )
  return {
    get struct() {
      return struct()
    },
    textOf(identifier) {
      const one = seen().get(identifier)
      return one && explainControl(one.control, one)
    },
  }
}

/** The amounts of a bucket in the database and on the books. */
export function countedBy(organization: SeenOrganization, { decisionCounts }: Counts): CountedIn {
  const { organizationId } = organization.head
  return (_control, bucketId) => ({
    stored: amountsOf(organization.unlisted('velocity_bucket', bucketId)?.record),
    booked: decisionCounts.amounts(organizationId, nameOf(bucketId), 'activity'),
  })
}

/**
 * Counts an executed activity in all controls that are about it. The books count before its result leaves the vault.
 * The database counts in the transaction that records the activity. Content that cannot be read is not counted.
 */
export function countControls({
  resolved,
  nowMs,
  ...activity
}: Omit<Acting, 'reader'> & { readonly resolved: ResolvedNeeds; readonly nowMs: number }): CountedAmounts {
  const { organization } = resolved.own
  const acting = {
    ...activity,
    get reader() {
      return readerOf(resolved)
    },
  }
  const adding = controlsAbout(organization, acting).filter(({ added = 0n }) => added > 0n)
  const counted = together(
    adding.map((each) => () => {
      const before = organization.unlisted('velocity_bucket', each.bucketId)?.record
      return { ...each, before, after: bucketAfter(each, before, nowMs) }
    }),
  )
  return {
    sums: counted.map(({ bucketId, before }) => ({ kind: 'velocity_bucket', recordId: bucketId, record: before })),
    after: counted.map(({ after }) => ({ kind: 'velocity_bucket', record: after })),
    change({ velocityBuckets }) {
      for (const { before, after } of counted) {
        if (before === undefined) velocityBuckets.add(after)
        else velocityBuckets.put({ ...after, createdAtMs: before.createdAtMs })
      }
    },
    additions: counted.map(({ control, bucketId, added = 0n }) => ({
      organizationId: organization.head.organizationId,
      what: nameOf(bucketId),
      group: { kind: countGroupKind, recordId: control.velocityControlId },
      amount: added,
      keptMs: windowMsOf(control),
      by: 'activity',
    })),
  }
}

/** A control that is about an activity, the bucket in which it counts, and the amount, unless that cannot be read. */
type About = { readonly control: VelocityControl; readonly bucketId: string; readonly added: bigint | undefined }

/** Returns the controls that are about an operation. */
export function controlsOver(
  organization: SeenOrganization,
  { operation, type }: BoundActivity,
): readonly VelocityControl[] {
  const activity = { type, signs: signs(operation) }
  return organization.allListed('velocity_control').filter((control) => isAbout(control, activity))
}

export function controlsAbout(organization: SeenOrganization, acting: Acting): readonly About[] {
  const { bound, facts, submitterId, isElsewhere = false } = acting
  const bucketOf = {
    organization: () => organization.head.organizationId,
    user: () => submitterId,
    // Activities without a wallet or a private key share a bucket.
    wallet: () => valueAt(facts(), ['wallet', 'id']) ?? valueAt(facts(), ['private_key', 'id']) ?? 'none',
  }
  const ownScripts = lazily(() => ownScriptsOf(acting))
  return controlsOver(organization, bound).map((control) => ({
    control,
    bucketId: `${control.velocityControlId} ${bucketOf[groupingOf(control)]()}`,
    added: isElsewhere ? undefined : amountIn(control, { facts, ownScripts, signaturesCount: bound.signaturesCount }),
  }))
}

function ownScriptsOf({ bound: { spendsFrom: signWith }, reader }: Acting): ReadonlySet<string> {
  if (signWith === undefined || reader === undefined) return new Set()
  return scriptsOwnedBy(reader.signer(signWith).publicKey)
}

function bucketAfter({ control, bucketId, added = 0n }: About, before: VelocityBucket | undefined, atMs: number) {
  const { velocityControlId } = control
  const amounts = withAmount(amountsOf(before), { atMs, amount: added }, windowMsOf(control))
  return { bucketId, velocityControlId, amounts: amounts.map(storedAmount) }
}

const nameOf = (bucketId: string) => ['velocity_bucket', bucketId]

function amountsOf(bucket: VelocityBucket | undefined): readonly Amount[] {
  return (bucket?.amounts ?? []).map(readAmount)
}
