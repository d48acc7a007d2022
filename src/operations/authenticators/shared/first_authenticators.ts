import type { Static } from 'typebox'
import { Flag, fields, NewAuthenticator, namedFields, oneOf, optional, Uuid } from '../../../contract/fields/fields.ts'
import { named } from '../../../contract/fields/named.ts'
import { base64urlOf, bytesFromBase64url } from '../../../protocol/tools/base64url.ts'
import { fieldInvalid } from '../../../protocol/wire/failures.ts'
import type { GivenAuthenticator } from './new_authenticators.ts'

const { challenge, authenticatorName, attestation } = NewAuthenticator.properties
const { credentialId, clientDataJson, attestationObject, transports } = attestation.properties
const Attachment = oneOf(['cross-platform', 'platform'], named('AuthenticatorAttachment'))

/** A passkey in the first types: the complete `PublicKeyCredential` of the browser. */
export const FirstNewAuthenticator = namedFields('AuthenticatorParams', {
  authenticatorName,
  userId: Uuid,
  attestation: namedFields('PublicKeyCredentialWithAttestation', {
    id: credentialId,
    type: oneOf(['public-key']),
    rawId: credentialId,
    authenticatorAttachment: optional(Attachment),
    response: namedFields('AuthenticatorAttestationResponse', {
      clientDataJson,
      attestationObject,
      transports: optional(transports),
      authenticatorAttachment: optional(Attachment),
    }),
    clientExtensionResults: namedFields('SimpleClientExtensionResults', {
      appid: optional(Flag),
      appidExclude: optional(Flag),
      credProps: optional(fields({ rk: Flag })),
    }),
  }),
  challenge,
})

/** Converts a passkey to today's form, without the user. `id` and `rawId` must be the same id. */
export function upgradeFirst(
  { authenticatorName, challenge, attestation }: Static<typeof FirstNewAuthenticator>,
  fieldPath: string,
): GivenAuthenticator {
  const { id, rawId, response } = attestation
  if (canonical(id) !== canonical(rawId)) throw fieldInvalid(`${fieldPath}.attestation.id`, 'the id that rawId is')
  const { clientDataJson, attestationObject, transports = [] } = response
  return {
    authenticatorName,
    challenge,
    attestation: { credentialId: rawId, clientDataJson, attestationObject, transports },
  }
}

function canonical(text: string): string {
  return base64urlOf(bytesFromBase64url(text) ?? new Uint8Array())
}
