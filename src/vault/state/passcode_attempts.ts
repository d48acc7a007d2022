import { countingOf } from '../../contract/records/counted_kinds.ts'
import type { RecordKind } from '../../contract/records/records.ts'

/** An attempt at the secret of a record, such as a passcode, as the books count it. Undefined for other kinds. */
export function attemptAt(
  kind: RecordKind,
  { organizationId, recordId }: { readonly organizationId: string; readonly recordId: string },
) {
  const counting = countingOf(kind)
  if (counting?.attempts === undefined) return undefined
  return { organizationId, what: [kind, recordId, counting.attempts], amount: 1n, keptMs: counting.keptMs }
}
