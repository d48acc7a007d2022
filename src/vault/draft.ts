import type { ChildWriter, KeyWriter, OrganizationReader, OrganizationWriter, Quorum, Writer } from '../operations/define.ts'
import { type Lookup, type RecordKind, type RecordTypes, recordKinds } from '../operations/records.ts'
import type { Commit } from '../protocol/reads.ts'
import type { SecretBytes } from '../protocol/secret_bytes.ts'
import type { Evidence } from './evidence.ts'
import { type Head, type Listing, sealHead } from './head.ts'
import type { Organization } from './organization.ts'
import { digestOf, type Seals } from './seal.ts'
import { sealRecord, unsealSecret } from './sealed_record.ts'

/**
 * What an operation changes, collected while it runs and sealed when it has ended well. Nothing in here has an effect
 * before the commit that `changes` describes is on disk.
 */
export type Draft = {
  readonly writer: OrganizationWriter
  /** Seals everything that changed. Empty when the operation changed no record. */
  changes(): Pick<Commit, 'heads' | 'records' | 'lookups'>
  /** Zeroes the secrets of what was added; call it whatever happened. */
  dispose(): void
}

type Change = {
  readonly kind: RecordKind
  readonly recordId: string
  readonly before: RecordTypes[RecordKind] | undefined
  readonly after: RecordTypes[RecordKind] | undefined
  readonly secret: SecretBytes | undefined
}

/** One organization being changed: an existing one, or a new one below it. */
type Sheet = {
  readonly head: Head
  readonly isNew: boolean
  readonly changes: Map<string, Change>
  renamedTo: string | undefined
  rootQuorum: Quorum | undefined
}

type Tools = {
  readonly seals: Seals
  readonly evidence: Evidence
  readonly nowMs: number
  readonly newId: () => string
}

export function createDraft(tools: Tools, organization: Organization, reader: OrganizationReader): Draft {
  const own: Sheet = sheetFor(organization.head, { isNew: false })
  const sheets: Sheet[] = [own]

  const writer: OrganizationWriter = {
    ...reader,
    rename(organizationName) {
      own.renamedTo = organizationName
    },
    users: writerOf(own, 'user', reader.users),
    wallets: keyWriterOf(own, 'wallet', reader.wallets),
    walletAccounts: keyWriterOf(own, 'wallet_account', reader.walletAccounts),
    privateKeys: keyWriterOf(own, 'private_key', reader.privateKeys),
    subOrganizations: writerOf(own, 'sub_organization', reader.subOrganizations),
    createChild({ organizationName }) {
      const child = newOrganization(tools, { organizationName, parentId: organization.head.organizationId })
      sheets.push(child.sheet)
      return child.writer
    },
  }

  return {
    writer,
    changes: () => changesOf(tools, sheets, organization),
    dispose: () => disposeSecrets(sheets),
  }
}

/** A new organization without a parent: the operator makes these, no request does. */
export function createRootDraft(tools: Tools, organizationName: string) {
  const { sheet, writer } = newOrganization(tools, { organizationName, parentId: undefined })
  return { writer, changes: () => changesOf(tools, [sheet], undefined) }
}

function newOrganization(
  { evidence, newId, nowMs }: Tools,
  { organizationName, parentId }: { readonly organizationName: string; readonly parentId: string | undefined },
): { sheet: Sheet; writer: ChildWriter } {
  const organizationId = newId()
  evidence.rely({ of: 'head', organizationId, version: undefined, tag: undefined })
  const sheet = sheetFor(
    {
      organizationId,
      parentId,
      organizationName,
      rootQuorum: { threshold: 0, userIds: [] },
      version: 0,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      listed: new Map(),
    },
    { isNew: true },
  )
  const writer: ChildWriter = {
    organizationId,
    users: writerOf(sheet, 'user', nothing()),
    wallets: keyWriterOf(sheet, 'wallet', nothing()),
    walletAccounts: keyWriterOf(sheet, 'wallet_account', nothing()),
    setRootQuorum(rootQuorum) {
      sheet.rootQuorum = rootQuorum
    },
  }
  return { sheet, writer }
}

function sheetFor(head: Head, { isNew }: { readonly isNew: boolean }): Sheet {
  return { head, isNew, changes: new Map(), renamedTo: undefined, rootQuorum: undefined }
}

function nothing() {
  const empty = () => []
  return {
    get: (recordId: string) => {
      throw new Error(`${recordId} was never read`)
    },
    all: empty,
    page: empty,
  }
}

function writerOf<K extends RecordKind>(
  sheet: Sheet,
  kind: K,
  reader: Pick<Writer<RecordTypes[K]>, 'get' | 'all' | 'page'>,
): Writer<RecordTypes[K]> {
  const base = baseWriterOf(sheet, kind, reader)
  return { ...base, add: (record) => base.add(record, undefined) }
}

function keyWriterOf<K extends RecordKind>(
  sheet: Sheet,
  kind: K,
  reader: Pick<Writer<RecordTypes[K]>, 'get' | 'all' | 'page'>,
): KeyWriter<RecordTypes[K]> {
  return baseWriterOf(sheet, kind, reader)
}

function baseWriterOf<K extends RecordKind>(
  sheet: Sheet,
  kind: K,
  reader: Pick<Writer<RecordTypes[K]>, 'get' | 'all' | 'page'>,
) {
  const row = recordKinds[kind]
  const keyOf = (recordId: string) => `${kind} ${recordId}`
  const changeOf = (recordId: string) => sheet.changes.get(keyOf(recordId))

  return {
    ...reader,
    get(recordId: string): RecordTypes[K] {
      const change = changeOf(recordId.toLowerCase())
      return change?.after === undefined ? reader.get(recordId) : (change.after as RecordTypes[K])
    },
    count(): number {
      const changed = [...sheet.changes.values()].filter((change) => change.kind === kind)
      const added = changed.filter(({ before, after }) => before === undefined && after !== undefined).length
      const removed = changed.filter(({ before, after }) => before !== undefined && after === undefined).length
      return (sheet.head.listed.get(kind)?.size ?? 0) + added - removed
    },
    add(record: RecordTypes[K], secret: SecretBytes | undefined): void {
      const recordId = row.idOf(record)
      if (changeOf(recordId) !== undefined) throw new Error(`${kind} ${recordId} was added before`)
      sheet.changes.set(keyOf(recordId), { kind, recordId, before: undefined, after: record, secret })
    },
    put(record: RecordTypes[K]): void {
      const recordId = row.idOf(record)
      const change = changeOf(recordId)
      const before = change === undefined ? reader.get(recordId) : change.before
      sheet.changes.set(keyOf(recordId), { kind, recordId, before, after: record, secret: change?.secret })
    },
    remove(recordId: string): void {
      const before = reader.get(recordId)
      sheet.changes.set(keyOf(row.idOf(before)), { kind, recordId, before, after: undefined, secret: undefined })
    },
  }
}

type Changes = { heads: Commit['heads'][number][]; records: Commit['records'][number][]; lookups: Commit['lookups'][number][] }

function changesOf(tools: Tools, sheets: readonly Sheet[], organization: Organization | undefined): Changes {
  const changes: Changes = { heads: [], records: [], lookups: [] }
  for (const sheet of sheets) addChanges(tools, sheet, organization, changes)
  return changes
}

function addChanges(tools: Tools, sheet: Sheet, organization: Organization | undefined, changes: Changes): void {
  const { organizationId } = sheet.head
  const listed = new Map([...sheet.head.listed].map(([kind, listings]) => [kind, new Map(listings)]))
  let headChanged = sheet.isNew || sheet.renamedTo !== undefined || sheet.rootQuorum !== undefined

  for (const change of sheet.changes.values()) {
    const { kind, recordId, after } = change
    const sealed = sealChange(tools.seals, sheet, change, organization)
    changes.records.push({
      organizationId,
      kind,
      recordId,
      ownerId: after === undefined ? undefined : ownerOf(kind, after),
      version: sealed.version,
      sealed: sealed.bytes,
    })
    changes.lookups.push(...lookupChanges(organizationId, change))
    if (!recordKinds[kind].listed) continue
    headChanged = true
    const listings = listed.get(kind) ?? new Map<string, Listing>()
    listed.set(kind, listings)
    if (sealed.bytes === undefined) listings.delete(recordId)
    else listings.set(recordId, { version: sealed.version, digest: digestOf(sealed.bytes) })
  }

  if (!headChanged) return
  const organizationName = sheet.renamedTo ?? sheet.head.organizationName
  const head = sealHead(tools.seals, {
    ...sheet.head,
    organizationName,
    rootQuorum: sheet.rootQuorum ?? sheet.head.rootQuorum,
    version: sheet.head.version + 1,
    updatedAtMs: tools.nowMs,
    listed,
  })
  changes.heads.push({ organizationId, parentId: sheet.head.parentId, ...head })
  if (sheet.isNew || sheet.renamedTo !== undefined) changes.lookups.push(...nameChanges(sheet, organizationName))
}

/** The next version of a record; a secret that the operation did not touch is sealed anew with it. */
function sealChange(
  seals: Seals,
  sheet: Sheet,
  { kind, recordId, before, after, secret }: Change,
  organization: Organization | undefined,
): { readonly version: number; readonly bytes: Uint8Array | undefined } {
  const { organizationId } = sheet.head
  if (before === undefined) {
    if (after === undefined) throw new Error(`${kind} ${recordId} was added and removed`)
    const version = 1
    return { version, bytes: sealRecord(seals, { organizationId, kind, recordId, version }, { record: after, secret }) }
  }
  if (organization === undefined) throw new Error('a new organization changes no existing record')
  const stored = recordKinds[kind].listed ? organization.sealedBytes(kind, recordId) : organization.unlisted(kind, recordId)
  if (stored === undefined) throw new Error(`${kind} ${recordId} was changed but not read`)
  const version = stored.version + 1
  if (after === undefined) return { version, bytes: undefined }
  using kept = hasSecret(kind)
    ? unsealSecret(seals, { organizationId, kind, recordId, version: stored.version }, stored.sealed)
    : undefined
  const bytes = sealRecord(seals, { organizationId, kind, recordId, version }, { record: after, secret: kept })
  return { version, bytes }
}

function hasSecret(kind: RecordKind): boolean {
  return kind === 'wallet' || kind === 'wallet_account' || kind === 'private_key'
}

function ownerOf<K extends RecordKind>(kind: K, record: RecordTypes[K]): string | undefined {
  return recordKinds[kind].ownerOf(record)
}

function lookupsOf<K extends RecordKind>(kind: K, record: RecordTypes[K] | undefined): readonly Lookup[] {
  return record === undefined ? [] : recordKinds[kind].lookupsOf(record)
}

function lookupChanges(organizationId: string, { kind, recordId, before, after }: Change): Changes['lookups'] {
  const old = new Map(lookupsOf(kind, before).map((lookup) => [`${lookup.lookup} ${lookup.key}`, lookup]))
  const next = new Map(lookupsOf(kind, after).map((lookup) => [`${lookup.lookup} ${lookup.key}`, lookup]))
  const rowOf = (change: 'add' | 'remove', { lookup, key }: Lookup) => ({ change, organizationId, lookup, key, kind, recordId })
  return [
    ...[...old].filter(([key]) => !next.has(key)).map(([, lookup]) => rowOf('remove', lookup)),
    ...[...next].filter(([key]) => !old.has(key)).map(([, lookup]) => rowOf('add', lookup)),
  ]
}

function nameChanges(sheet: Sheet, organizationName: string): Changes['lookups'] {
  const { organizationId } = sheet.head
  const row = { organizationId, lookup: 'organization_name', kind: 'organization', recordId: organizationId } as const
  const removed = sheet.isNew ? [] : [{ ...row, change: 'remove' as const, key: sheet.head.organizationName }]
  return [...removed, { ...row, change: 'add' as const, key: organizationName }]
}

function disposeSecrets(sheets: readonly Sheet[]): void {
  for (const sheet of sheets) {
    for (const { secret } of sheet.changes.values()) secret?.[Symbol.dispose]()
  }
}
