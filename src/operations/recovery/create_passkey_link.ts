import Type from 'typebox'
import { parseApiPublicKey } from '../../protocol/stamps/api_keys.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { defineActivity } from '../define.ts'
import { ApiPublicKey, fields, optional, TokenSeconds, Uuid } from '../fields/fields.ts'
import { unused, user } from '../needs.ts'
import { recoveryCredentialType } from '../records/records.ts'
import { newApiKey, withApiKeys } from '../users/shared/new_users.ts'

const secondsDefault = '600'
const fieldPath = 'parameters.publicKey'

/**
 * Another device of the user makes the key and shows its public half, or a page makes the key and shows its private half
 * as a link for the other device. No private half is ever in a request, and no mail carries one.
 */
export default defineActivity({
  name: 'create_passkey_link',
  summary: 'Lets a key of P-256 add one passkey to a user, by recover_user: on another device, or after a loss.',
  policy: { resource: 'CREDENTIAL', action: 'CREATE' },
  parameters: fields({ userId: Uuid, publicKey: ApiPublicKey, expirationSeconds: optional(TokenSeconds) }),
  result: Type.Object({ apiKeyId: Type.String() }),
  check({ publicKey }) {
    if (parseApiPublicKey({ curveType: 'API_KEY_CURVE_P256', publicKey }) !== undefined) return
    throw fieldInvalid(fieldPath, 'a compressed point of P-256: 33 bytes in hex')
  },
  ownerOf: ({ userId }) => userId,
  needs: ({ userId, publicKey }) => [user(userId), unused('credential', publicKey, fieldPath)],

  run({ organization, parameters, nowMs, newId, limits }) {
    const { userId, publicKey, expirationSeconds = secondsDefault } = parameters
    const given = {
      apiKeyName: 'Link to add a passkey',
      publicKey,
      curveType: 'API_KEY_CURVE_P256',
      expirationSeconds,
    } as const
    const key = newApiKey(given, { nowMs, newId })
    const credential = { ...key, credentialType: recoveryCredentialType, isLink: true } as const
    organization.users.put(withApiKeys(organization.users.get(userId), [credential], { limits, nowMs }))
    return { apiKeyId: key.apiKeyId }
  },
})
