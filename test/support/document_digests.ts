import { documentDigest, documentOf } from '../../src/contract/records/documents.ts'
import type { FoundActivity } from '../../src/protocol/reads.ts'
import type { Seals } from '../../src/vault/keys/seal.ts'
import { openActivity } from '../../src/vault/state/sealed_activity.ts'

/** The digest that the entry of a stored activity must have. */
export function digestOfRow(seals: Seals, organizationId: string, row: FoundActivity): string {
  const { version } = row
  const { document } = documentOf(openActivity(seals, organizationId, row), { organizationId, version })
  return documentDigest(document)
}
