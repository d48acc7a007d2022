import { isDeepStrictEqual } from 'node:util'
import type { RecordedOrganization } from '../../../../deciding/organization/recorded_organization.ts'
import type { SumAfter } from '../../../../deciding/rules/sum_spending.ts'
import { countAgain } from '../../../../deciding/votes/decide_again.ts'
import type { CheckedDocument } from '../check_document.ts'
import { type Outcome, right, unchecked, wrong } from '../findings.ts'
import type { RecordedVersion } from '../waiting_versions.ts'

/**
 * Verifies the sums of spending limits and velocity controls: each activity that runs must leave those which it makes of
 * the sums before it. So the sums by which later ones are decided are those of the entries. `logs`: how many logs the file
 * has.
 */
export function createSumsCheck(organization: RecordedOrganization, { logs }: { readonly logs: number }) {
  /** The records of sums to which an entry has added that stands after others of later times. */
  const unsure = new Set<string>()

  /** Whether the order of the entries may be another one than that in which these sums were counted. */
  function isUnsure(recordIds: ReadonlySet<string>): boolean {
    return logs > 1 || !unsure.isDisjointFrom(recordIds)
  }

  return {
    isUnsure,

    /** Notes the sums to which a late entry has added. */
    noteLate({ document }: CheckedDocument): void {
      for (const sum of sumsIn(document)) unsure.add(idOf(sum))
    },

    /** To be called for each version that is not late, before the replay takes its changes. */
    async outcomeOf({ activity }: RecordedVersion, { document }: CheckedDocument): Promise<Outcome> {
      if (activity.status !== 'ACTIVITY_STATUS_COMPLETED') return right
      const recorded = sumsIn(document)
      const named = new Set(recorded.map(idOf))
      const mayDiffer = isUnsure(named)
      for (const recordId of named) unsure.delete(recordId)
      const expected = await countAgain({ activity, target: organization })
      if (isDeepStrictEqual(inOrder(recorded), inOrder(expected))) return right
      return mayDiffer ? unchecked(otherOrder) : wrong('the sums that it leaves to limits are not those of the entries')
    },
  }
}

function sumsIn({ changes }: CheckedDocument['document']): readonly SumAfter[] {
  return changes.flatMap(({ records }) => records.flatMap(sumIn))
}

export const otherOrder = 'decisions by sums to which several logs, or late entries, have added in another order'

type Change = CheckedDocument['document']['changes'][number]['records'][number]

/** The sum that a change tells of, without its times. */
function sumIn({ kind, record }: Change): readonly SumAfter[] {
  if (record === undefined || (kind !== 'signed_amounts' && kind !== 'velocity_bucket')) return []
  const {
    createdAtMs: _,
    updatedAtMs: __,
    ...sum
  } = record as SumAfter['record'] & Record<'createdAtMs' | 'updatedAtMs', number>
  return [{ kind, record: sum } as SumAfter]
}

function idOf(sum: SumAfter): string {
  return sum.kind === 'signed_amounts' ? sum.record.signerId : sum.record.bucketId
}

function inOrder(sums: readonly SumAfter[]): readonly SumAfter[] {
  return sums.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1))
}
