import type { Activity } from '../../src/contract/records/activity.ts'
import type { RecordKind, RecordTypes } from '../../src/contract/records/records.ts'
import { digestOf } from '../../src/protocol/tools/digest.ts'
import { belowNext } from '../../src/vault/books/booked_head.ts'
import type { Seals } from '../../src/vault/keys/seal.ts'
import { sealRecord, unsealRecord, unsealSecret } from '../../src/vault/keys/sealed_record.ts'
import { bookedHeadOf, sealHead, unsealHead } from '../../src/vault/state/head.ts'
import { openActivity, sealActivity } from '../../src/vault/state/sealed_activity.ts'
import { type Hand, type Row, withDatabase } from './database.ts'
import type { Server } from './in_process.ts'
import { openVaultSeals } from './seals.ts'

/**
 * Writes records and activities that are sealed as the vault seals them, but that no operation writes. Only the master
 * seed makes this possible; it comes from the server's own key file.
 */

type RecordPlace<K extends RecordKind> = {
  readonly organizationId: string
  readonly kind: K
  readonly recordId: string
}

/** Writes the next version of an unlisted record with a secret. */
export async function writeNextRecord<K extends RecordKind>(
  server: Server,
  place: RecordPlace<K>,
  change: (record: RecordTypes[K]) => RecordTypes[K],
): Promise<void> {
  const seals = await openVaultSeals(server)
  withDatabase(server.folder, (hand) => replaceRecord(hand, seals, place, change))
}

/** Writes the next version of a listed record, and of its head. */
export async function writeNextListedRecord<K extends RecordKind>(
  server: Server,
  place: RecordPlace<K>,
  change: (record: RecordTypes[K]) => RecordTypes[K],
): Promise<void> {
  const { organizationId, kind, recordId } = place
  const seals = await openVaultSeals(server)
  withDatabase(server.folder, (hand) => {
    const { version, sealed } = replaceRecord(hand, seals, place, change)
    const headPlace = { table: 'organizations', where: { organization_id: organizationId } } as const
    const row = hand.one(headPlace)
    const stored = { version: Number(row.version), tag: String(row.tag), sealed: bytesOf(row, 'head') }
    const head = unsealHead(seals, organizationId, stored)
    const listings = new Map(head.listed.get(kind)).set(recordId, { version, digest: digestOf(sealed) })
    const listed = new Map(head.listed).set(kind, listings)
    const booked = bookedHeadOf(head, stored.tag)
    const lineage = { maker: booked.maker, changeKey: booked.changeKey, below: belowNext(booked) }
    const next = sealHead(seals, { ...head, listed, version: head.version + 1, lineage })
    hand.update(headPlace, { version: next.version, tag: next.tag, head: next.sealed })
  })
}

type ActivityPlace = { readonly organizationId: string; readonly activityId: string }

/** Writes the next version of an activity, as votes would. */
export function writeNextActivity(
  server: Server,
  place: ActivityPlace,
  change: (activity: Activity) => Activity,
): Promise<void> {
  return resealActivity(server, { ...place, isNext: true }, change)
}

/** Rewrites the present version of an activity, as if another version of this server had written it. */
export function rewriteActivity(
  server: Server,
  place: ActivityPlace,
  change: (activity: Activity) => Activity,
): Promise<void> {
  return resealActivity(server, { ...place, isNext: false }, change)
}

async function resealActivity(
  server: Server,
  { organizationId, activityId, isNext }: ActivityPlace & { readonly isNext: boolean },
  change: (activity: Activity) => Activity,
): Promise<void> {
  const seals = await openVaultSeals(server)
  withDatabase(server.folder, (hand) => {
    const place = { table: 'activities', where: { organization_id: organizationId, activity_id: activityId } } as const
    const row = hand.one(place)
    const found = { activityId, version: Number(row.version), sealed: bytesOf(row, 'sealed') }
    const activity = openActivity(seals, organizationId, found)
    const version = isNext ? found.version + 1 : found.version
    const sealed = sealActivity(seals, change(activity), version)
    hand.update(place, { version, sealed })
  })
}

function replaceRecord<K extends RecordKind>(
  hand: Hand,
  seals: Seals,
  { organizationId, kind, recordId }: RecordPlace<K>,
  change: (record: RecordTypes[K]) => RecordTypes[K],
): { readonly version: number; readonly sealed: Uint8Array } {
  const place = { table: 'records', where: { organization_id: organizationId, kind, record_id: recordId } } as const
  const row = hand.one(place)
  const slot = { organizationId, kind, recordId, version: Number(row.version) }
  const before = bytesOf(row, 'sealed')
  using secret = hasSecret(before) ? unsealSecret(seals, slot, before) : undefined
  const version = slot.version + 1
  const record = change(unsealRecord(seals, slot, before))
  const sealed = sealRecord(seals, { ...slot, version }, { record, secret })
  hand.update(place, { version, sealed })
  return { version, sealed }
}

/** A sealed record begins with the length of its readable part. */
function hasSecret(sealed: Uint8Array): boolean {
  return sealed.length > 4 + Buffer.from(sealed).readUInt32BE()
}

function bytesOf(row: Row, column: string): Uint8Array {
  const value = row[column]
  if (!(value instanceof Uint8Array)) throw new Error(`${column} is not bytes`)
  return value
}
