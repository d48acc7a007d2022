import Type from 'typebox'
import { defineActivity } from '../define.ts'
import { BearerToken } from '../fields/bearer_token.ts'
import { fields } from '../fields/fields.ts'
import { addSession, checkSession, sessionParameters, sessionReads } from './shared/new_sessions.ts'

export default defineActivity({
  name: 'stamp_login',
  summary: 'Logs in the user who stamped the request. A key of the client becomes an API key until it expires.',
  policy: { resource: 'AUTH', action: 'CREATE' },
  parameters: fields(sessionParameters),
  result: Type.Object({ session: BearerToken }),
  resolvesSubOrganization: true,
  check: checkSession,
  ownerOf: (_parameters, callerId) => callerId,
  needs: sessionReads,

  run({ organization, parameters, caller, submitted: { factor }, ...context }) {
    return { session: addSession(caller.user, { ...parameters, factor }, { organization, ...context }) }
  },
})
