import { type ApiKey, type Invitation, recoveryCredentialType, type User } from '../../contract/records/records.ts'

/** Returns the user that an invited person will be, with the key of the link alone. */
export function inviteeOf({ userId, receiverUserName: userName, ...invitation }: Invitation): User {
  const { publicKey, expiresAtMs, createdAtMs, updatedAtMs, restsOn } = invitation
  const key: ApiKey = {
    ...{ apiKeyId: userId, apiKeyName: 'Invitation', publicKey, curveType: 'API_KEY_CURVE_P256' },
    ...{ credentialType: recoveryCredentialType, expirationSeconds: Math.floor((expiresAtMs - createdAtMs) / 1_000) },
    ...{ createdAtMs, updatedAtMs },
    ...(restsOn === undefined ? {} : { restsOn }),
  }
  const nothing = { authenticators: [], oauthProviders: [], userTags: [] }
  return { userId, userName, apiKeys: [key], ...nothing, createdAtMs, updatedAtMs }
}
