import { activity } from './activity_types.ts'
import { anyAddress } from './any_address.ts'
import * as forms from './forms.ts'
import { payloads } from './payload_types.ts'
import { any, bool, listOf, mapOf, stringOf, struct, type Type, text, timestamp, unsigned } from './types.ts'

/** `consensus`: who approves. `condition`: what is done (policies, MFA policies, session profiles). `time`: when. */
export type ExpressionKind = 'consensus' | 'condition' | 'time'

const userId = text(forms.idOf('user'))
const label = text(forms.label)
const tagsOf = (kind: 'user_tag' | 'private_key_tag') => listOf(text(forms.idOf(kind)))
const wallet = struct('a wallet', { id: text(forms.idOf('wallet')), imported: bool, exported: bool, label })

/**
 * The types of API keys, of passkeys, of the keys of sessions, of those that a recovery mails or shows, and of those of
 * attested stamps. Those that the wider interface gives to keys of its other logins are left out: no key here ever had
 * one.
 */
export const credentialTypes = [
  'CREDENTIAL_TYPE_API_KEY_P256',
  'CREDENTIAL_TYPE_API_KEY_SECP256K1',
  'CREDENTIAL_TYPE_API_KEY_ED25519',
  'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR',
  'CREDENTIAL_TYPE_LOGIN',
  'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256',
  'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256',
  'CREDENTIAL_TYPE_OAUTH_KEY_P256',
]

/** The keywords of each kind of expression. A keyword for which a request has no value is missing. */
export const keywords: Readonly<Record<ExpressionKind, ReadonlyMap<string, Type>>> = {
  consensus: byName({
    /** The users who have approved so far, the submitter included. */
    approvers: listOf(
      struct('a user', { id: userId, tags: tagsOf('user_tag'), email: text(forms.emailAddress), alias: label }),
    ),
    /**
     * The credentials with which they approved. `credential_id` is '' unless it is that of a passkey. The `email` of a
     * user without one is '' too.
     */
    credentials: listOf(
      struct('a credential', {
        /** '' for the key of an attested stamp. */
        id: text(forms.orOneOf(forms.idOf('api_key', 'authenticator'), '')),
        user_id: userId,
        type: stringOf(...credentialTypes),
        credential_id: text(forms.credentialId),
        public_key: text(forms.credentialKey),
      }),
    ),
  }),
  condition: byName({
    activity,
    wallet,
    wallets: listOf(wallet),
    private_key: struct('a private key', {
      id: text(forms.idOf('private_key')),
      tags: tagsOf('private_key_tag'),
      imported: bool,
      exported: bool,
      label,
    }),
    wallet_account: struct('a wallet account', {
      /** On the main network, if it is an address of Bitcoin, Dogecoin or Spark. */
      address: text(anyAddress),
      /** The same for every format in which the key has an address. */
      public_key: text(forms.publicKey),
      path_indexes: listOf(unsigned(31n)),
      path_hardened: listOf(bool),
    }),
    /** Whether the comparison of each velocity control holds, with this request. */
    controls: { ...struct('the velocity controls', {}), others: bool },
    secret: struct('a secret', { static_properties: mapOf(any) }),
    ...payloads,
  }),
  time: byName({ time: struct('the time', { now: timestamp }) }),
}

function byName(types: Readonly<Record<string, Type>>): ReadonlyMap<string, Type> {
  return new Map(Object.entries(types))
}

export const functions: Readonly<Record<ExpressionKind, readonly string[]>> = {
  consensus: [],
  condition: ['spent'],
  time: ['Timestamp', 'CronSpan'],
}
