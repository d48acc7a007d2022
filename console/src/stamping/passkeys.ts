import { base64urlOf, bytesOfBase64url, bytesOfUuid, uuidOf } from './encoding.ts'

/** The members of `X-Stamp-WebAuthn`, each base64url, and the organization and user that the passkey names. */
export type Assertion = {
  readonly authenticatorData: string
  readonly clientDataJson: string
  readonly credentialId: string
  readonly signature: string
  readonly userHandle: PasskeyOwner | undefined
}

/** A passkey that this console registered names its owner: `user.id` is both ids, 32 bytes, and 8 random bytes. */
export type PasskeyOwner = { readonly organizationId: string; readonly userId: string }

const ownerBytes = 32
/** A browser puts a new passkey in the place of one with the same `user.id`, even if the server then refuses the new. */
const distinctBytes = 8
const ceremonyMsMax = 120_000
const algorithms = [-7, -257] as const // ES256, RS256

/**
 * Asks for a passkey of this host. Without `credentialIds` the user chooses among all that the browser knows. Throws a
 * DOMException: `NotAllowedError` when the user cancels or there is none.
 */
export async function assertWithPasskey(
  challenge: Uint8Array<ArrayBuffer>,
  credentialIds: readonly string[],
): Promise<Assertion> {
  const credential = await navigator.credentials.get({
    publicKey: {
      challenge,
      rpId: location.hostname,
      allowCredentials: credentialIds.map((id) => ({ type: 'public-key', id: bytesOfBase64url(id) })),
      userVerification: 'preferred',
      timeout: ceremonyMsMax,
    },
  })
  if (!(credential instanceof PublicKeyCredential)) throw new TypeError('the browser gave no passkey')
  const { response, rawId } = credential
  if (!(response instanceof AuthenticatorAssertionResponse)) throw new TypeError('the browser gave no assertion')
  return {
    authenticatorData: text(response.authenticatorData),
    clientDataJson: text(response.clientDataJSON),
    credentialId: text(rawId),
    signature: text(response.signature),
    userHandle: ownerOf(response.userHandle),
  }
}

/** Asks for a passkey, to learn which organization it belongs to. It proves nothing to the server. */
export async function findPasskey(): Promise<Assertion> {
  return assertWithPasskey(crypto.getRandomValues(new Uint8Array(32)), [])
}

/** Registers a passkey in this browser, in the form that `create_authenticators` takes. */
export async function registerPasskey({
  authenticatorName,
  userName,
  owner: { organizationId, userId },
  knownCredentialIds,
}: {
  readonly authenticatorName: string
  /** Shown by the browser where it lists passkeys. */
  readonly userName: string
  readonly owner: PasskeyOwner
  /** Passkeys that the user has: the same device is not registered twice. */
  readonly knownCredentialIds: readonly string[]
}) {
  const challenge = crypto.getRandomValues(new Uint8Array(32))
  const credential = await navigator.credentials.create({
    publicKey: {
      challenge,
      rp: { id: location.hostname, name: 'Claviger' },
      user: {
        id: Uint8Array.of(
          ...bytesOfUuid(organizationId),
          ...bytesOfUuid(userId),
          ...crypto.getRandomValues(new Uint8Array(distinctBytes)),
        ),
        name: userName,
        displayName: userName,
      },
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: knownCredentialIds.map((id) => ({ type: 'public-key', id: bytesOfBase64url(id) })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
      attestation: 'none',
      timeout: ceremonyMsMax,
    },
  })
  if (!(credential instanceof PublicKeyCredential)) throw new TypeError('the browser gave no passkey')
  const { response, rawId } = credential
  if (!(response instanceof AuthenticatorAttestationResponse)) throw new TypeError('the browser gave no attestation')
  return {
    authenticatorName,
    challenge: base64urlOf(challenge),
    attestation: {
      credentialId: text(rawId),
      clientDataJson: text(response.clientDataJSON),
      attestationObject: text(response.attestationObject),
      transports: response.getTransports().flatMap(transportOf),
    },
  }
}

const transports = {
  ble: 'AUTHENTICATOR_TRANSPORT_BLE',
  internal: 'AUTHENTICATOR_TRANSPORT_INTERNAL',
  nfc: 'AUTHENTICATOR_TRANSPORT_NFC',
  usb: 'AUTHENTICATOR_TRANSPORT_USB',
  hybrid: 'AUTHENTICATOR_TRANSPORT_HYBRID',
} as const

function transportOf(name: string) {
  const known = Object.entries(transports).find(([key]) => key === name)
  return known === undefined ? [] : [known[1]]
}

function ownerOf(userHandle: ArrayBuffer | null): PasskeyOwner | undefined {
  const isOurs = userHandle?.byteLength === ownerBytes || userHandle?.byteLength === ownerBytes + distinctBytes
  if (userHandle === null || !isOurs) return undefined
  const bytes = new Uint8Array(userHandle)
  return { organizationId: uuidOf(bytes.subarray(0, 16)), userId: uuidOf(bytes.subarray(16, ownerBytes)) }
}

function text(bytes: ArrayBuffer): string {
  return base64urlOf(new Uint8Array(bytes))
}
