import Type from 'typebox'
import { type ActivityContext, defineActivity } from '../../contract/define.ts'
import { BearerToken } from '../../contract/fields/bearer_token.ts'
import { fields } from '../../contract/fields/fields.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { addSession, checkSession, sessionParameters, sessionReads } from './shared/new_sessions.ts'

export default defineActivity({
  name: 'stamp_login',
  summary: 'Logs in the user who stamped the request. A key of the client becomes an API key until it expires.',
  policy: { resource: 'AUTH', action: 'CREATE' },
  logsIn: true,
  parameters: fields(sessionParameters),
  result: Type.Object({ session: BearerToken }),
  resolvesSubOrganization: true,
  check: checkSession,
  ownerOf: (_parameters, callerId) => callerId,
  needs: sessionReads,

  run({ organization, parameters, caller, submitted, ...context }) {
    // The session would not end with what is gone already.
    if (!submitted.isMakerThere()) throw new Failure('FORBIDDEN', 'the credential that asked for this session is gone')
    const given = { ...parameters, ...openerOf(submitted), opener: submitted.apiKey }
    return { session: addSession(caller.user, given, { organization, submitted, ...context }) }
  },
})

/** The means that open the session: the factor of the stamp, and the contact of its token or of the session that stamps. */
function openerOf({ factor, maker, apiKey }: ActivityContext<unknown>['submitted']) {
  const { lookup, key: codeSentTo } = maker?.attested ?? { key: apiKey?.codeSentTo }
  return codeSentTo === undefined || lookup === 'oidc_identity' ? { factor } : { factor, codeSentTo }
}
