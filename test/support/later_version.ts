import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { OrganizationWriter } from '../../src/operations/define.ts'
import type { RecordKind } from '../../src/operations/records.ts'
import { uuidV7Generator } from '../../src/protocol/identifiers.ts'
import { openActivity, sealActivity } from '../../src/vault/activity.ts'
import { createByteCache } from '../../src/vault/byte_cache.ts'
import { createDraft } from '../../src/vault/draft.ts'
import { createEvidence, type Evidence, ReadsNeeded } from '../../src/vault/evidence.ts'
import { openVaultState } from '../../src/vault/master_seed.ts'
import { openOrganization } from '../../src/vault/organization.ts'
import { resolveNeeds } from '../../src/vault/resolve.ts'
import { createSeals, type Seals } from '../../src/vault/seal.ts'
import { keyFileUnsealer } from '../../src/vault/unsealer.ts'
import type { Presented } from '../../src/vault/verbs.ts'
import { withDatabase } from './database.ts'
import type { Server } from './in_process.ts'

type RecordPlace = { readonly organizationId: string; readonly kind: RecordKind; readonly recordId: string }
type Tools = { readonly seals: Seals; readonly nowMs: number; readonly newId: () => string }

/**
 * Commits the next version of a record as the vault would seal it, for the kinds of which no operation makes a second
 * version yet.
 */
export async function writeNextRecord(
  server: Server,
  place: RecordPlace,
  change: (organization: OrganizationWriter, recordId: string) => void,
): Promise<void> {
  const tools = { seals: await sealsOf(server), nowMs: Date.now(), newId: newIds() }
  const presented: Presented[] = []
  for (;;) {
    try {
      const commit = await changed(tools, createEvidence(presented), place, change)
      if ((await server.store.commit(commit)) !== 'committed') throw new Error('nothing else writes here')
      return
    } catch (error) {
      if (!(error instanceof ReadsNeeded)) throw error
      const found = await server.store.find(error.reads)
      presented.push(...error.reads.flatMap((read, index) => found.slice(index, index + 1).map((f) => ({ read, found: f }))))
    }
  }
}

async function changed(
  tools: Tools,
  evidence: Evidence,
  { organizationId, kind, recordId }: RecordPlace,
  change: (organization: OrganizationWriter, recordId: string) => void,
) {
  const { seals } = tools
  const cache = { heads: createByteCache<never>({ bytesMax: 0 }), records: createByteCache<never>({ bytesMax: 0 }) }
  const mark = { get: async () => undefined, raise: async () => {} }
  const open = (id: string) => openOrganization({ evidence, seals, mark, cache }, id)
  const organization = await open(organizationId)
  if (organization === undefined) throw new Error(`there is no organization ${organizationId}`)
  const resolved = await resolveNeeds({ evidence, seals, open }, organization, [{ need: 'record', kind, recordId }])
  const draft = createDraft({ ...tools, evidence }, organization, readerOf(organization, resolved))
  change(draft.writer, recordId)
  return { readSet: evidence.readSet(), ...draft.changes(), activities: [] }
}

/** Writes version 2 of a finished activity over version 1, as an activity that had waited for votes would have it. */
export async function writeNextActivity(
  server: Server,
  { organizationId, activityId }: { readonly organizationId: string; readonly activityId: string },
): Promise<void> {
  const seals = await sealsOf(server)
  const [found] = await server.store.find([{ read: 'activity', organizationId, activityId }])
  if (found?.read !== 'activity' || found.row === undefined) throw new Error(`there is no activity ${activityId}`)
  const activity = openActivity(seals, organizationId, found.row)
  const version = found.row.version + 1
  const sealed = sealActivity(seals, { ...activity, updatedAtMs: activity.updatedAtMs + 1 }, version)
  withDatabase(server.folder, (hand) =>
    hand.update(
      { table: 'activities', where: { organization_id: organizationId, activity_id: activityId } },
      { version, sealed },
    ),
  )
}

async function sealsOf({ folder, store }: Server): Promise<Seals> {
  const state = await store.vaultState()
  if (state === undefined) throw new Error('a running server has a state')
  const unsealer = keyFileUnsealer({ path: join(folder, 'vault', 'root.key'), create: false })
  return createSeals({ masterSeeds: await openVaultState(unsealer, state), randomBytes: randomness })
}

function newIds(): () => string {
  return uuidV7Generator({ nowMs: Date.now, randomBytes: randomness })
}

function randomness(size: number): Uint8Array {
  return new Uint8Array(randomBytes(size))
}
