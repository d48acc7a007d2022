import type { Note } from '../../../contract/explanation/explanation.ts'
import { code, duration, list, namedInTitle, noteOf, text } from '../../../contract/explanation/shown_values.ts'
import { compileCondition } from '../../../policy/decision/policy_expressions.ts'
import { holdsAlways } from '../../../policy/openings/always_holds.ts'
import type { Deed } from '../../../policy/openings/deeds.ts'
import { judgeScope } from '../../../policy/openings/opened_deeds.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { Failure, orFailure } from '../../../protocol/wire/failures.ts'

/** Sessions of a day or less are usual. */
const usualSecondsMax = 86_400

type Profile = { readonly name: string; readonly scope: string; readonly expirationSeconds: string | undefined }

/**
 * Warns of a profile whose sessions may decide over others or over keys, or last long. Sessions are for signing.
 */
export function* profileNotes({ name, scope, expirationSeconds = '0' }: Profile): Steps<readonly Note[]> {
  const isLong = Number(expirationSeconds) > usualSecondsMax
  return [
    ...(yield* scopeNotes(name, scope)),
    ...(isLong ? [noteOf('sessionsLong', text(name), duration(expirationSeconds))] : []),
  ]
}

/** A scope of an old request may not compile any more. Then it never holds. */
function* scopeNotes(name: string, scope: string): Steps<readonly Note[]> {
  const compiled = orFailure(() => compileCondition(scope))
  yield
  if (compiled instanceof Failure) return []
  if (holdsAlways(compiled)) return [noteOf('sessionsMayAll', text(name))]
  yield
  const { opened, untold } = yield* judgeScope(compiled)
  return [...noteAbout('sessionsMay', name, opened), ...noteAbout('mayOpen', name, untold)]
}

function noteAbout(said: 'sessionsMay' | 'mayOpen', name: string, given: readonly Deed[]): readonly Note[] {
  const shown = given.filter((deed) => deed !== 'signatures').map((deed) => code(deed))
  return shown.length === 0 ? [] : [noteOf(said, text(name), list(namedInTitle(shown)))]
}
