import { allBut, both, everything, isNone, textsAmong, type Values } from './possible_values.ts'

/** The path of a credential and the name of its field. */
const fieldOfCredential = /^(credentials\[.*\])\.(type|credential_id|public_key)$/

/**
 * Whether no credential has such fields together: only a passkey has an id in `credential_id`, and a COSE_Key for its
 * `public_key`. `valuesAt`: those that are asked of a place so far.
 */
export function isNoCredential(place: string, valuesAt: (place: string) => Values): boolean {
  const credential = fieldOfCredential.exec(place)?.[1]
  if (credential === undefined) return false
  const [type, id, key] = ['type', 'credential_id', 'public_key'].map((name) => valuesAt(`${credential}.${name}`))
  const isPasskey = mayBeIn(type, passkey) && mayBeIn(id, allBut(none)) && mayBeKey(key, isCoseKey)
  const isOther = mayBeIn(type, allBut(passkey)) && mayBeIn(id, none) && mayBeKey(key, (text) => !isCoseKey(text))
  return !isPasskey && !isOther
}

const passkey = textsAmong(['CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'])
const none = textsAmong([''])

function mayBeIn(values: Values = everything, wanted: Values): boolean {
  return !isNone(both(values, wanted))
}

function mayBeKey(values: Values = everything, isSuch: (text: string) => boolean): boolean {
  return !('among' in values) || [...values.among].some(isSuch)
}

/** A map of CBOR, which a compressed point is not (`credentialKey` of `forms.ts`). */
function isCoseKey(text: string): boolean {
  return /^a[3-6]/i.test(text.replace(/^0x/i, ''))
}
