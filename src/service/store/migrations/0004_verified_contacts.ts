import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Each user with a verified contact is also found without the contact: `list_verified_suborgs` may have no filter. */
export const verifiedContacts: Migration = {
  number: 4,
  name: '0004_verified_contacts',
  statements: [
    sql`insert into lookups (organization_id, lookup, key, record_id, kind, parent_id)
      select distinct organization_id, 'verified_contact', 'any', record_id, kind, parent_id from lookups
      where lookup in ('verified_email', 'verified_phone_number')`,
  ],
}
