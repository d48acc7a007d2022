import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { maybe, ofParent } from '../../contract/needs.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { SessionProfileView, sessionProfileView } from './shared/session_profiles.ts'

export default defineQuery({
  name: 'get_session_profile',
  summary: 'Returns one session profile. A sub-organization sees the profiles of its parent.',
  parameters: fields({ organizationId: Uuid, sessionProfileId: Uuid }),
  result: Type.Object({ sessionProfile: SessionProfileView }),
  needs: ({ sessionProfileId }) => {
    const need = maybe('session_profile', sessionProfileId)
    return [need, ofParent(need)]
  },

  run({ organization: { sessionProfiles, parent }, parameters: { sessionProfileId } }) {
    const profile = sessionProfiles.find(sessionProfileId) ?? parent?.sessionProfiles.find(sessionProfileId)
    if (profile === undefined) {
      throw new Failure('NOT_FOUND', `there is no session profile ${sessionProfileId} in this organization`)
    }
    return { sessionProfile: sessionProfileView(profile) }
  },
})
