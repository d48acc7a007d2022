import { activity } from './activity_types.ts'
import { payloads } from './payload_types.ts'
import { any, bool, int, listOf, mapOf, prose, string, struct, type Type, timestamp } from './types.ts'

/** Who approves (`consensus`), what is done (`condition`: policies, MFA policies, session profiles), when (`time`). */
export type ExpressionKind = 'consensus' | 'condition' | 'time'

const wallet = struct('a wallet', { id: string, imported: bool, exported: bool, label: prose })

/** The keywords of each kind of expression. A keyword for which a request has no value is missing. */
export const keywords: Readonly<Record<ExpressionKind, ReadonlyMap<string, Type>>> = {
  consensus: new Map([
    /** The users who have approved so far, the submitter included. */
    ['approvers', listOf(struct('a user', { id: string, tags: listOf(string), email: string, alias: prose }))],
    /**
     * The credentials with which they approved. `credential_id` is '' unless it is that of a passkey. The `email` of a
     * user without one is '' too.
     */
    [
      'credentials',
      listOf(
        struct('a credential', {
          id: string,
          user_id: string,
          type: string,
          credential_id: string,
          public_key: string,
        }),
      ),
    ],
  ]),
  condition: new Map([
    ['activity', activity],
    ['wallet', wallet],
    ['wallets', listOf(wallet)],
    [
      'private_key',
      struct('a private key', { id: string, tags: listOf(string), imported: bool, exported: bool, label: prose }),
    ],
    [
      'wallet_account',
      struct('a wallet account', { address: string, path_indexes: listOf(int), path_hardened: listOf(bool) }),
    ],
    /** Whether the comparison of each velocity control holds, with this request. */
    ['controls', { ...struct('the velocity controls', {}), others: bool }],
    ['secret', struct('a secret', { static_properties: mapOf(any) })],
    ...Object.entries(payloads),
  ]),
  time: new Map([['time', struct('the time', { now: timestamp })]]),
}

/** The functions of each kind of expression. */
export const functions: Readonly<Record<ExpressionKind, readonly string[]>> = {
  consensus: [],
  condition: ['spent'],
  time: ['Timestamp', 'CronSpan'],
}
