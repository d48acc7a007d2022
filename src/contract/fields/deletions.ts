import { Failure, type FailureCode } from '../../protocol/wire/failures.ts'
import { Flag, optional } from './fields.ts'

/** Deleting a key that was never exported loses it for good, so the request must say that it means this. */
export const DeleteWithoutExport = optional(Flag)

const expected = 'exported before it is deleted: set `deleteWithoutExport` to true to lose it'

export function notExported(fieldPath: string, code: FailureCode = 'FIELD_INVALID'): Failure {
  return new Failure(code, { fieldPath, expected })
}
