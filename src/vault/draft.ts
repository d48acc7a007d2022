import type { ChildWriter, KeyWriter, OrganizationReader, OrganizationWriter, Writer } from '../operations/define.ts'
import { type RecordKind, type RecordTypes, recordKinds } from '../operations/records.ts'
import type { OutgoingMessage } from '../protocol/messages.ts'
import type { Commit } from '../protocol/reads.ts'
import type { SecretBytes } from '../protocol/secret_bytes.ts'
import { changesOf, type Sheet } from './changes.ts'
import type { Evidence } from './evidence.ts'
import type { Head } from './head.ts'
import type { Organization } from './organization.ts'
import { createOutbox } from './outbox.ts'
import type { Seals } from './seal.ts'

/**
 * What an operation changes, collected while it runs and sealed when it has ended well. Nothing in here has an effect
 * before the commit that `changes` describes is on disk.
 */
export type Draft = {
  readonly writer: OrganizationWriter
  /** Sealed at once, delivered after the commit. */
  readonly send: (message: OutgoingMessage) => void
  /** Seals everything that changed. Empty when the operation changed no record. */
  changes(): Pick<Commit, 'heads' | 'records' | 'lookups' | 'outbox'>
  /** Zeroes the secrets of what was added; call it whatever happened. */
  dispose(): void
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
  const outbox = createOutbox(tools, organization.head.organizationId)

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
    send: outbox.send,
    changes: () => ({ ...changesOf(tools, sheets, organization), outbox: outbox.rows() }),
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

function disposeSecrets(sheets: readonly Sheet[]): void {
  for (const sheet of sheets) {
    for (const { secret } of sheet.changes.values()) secret?.[Symbol.dispose]()
  }
}
