import { keysOf, type Need } from '../../contract/needs.ts'
import { rowOf } from '../../contract/records/records.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { findRecord, findSigner, type Lookups, trueRows, withWallets } from './lookups.ts'
import {
  allKey,
  lookupKey,
  type Resolved,
  type ResolvedNeeds,
  type Resolving,
  recordKey,
} from './organization_reader.ts'
import { together } from './reads_needed.ts'
import type { SeenOrganization } from './seen_organization.ts'

/** The needs of records. Activities have no others, but one about a webhook; queries have pages too. */
export type RecordNeed = Extract<Need, { need: 'record' | 'maybe' | 'ofUser' | 'all' | 'lookup' | 'unused' | 'signer' }>

/** Resolves what an operation reads of the organization, and of its parent. */
export function resolveBoth<O extends Omit<SeenOrganization, 'parent'> & { parent(): O | undefined }>(
  organization: O,
  needs: readonly Need[],
  resolve: (organization: O, needs: readonly Need[]) => Resolved,
): ResolvedNeeds<O> {
  const ofParent = needs.filter((need) => need.of === 'parent')
  const parent = ofParent.length === 0 ? undefined : organization.parent()
  const own = needs.filter((need) => need.of === undefined)
  return {
    own: { organization, resolved: resolve(organization, own) },
    parent: parent && { organization: parent, resolved: resolve(parent, ofParent) },
  }
}

/**
 * Adds to `resolved` what the need names. Throws a `Failure` if that is missing. `resolveMore` resolves the needs that follow
 * from it.
 */
export function resolveRecords(
  organization: SeenOrganization,
  need: RecordNeed,
  resolved: Resolving,
  { lookups: known, resolveMore }: { readonly lookups: Lookups; readonly resolveMore: (need: Need) => void },
): void {
  const { records, pages, lookups, signers } = resolved
  switch (need.need) {
    case 'record': {
      const record = findRecord(organization, need.kind, need.recordId)
      if (record === undefined) throw notFound(need)
      records.set(recordKey(need.kind, need.recordId), record)
      return
    }
    case 'maybe':
      records.set(recordKey(need.kind, need.recordId), findRecord(organization, need.kind, need.recordId))
      return
    case 'ofUser': {
      const user = findRecord(organization, 'user', need.userId)
      const more = user === undefined ? [] : need.then(user)
      together(more.map((each) => () => resolveMore(each)))
      return
    }
    case 'all': {
      const all = organization.allListed(need.kind)
      for (const record of all) records.set(recordKey(need.kind, rowOf(need.kind).idOf(record)), record)
      pages.set(allKey(need.kind), all)
      return
    }
    case 'lookup': {
      const rows = rowsOfKey(organization, need, known)
      for (const { kind, recordId, record } of withWallets(organization, rows)) {
        records.set(recordKey(kind, recordId), record)
      }
      lookups.set(lookupKey(need.lookup, need.key), rows)
      return
    }
    case 'unused': {
      // A row of a deleted record may be left.
      if (rowsOfKey(organization, need, known).length === 0) return
      throw new Failure('NAME_TAKEN', {
        fieldPath: need.fieldPath,
        expected: 'one that nothing else in this organization has',
      })
    }
    case 'signer': {
      const found = findSigner(organization, need.signWith, known)
      signers.set(need.signWith, found.signer)
      for (const { kind, recordId, record } of found.records) records.set(recordKey(kind, recordId), record)
      return
    }
  }
}

/** Returns what goes by the key of the need, and relies on nothing else going by it. */
function rowsOfKey(
  organization: SeenOrganization,
  need: Extract<RecordNeed, { need: 'lookup' | 'unused' }>,
  { rowsOf, relyOn }: Lookups,
) {
  const found = keysOf(need).map((key) => () => {
    const place = { lookup: need.lookup, key }
    const hints = rowsOf(place)
    relyOn(place, hints)
    return trueRows(organization, hints, place)
  })
  return together(found).flat()
}

function notFound({ kind, recordId, fieldPath }: Extract<RecordNeed, { need: 'record' }>): Failure {
  const reason = `there is no ${kind.replaceAll('_', ' ')} ${recordId} in this organization`
  return new Failure('NOT_FOUND', { ...(fieldPath === undefined ? {} : { fieldPath }), reason })
}
