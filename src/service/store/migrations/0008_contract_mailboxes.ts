import { mailboxOf } from '../../../protocol/wire/mail_addresses.ts'
import type { Migration } from './migration.ts'

/**
 * All spellings of a mailbox have one key. Earlier versions told apart those that differ in more than capitals, so they
 * must not write any more.
 */
export const mailboxes: Migration = {
  number: 8,
  name: '0008_contract_mailboxes',
  statements: [],
  respells: {
    // All other keys of earlier versions are ASCII in lower case already.
    candidates: "octet_length(key) > length(key) or key like '%.'",
    keyOf: mailboxOf,
    lookups: [
      {
        lookup: 'user_email',
        among: 'organization_id',
        warning: (users) =>
          `${users} have one mailbox in several spellings: none of them can log in or recover by it until only one has it`,
      },
      {
        lookup: 'verified_email',
        among: 'parent_id',
        warning: (users) =>
          `${users} have verified one mailbox in several spellings: logins that name no sub-organization find none of them until only one has it`,
      },
    ],
  },
}
