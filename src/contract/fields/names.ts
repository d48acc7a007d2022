import { Failure } from '../../protocol/wire/failures.ts'

/** Refuses a name that another record has. A record may keep its own name. */
export function requireUnusedByOthers<T>(named: readonly T[], isOwn: (other: T) => boolean, fieldPath: string): void {
  if (named.every(isOwn)) return
  throw new Failure('NAME_TAKEN', { fieldPath, expected: 'one that nothing else in this organization has' })
}
