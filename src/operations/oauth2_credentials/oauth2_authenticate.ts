import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { BearerToken } from '../../contract/fields/bearer_token.ts'
import { fields, Oauth2CredentialId, optional, TargetPublicKey } from '../../contract/fields/fields.ts'
import type { Keys } from '../../contract/keys.ts'
import { oauth2Credential } from '../../contract/needs.ts'
import { parseTargetPublicKey } from '../../protocol/bundles/bundles.ts'
import { compactPlaintextBytesMax } from '../../protocol/bundles/compact_bundle.ts'
import type { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { Failure } from '../../protocol/wire/failures.ts'

const targetPath = 'parameters.bearerTokenTargetPublicKey'

function text(charactersMax: number) {
  return Type.String({
    minLength: 1,
    maxLength: charactersMax,
    expected: `a text of 1 to ${charactersMax} characters`,
  })
}

export default defineActivity({
  name: 'oauth2_authenticate',
  summary:
    "Exchanges an OAuth 2.0 provider's code for an ID token that this server issues, with which the user logs in.",
  policy: { resource: 'AUTH', action: 'CREATE' },
  parameters: fields({
    oauth2CredentialId: Oauth2CredentialId,
    authCode: text(4_096),
    redirectUri: text(2_048),
    codeVerifier: text(256),
    nonce: text(256),
    bearerTokenTargetPublicKey: optional(TargetPublicKey),
  }),
  result: Type.Object({ oidcToken: BearerToken }),
  concurrent: true,
  check: ({ bearerTokenTargetPublicKey: target }) => {
    if (target !== undefined) parseTargetPublicKey(target, targetPath)
  },
  needs: ({ oauth2CredentialId }) => [oauth2Credential(oauth2CredentialId)],

  async run({ organization, parameters, keys, oauth2User }) {
    const { authCode, codeVerifier, redirectUri, nonce, bearerTokenTargetPublicKey: target } = parameters
    const { oauth2CredentialId, provider, clientId } = organization.oauth2Credentials.get(parameters.oauth2CredentialId)
    using clientSecret = keys.secretOf('oauth2_credential', oauth2CredentialId)
    const grant = { provider, clientId, clientSecret, authCode, codeVerifier, redirectUri }
    const { subject, accessToken } = await oauth2User(grant)
    const bearer = target === undefined ? {} : { encryptedBearerToken: bearerBundle(accessToken, { target, keys }) }
    return { oidcToken: keys.idToken({ audience: clientId, subject, nonce, ...bearer }) }
  },
})

/** Encrypts the provider's bearer token, whose length the provider chooses. */
function bearerBundle(
  accessToken: SecretBytes,
  { target, keys }: { readonly target: string; readonly keys: Pick<Keys, 'compactBundle'> },
): string {
  const { length } = accessToken.reveal()
  if (length <= compactPlaintextBytesMax) {
    return keys.compactBundle(accessToken, parseTargetPublicKey(target, targetPath))
  }
  throw new Failure('FIELD_INVALID', {
    fieldPath: targetPath,
    expected: 'left out',
    reason: `the provider's bearer token has ${length} bytes, and at most ${compactPlaintextBytesMax} can be encrypted`,
  })
}
