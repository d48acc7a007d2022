import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, optional, Uuid } from '../../contract/fields/fields.ts'
import { all, user } from '../../contract/needs.ts'
import { OauthProviderView, oauthProviderView } from '../../contract/records/views.ts'

export default defineQuery({
  name: 'get_oauth_providers',
  summary: 'Lists the identities at OIDC issuers by which one user logs in, or those of all users.',
  parameters: fields({ organizationId: Uuid, userId: optional(Uuid) }),
  result: Type.Object({ oauthProviders: Type.Array(OauthProviderView) }),
  needs: ({ userId }) => [userId === undefined ? all('user') : user(userId)],

  run({ organization, parameters: { userId } }) {
    const users = userId === undefined ? organization.users.all() : [organization.users.get(userId)]
    return { oauthProviders: users.flatMap(({ oauthProviders }) => oauthProviders.map(oauthProviderView)) }
  },
})
