import type { WrittenAccount } from '../../../contract/records/activity.ts'
import { type FoundHead, type FoundRecord, readKey } from '../../../protocol/reads.ts'
import { compareHeads } from '../../books/booked_head.ts'
import { SealError, type Seals } from '../../keys/seal.ts'
import { unsealRecord } from '../../keys/sealed_record.ts'
import { bookedHeadOf, type Head, unsealHead } from '../../state/head.ts'
import { readRows, type Scrubbing } from './read_rows.ts'
import type { ScrubParts, Tally } from './scrub_parts.ts'

/** An account, and the index of the entry whose activity wrote it. */
export type LoggedAccount = WrittenAccount & { readonly index: number }

/** Compares accounts with their rows. The head says which ones were deleted: it is read after the rows. */
export async function* compareAccounts(
  parts: ScrubParts,
  accounts: readonly LoggedAccount[],
  tally: Tally,
): Scrubbing<void> {
  const byRow = Map.groupBy(accounts, (account) => readKey(readOf(account)))
  const faulty: { readonly account: LoggedAccount; readonly fault: string }[] = []
  yield* readRows('record', accounts.map(readOf), (key, { row }) => {
    for (const account of byRow.get(key) ?? []) {
      const fault = faultOf(parts.seals, account, row)
      if (fault !== undefined) faulty.push({ account, fault })
    }
  })
  const byHead = Map.groupBy(faulty, ({ account }) => readKey(headOf(account)))
  yield* readRows(
    'head',
    faulty.map(({ account }) => headOf(account)),
    (key, { row }) => {
      for (const { account, fault } of byHead.get(key) ?? []) {
        if (!mustExist(parts, account, row)) continue
        const { organizationId, walletAccountId, version, index } = account
        tally.tell(
          `organization ${organizationId}: the activity of entry ${index} of the transparency log ${parts.books.logId()} wrote version ${version} of wallet account ${walletAccountId}, which ${fault}`,
        )
      }
    },
  )
}

function readOf({ organizationId, walletAccountId }: LoggedAccount) {
  return { read: 'record', organizationId, kind: 'wallet_account', recordId: walletAccountId } as const
}

function headOf({ organizationId }: LoggedAccount) {
  return { read: 'head', organizationId } as const
}

function faultOf(seals: Seals, account: LoggedAccount, row: FoundRecord | undefined): string | undefined {
  if (row === undefined) return 'the database lacks'
  const { organizationId, walletAccountId: recordId } = account
  const { version, sealed } = row
  if (version < account.version) return `the database shows in version ${version}`
  const slot = { organizationId, kind: 'wallet_account', recordId, version } as const
  const isSealed = orUndefined(() => unsealRecord(seals, slot, sealed)) !== undefined
  return isSealed ? undefined : `the database shows as a version ${version} that was never sealed`
}

/**
 * Whether the head says that the account exists. A head that is older than the books know, or that no seal proves, says
 * nothing: requests of the organization are refused then.
 */
function mustExist(
  { books, seals }: ScrubParts,
  { organizationId, walletId, walletAccountId }: LoggedAccount,
  row: FoundHead | undefined,
): boolean {
  const head = row && orUndefined(() => unsealHead(seals, organizationId, row))
  if (row === undefined || head === undefined) return false
  const { isLost, journalId, newest } = books
  const sources = { isLost, journalId: journalId() }
  const comparison = compareHeads(newest(organizationId), bookedHeadOf(head, row.tag), sources)
  return (comparison === 'newest' || comparison === 'above') && hasAccount(head, { walletId, walletAccountId })
}

function hasAccount(
  { deletedAtMs, listed, removed }: Head,
  { walletId, walletAccountId }: Pick<LoggedAccount, 'walletId' | 'walletAccountId'>,
): boolean {
  if (deletedAtMs !== undefined || listed.get('wallet')?.has(walletId) !== true) return false
  return removed.get(walletId)?.has(walletAccountId) !== true
}

function orUndefined<T>(unseal: () => T): T | undefined {
  try {
    return unseal()
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}
