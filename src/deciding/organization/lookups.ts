import { hexToBytes } from '@noble/hashes/utils.js'
import type { Signer } from '../../contract/keys.ts'
import {
  type Lookup,
  type LookupName,
  type RecordKind,
  type RecordTypes,
  recordKinds,
} from '../../contract/records/records.ts'
import { addressFormats, lookupAddress } from '../../protocol/chains/address_formats.ts'
import type { LookupRow } from '../../protocol/reads.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { together } from './reads_needed.ts'
import type { SeenOrganization } from './seen_organization.ts'

/** The rows by which records of an organization may be found. */
export type Lookups = {
  /** Returns the rows of a key. Each is a hint: the record decides. */
  rowsOf(place: Lookup): readonly LookupRow[]
  /** The decision rests on these rows: no other record goes by this key. */
  relyOn(place: Lookup, rows: readonly LookupRow[]): void
}

type TrueRow = LookupRow & { readonly kind: RecordKind; readonly record: RecordTypes[RecordKind] }

/** Returns the rows whose record really goes by that key. A lookup is a hint; the sealed record decides. */
export function trueRows(
  organization: SeenOrganization,
  rows: readonly LookupRow[],
  { lookup, key }: Lookup,
): readonly TrueRow[] {
  const checked = rows.map((row) => (): readonly TrueRow[] => {
    if (!isRecordKind(row.kind)) return []
    const record = findRecord(organization, row.kind, row.recordId)
    if (record === undefined || !goesBy(row.kind, record, lookup, key)) return []
    return [{ ...row, kind: row.kind, record }]
  })
  return together(checked).flat()
}

function goesBy<K extends RecordKind>(kind: K, record: RecordTypes[K], lookup: LookupName, key: string): boolean {
  return recordKinds[kind].lookupsOf(record).some((own) => own.lookup === lookup && own.key === key)
}

function isRecordKind(kind: string): kind is RecordKind {
  return Object.hasOwn(recordKinds, kind)
}

type FoundSigner = { readonly signer: Signer; readonly records: readonly TrueRow[] }

export function findSigner(
  organization: SeenOrganization,
  signWith: string,
  { rowsOf }: Pick<Lookups, 'rowsOf'>,
): FoundSigner {
  const { organizationId } = organization.head
  const privateKey = organization.listed('private_key', signWith.toLowerCase())
  if (privateKey !== undefined) {
    const { privateKeyId: recordId, curve } = privateKey
    const publicKey = hexToBytes(privateKey.publicKey)
    return {
      signer: { kind: 'private_key', recordId, curve, publicKey, addressFormat: undefined, scheme: 'default' },
      records: [{ organizationId, kind: 'private_key', recordId, record: privateKey }],
    }
  }
  const key = lookupAddress(signWith)
  const hint = { lookup: 'address', key } as const
  const [row] = trueRows(organization, rowsOf(hint), hint)
  if (row === undefined) {
    const expected = 'an address or the id of a private key of this organization'
    throw new Failure('SIGNER_NOT_FOUND', { fieldPath: 'parameters.signWith', expected })
  }
  const addressFormat = formatOf(row, key)
  if (row.kind !== 'wallet_account' && row.kind !== 'private_key') throw new Failure('SIGNER_NOT_FOUND')
  const { curve, publicKey: publicKeyHex } = row.record as RecordTypes['wallet_account' | 'private_key']
  const publicKey = hexToBytes(publicKeyHex)
  const scheme = addressFormats[addressFormat].signatureScheme
  const found = { kind: row.kind, recordId: row.recordId, curve, publicKey, addressFormat, scheme }
  return { signer: found, records: withWallets(organization, [row]) }
}

/** Returns the rows, and the wallets of the accounts among them, because rules may be about these wallets. */
export function withWallets(organization: SeenOrganization, rows: readonly TrueRow[]): readonly TrueRow[] {
  const wallets = rows.flatMap(({ kind, organizationId, record }): readonly TrueRow[] => {
    if (kind !== 'wallet_account') return []
    const { walletId: recordId } = record as RecordTypes['wallet_account']
    const wallet = organization.listed('wallet', recordId)
    return wallet === undefined ? [] : [{ organizationId, kind: 'wallet', recordId, record: wallet }]
  })
  return [...rows, ...wallets]
}

/** Returns the format of the address that named the signer. The format decides how to sign. */
function formatOf({ kind, record }: TrueRow, key: string) {
  if (kind === 'wallet_account') return (record as RecordTypes['wallet_account']).addressFormat
  const { addresses } = record as RecordTypes['private_key']
  const named = addresses.find(({ address }) => lookupAddress(address) === key)
  if (named === undefined) throw new Error('a private key was found by an address that it does not have')
  return named.format
}

export function findRecord<K extends RecordKind>(organization: SeenOrganization, kind: K, recordId: string) {
  return recordKinds[kind].listed ? organization.listed(kind, recordId) : organization.unlisted(kind, recordId)?.record
}
