import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { AuthenticatorView, authenticatorView } from '../../contract/records/views.ts'
import { Failure } from '../../protocol/wire/failures.ts'

export default defineQuery({
  name: 'get_authenticator',
  summary: 'Returns one passkey.',
  parameters: fields({ organizationId: Uuid, authenticatorId: Uuid }),
  result: Type.Object({ authenticator: AuthenticatorView }),
  needs: () => [all('user')],

  run({ organization, parameters: { authenticatorId } }) {
    const authenticator = organization.users
      .all()
      .flatMap(({ authenticators }) => authenticators)
      .find((candidate) => candidate.authenticatorId === authenticatorId)
    if (authenticator === undefined) {
      throw new Failure('NOT_FOUND', `webauthn authenticator not found in organization: there is no ${authenticatorId}`)
    }
    return { authenticator: authenticatorView(authenticator) }
  },
})
