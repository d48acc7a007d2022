import { derOfSignature } from './der.ts'
import { base64urlOf, hexOf, utf8 } from './encoding.ts'
import { type Assertion, assertWithPasskey } from './passkeys.ts'

/** A header that proves who sends exactly these bytes. */
export type Stamp = { readonly name: 'X-Stamp' | 'X-Stamp-WebAuthn' | 'X-Stamp-Attested'; readonly value: string }

/** A private key of P-256 that cannot leave the browser, and its public half: compressed, in hex. */
export type StampingKey = { readonly key: CryptoKey; readonly publicKey: string }

export async function stampByKey({ key, publicKey }: StampingKey, body: Uint8Array<ArrayBuffer>): Promise<Stamp> {
  const signed = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, body)
  const signature = hexOf(derOfSignature(new Uint8Array(signed)))
  const stamp = { publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature }
  return { name: 'X-Stamp', value: base64urlOf(utf8(JSON.stringify(stamp))) }
}

/** A stamp by a key that no user has yet, with a token that says whose key it is. */
export async function stampByToken(
  { key, token, scheme }: { readonly key: StampingKey; readonly token: string; readonly scheme: string },
  body: Uint8Array<ArrayBuffer>,
): Promise<Stamp> {
  const signed = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key.key, body)
  const signature = hexOf(derOfSignature(new Uint8Array(signed)))
  const stamp = { publicKeyAttestation: token, scheme, publicKey: key.publicKey, signature }
  return { name: 'X-Stamp-Attested', value: base64urlOf(utf8(JSON.stringify(stamp))) }
}

/** A stamp by a passkey, and which passkey it was. */
export type PasskeyStamp = Pick<Assertion, 'credentialId' | 'userHandle'> & { readonly stamp: Stamp }

/** The challenge is the lower-case hex SHA-256 of the body, as text. */
export async function stampByPasskey(
  body: Uint8Array<ArrayBuffer>,
  credentialIds: readonly string[],
): Promise<PasskeyStamp> {
  const digest = await crypto.subtle.digest('SHA-256', body)
  const { userHandle, ...members } = await assertWithPasskey(utf8(hexOf(new Uint8Array(digest))), credentialIds)
  const stamp = { name: 'X-Stamp-WebAuthn', value: JSON.stringify(members) } as const
  return { stamp, userHandle, credentialId: members.credentialId }
}
