import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import { code, duration, none, row, rowsOf, text, wholeText } from '../../contract/explanation/shown_values.ts'
import { checkScope } from '../../contract/fields/conditions.ts'
import { Expression, fields, Label, Notes, optional, SessionSeconds } from '../../contract/fields/fields.ts'
import { inSteps } from '../../protocol/tools/steps.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { profileNotes } from './shared/profile_notes.ts'

export default defineActivity({
  name: 'create_session_profile',
  summary:
    'Creates a profile for sessions in this organization and all its sub-organizations. A profile never changes.',
  policy: { resource: 'SESSION_PROFILE', action: 'CREATE' },
  parameters: fields({
    sessionProfileName: Label,
    scope: Expression,
    expirationSeconds: optional(SessionSeconds),
    notes: optional(Notes),
  }),
  result: Type.Object({ sessionProfileId: Type.String() }),
  check: ({ scope }, pause) => inSteps(checkScope(scope, 'parameters.scope'), pause),
  *explain({ parameters: { sessionProfileName, scope, expirationSeconds, notes }, now }) {
    return yield* changesContent(now, {
      code: 'create_session_profile',
      subject: [text(sessionProfileName)],
      warnings: yield* profileNotes({ name: sessionProfileName, scope, expirationSeconds }),
      rows: [
        row('name', text(sessionProfileName)),
        row('scope', scope === '' ? none : wholeText(scope)),
        row('expirationSeconds', expirationSeconds === undefined ? none : duration(expirationSeconds)),
        ...rowsOf({ notes: notes === undefined || notes === '' ? undefined : text(notes) }),
        row('about', code('organizationAndBelow')),
      ],
    })
  },

  run({ organization, parameters, newId }) {
    if (organization.parentId !== undefined) {
      throw new Failure('FORBIDDEN', 'a sub-organization uses the session profiles of its parent')
    }
    const { sessionProfileName, scope, expirationSeconds, notes } = parameters
    const sessionProfileId = newId()
    organization.sessionProfiles.add({
      sessionProfileId,
      sessionProfileName,
      scope,
      ...(expirationSeconds === undefined ? {} : { expirationSeconds: Number(expirationSeconds) }),
      ...(notes === undefined ? {} : { notes }),
    })
    return { sessionProfileId }
  },
})
