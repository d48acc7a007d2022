import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { OrganizationWriter } from '../../../contract/define.ts'
import { asId } from '../../../contract/fields/ids.ts'
import { limitsDefault } from '../../../contract/limits.ts'
import { privateKey as privateKeyNeed } from '../../../contract/needs.ts'
import type { PrivateKey } from '../../../contract/records/records.ts'
import type { Presented } from '../../../link/verbs.ts'
import { SecretBytes } from '../../../protocol/crypto/secret_bytes.ts'
import { createByteCache } from '../../../protocol/tools/byte_cache.ts'
import { decisionBooks } from '../../books/decision_books.ts'
import { openBooks } from '../../books/open_books.ts'
import { createSeals } from '../../keys/seal.ts'
import { unsealRecord, unsealSecret } from '../../keys/sealed_record.ts'
import { createDecisionCounts } from '../decision_counts.ts'
import { createEvidence } from '../evidence.ts'
import type { OrganizationCache } from '../open_head.ts'
import { openOrganization } from '../organization.ts'
import { resolveNeeds } from '../resolve.ts'
import { createDraft, createRootDraft, type Draft } from './draft.ts'

const seals = createSeals({
  masterSeeds: { current: 1, seeds: new Map([[1, new SecretBytes(new Uint8Array(32).fill(1))]]) },
  randomBytes: (size) => new Uint8Array(randomBytes(size)),
})
const organizationId = '01234567-89ab-7cde-8f01-23456789abcd'
const nowMs = 1_000
const laterMs = 2_000
const limits = { ...limitsDefault, privateKeysMax: 2 }
const stored: PrivateKey = {
  privateKeyId: '01234567-89ab-7cde-8f01-000000000001',
  privateKeyName: 'stored',
  curve: 'CURVE_ED25519',
  publicKey: '00'.repeat(32),
  addresses: [],
  privateKeyTags: [],
  exported: false,
  imported: false,
  createdAtMs: nowMs,
  updatedAtMs: nowMs,
}
const secretOf = (text: string) => new SecretBytes(new Uint8Array(Buffer.from(text)))
const isZeroed = (secret: SecretBytes) => secret.reveal().every((byte) => byte === 0)

const newCache = (): OrganizationCache => ({
  heads: createByteCache({ bytesMax: 1_000_000 }),
  records: createByteCache({ bytesMax: 1_000_000 }),
  rows: createByteCache({ bytesMax: 1_000_000 }),
  stamps: createByteCache({ bytesMax: 1_000_000 }),
  looks: createByteCache({ bytesMax: 1_000_000 }),
})

/** A later draft of an organization that has one private key, whose secret is `old`. */
async function newDraft(): Promise<Draft> {
  const newId = () => organizationId
  const below = new Map()
  const pause = () => undefined
  const lineageOf = () => ({ maker: 'a'.repeat(32), changeKey: 'b'.repeat(32), below })
  const root = createRootDraft({ seals, evidence: createEvidence([]), nowMs, limits, newId, lineageOf, pause }, 'First')
  root.writer.privateKeys.add(stored, secretOf('old'))
  const { heads, records } = await root.changes()
  const presented: readonly Presented[] = [
    ...heads.flatMap(({ version, tag, sealed }): Presented[] => [
      { read: { read: 'headTag', organizationId }, found: { read: 'headTag', row: { version, tag } } },
      { read: { read: 'head', organizationId }, found: { read: 'head', row: { version, tag, sealed } } },
    ]),
    ...records.map(({ kind, recordId, version, sealed = new Uint8Array() }): Presented => {
      const read = { read: 'record', organizationId, kind, recordId } as const
      return { read, found: { read: 'record', row: { recordId, version, sealed } } }
    }),
  ]
  const evidence = createEvidence(presented)
  const opened = await openBooks({
    directory: mkdtempSync(join(tmpdir(), 'claviger-draft-')),
    key: seals.journalKey(),
    clock: { nowMs: () => nowMs },
    randomBytes: (size) => new Uint8Array(randomBytes(size)),
    onSuperseded: () => {},
    log: { warn() {} },
  })
  onTestFinished(() => opened.close())
  const books = decisionBooks(opened)
  const sources = {
    evidence,
    nowMs,
    decisionCounts: createDecisionCounts(books, { nowMs, newId }),
    services: { seals, books, cache: newCache() },
  } as const
  const organization = openOrganization(sources, organizationId)
  if (organization === undefined) throw new Error('the organization was presented')
  const resolved = resolveNeeds(sources, organization, [privateKeyNeed(asId(stored.privateKeyId))])
  return createDraft({ seals, evidence, nowMs: laterMs, limits, newId, lineageOf, pause }, resolved)
}

/** The name and the secret of the only private key that was sealed. */
async function sealedBy(draft: Draft) {
  const [record, another] = (await draft.changes()).records
  if (record?.sealed === undefined || another !== undefined) throw new Error('one record was to be changed')
  const slot = { organizationId, kind: 'private_key', recordId: record.recordId, version: record.version } as const
  using secret = unsealSecret(seals, slot, record.sealed)
  return {
    version: record.version,
    privateKeyName: unsealRecord(seals, slot, record.sealed).privateKeyName,
    secret: Buffer.from(secret.reveal()).toString(),
  }
}

const renamed = (privateKeyName: string) => ({ ...stored, privateKeyName })

describe('the secret of a record that is put', () => {
  for (const [claim, change, expected] of [
    [
      'stays when none is given',
      ({ privateKeys }) => privateKeys.put(renamed('b')),
      { privateKeyName: 'b', secret: 'old' },
    ],
    [
      'is the one that is given',
      ({ privateKeys }) => privateKeys.put(renamed('b'), secretOf('new')),
      { privateKeyName: 'b', secret: 'new' },
    ],
    [
      'is the one that was given before, when a later put gives none',
      ({ privateKeys }) => {
        privateKeys.put(renamed('b'), secretOf('new'))
        privateKeys.put({ ...privateKeys.get(stored.privateKeyId), privateKeyName: 'c' })
      },
      { privateKeyName: 'c', secret: 'new' },
    ],
    [
      'is the last one that is given',
      ({ privateKeys }) => {
        privateKeys.put(renamed('b'), secretOf('new'))
        privateKeys.put(renamed('c'), secretOf('newest'))
      },
      { privateKeyName: 'c', secret: 'newest' },
    ],
  ] as const satisfies readonly (readonly [string, (writer: OrganizationWriter) => void, object])[]) {
    test(claim, async () => {
      const draft = await newDraft()
      change(draft.writer)
      expect(await sealedBy(draft)).toEqual({ version: 2, ...expected })
    })
  }

  test('of a record that was just added replaces the first secret', async () => {
    const draft = await newDraft()
    const added = { ...stored, privateKeyId: '01234567-89ab-7cde-8f01-000000000002' }
    draft.writer.privateKeys.add(added, secretOf('first'))
    draft.writer.privateKeys.put({ ...added, privateKeyName: 'b' }, secretOf('second'))
    expect(await sealedBy(draft)).toEqual({ version: 1, privateKeyName: 'b', secret: 'second' })
  })
})

describe('the times of a record', () => {
  test('are those of the draft when it is added', async () => {
    const { writer } = await newDraft()
    const added = { tagId: asId('01234567-89ab-7cde-8f01-000000000003'), tagName: 'a' }
    const timed = { ...added, createdAtMs: laterMs, updatedAtMs: laterMs }
    expect(writer.userTags.add(added)).toEqual(timed)
    expect(writer.userTags.get(added.tagId)).toEqual(timed)
  })

  test('stay those of its creation when it is put, and say when it was put and what came and went', async () => {
    const { writer } = await newDraft()
    const recentChanges = [
      { what: 'name', value: 'stored', atMs: laterMs },
      { what: 'name', value: 'b', atMs: laterMs },
    ]
    const timed = { ...renamed('b'), recentChanges, createdAtMs: nowMs, updatedAtMs: laterMs }
    expect(writer.privateKeys.put(renamed('b'))).toEqual(timed)
    expect(writer.privateKeys.get(stored.privateKeyId)).toEqual(timed)
  })

  test('are none if its kind has none', async () => {
    const { writer } = await newDraft()
    const token = { tokenId: 'a', usedAtMs: laterMs }
    expect(writer.usedTokens.add(token)).toEqual(token)
  })
})

describe('a record over the limit of its kind', () => {
  const [second, third] = ['2', '3'].map((end) => `01234567-89ab-7cde-8f01-00000000000${end}`) as [string, string]

  test('is refused, and its secret is zeroed', async () => {
    const draft = await newDraft()
    const { privateKeys } = draft.writer
    const secret = secretOf('third')
    privateKeys.add({ ...stored, privateKeyId: second }, secretOf('second'))
    const add = () => privateKeys.add({ ...stored, privateKeyId: third }, secret)
    expect(add).toThrow('resource limit reached: an organization has at most 2 private keys')
    draft.dispose()
    expect(isZeroed(secret)).toBe(true)
  })

  test('has room once another is removed', async () => {
    const { privateKeys } = (await newDraft()).writer
    privateKeys.add({ ...stored, privateKeyId: second }, secretOf('second'))
    privateKeys.remove(stored.privateKeyId)
    privateKeys.add({ ...stored, privateKeyId: third }, secretOf('third'))
    expect(privateKeys.count()).toBe(2)
  })
})

describe('a record that is removed', () => {
  test('after a change loses everything that the database has of it', async () => {
    const { writer, changes } = await newDraft()
    const address = { format: 'ADDRESS_FORMAT_SOLANA', address: 'later' } as const
    writer.privateKeys.put({ ...renamed('b'), addresses: [address] })
    writer.privateKeys.remove(stored.privateKeyId)
    const { records, lookups } = await changes()
    expect(records).toMatchObject([{ recordId: stored.privateKeyId, version: 2, sealed: undefined }])
    expect(lookups.map(({ change, lookup, key }) => `${change} ${lookup} ${key}`)).toEqual([
      'remove private_key_name stored',
    ])
  })

  test('after it was added leaves no change', async () => {
    const { writer, changes } = await newDraft()
    const secret = secretOf('new')
    const added = { ...stored, privateKeyId: '01234567-89ab-7cde-8f01-000000000002', privateKeyName: 'b' }
    writer.privateKeys.add(added, secret)
    writer.privateKeys.remove(added.privateKeyId)
    expect([writer.privateKeys.count(), isZeroed(secret)]).toEqual([1, true])
    expect(Object.values(changes()).flat()).toEqual([])
  })
})

describe('a secret that the draft took is zeroed', () => {
  test('at the end, once it is sealed', async () => {
    const draft = await newDraft()
    const secret = secretOf('new')
    draft.writer.privateKeys.put(stored, secret)
    draft.changes()
    expect(isZeroed(secret)).toBe(false)
    draft.dispose()
    expect(isZeroed(secret)).toBe(true)
  })

  test('at once when another replaces it, and never before it is sealed', async () => {
    const { writer } = await newDraft()
    const [first, second] = [secretOf('first'), secretOf('second')]
    writer.privateKeys.put(stored, first)
    writer.privateKeys.put(stored)
    writer.privateKeys.put(stored, first)
    expect(isZeroed(first)).toBe(false)
    writer.privateKeys.put(stored, second)
    expect([isZeroed(first), isZeroed(second)]).toEqual([true, false])
  })

  test('at once when its record is removed', async () => {
    const { writer } = await newDraft()
    const secret = secretOf('new')
    writer.privateKeys.put(stored, secret)
    writer.privateKeys.remove(stored.privateKeyId)
    expect(isZeroed(secret)).toBe(true)
  })
})
