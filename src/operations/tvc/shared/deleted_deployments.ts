import type { TvcDeployment } from '../../../contract/records/records.ts'
import { fieldInvalid } from '../../../protocol/wire/failures.ts'

/** Refuses a deployment that was deleted and not restored. */
export function requireNotDeleted({ deletedAtMs }: TvcDeployment, fieldPath: string): void {
  if (deletedAtMs === undefined) return
  throw fieldInvalid(fieldPath, 'one that is not deleted: restore it first')
}

/** The deployment that was deleted first, whose place a new one takes. Undefined if none is deleted. */
export function firstDeleted(deployments: readonly TvcDeployment[]): TvcDeployment | undefined {
  return deployments
    .filter(({ deletedAtMs }) => deletedAtMs !== undefined)
    .toSorted((one, other) => (one.deletedAtMs ?? 0) - (other.deletedAtMs ?? 0))[0]
}
