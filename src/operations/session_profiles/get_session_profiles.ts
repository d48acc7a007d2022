import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all, ofParent } from '../../contract/needs.ts'
import { SessionProfileView, sessionProfileView } from './shared/session_profiles.ts'

export default defineQuery({
  name: 'get_session_profiles',
  summary: 'Lists the session profiles. A sub-organization sees the profiles of its parent.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ sessionProfiles: Type.Array(SessionProfileView) }),
  needs: () => [all('session_profile'), ofParent(all('session_profile'))],

  run({ organization }) {
    const inherited = organization.parent?.sessionProfiles.all() ?? []
    return { sessionProfiles: [...inherited, ...organization.sessionProfiles.all()].map(sessionProfileView) }
  },
})
