import type { Log } from '../../link/vault_log.ts'
import type { UnsealAnswer } from '../../link/verbs.ts'
import { type OpenedBooks, openBooks } from '../books/open_books.ts'
import { prepareFolder } from '../books/prepare_folder.ts'
import { createVaultState, openVaultState } from '../keys/master_seed.ts'
import { createSeals, type Seals } from '../keys/seal.ts'
import { UnsealError, type Unsealer } from '../keys/unsealer.ts'
import { enterStart, type Start } from './settings_of_start.ts'

function noStateText(directory: string): string {
  return `the database has no vault state, although the vault has a journal in ${directory}: restore the database, or remove that folder if the database is gone for good`
}

const noJournalText =
  'the vault has no journal for this database and begins one: it trusts the first head that it sees of each organization'

export type OpeningParts = {
  readonly unsealer: Unsealer
  readonly journalDirectory: string
  readonly nowMs: () => number
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Pick<Log, 'warn'>
  /** Called when another vault has opened the journal. This vault must decide nothing more. */
  readonly onSuperseded: () => void
  /** The host in the name of a transparency log that begins. If absent, `localhost`. */
  readonly logHost?: string | undefined
  /** How much of the transparency log waits for the database, in MB, before decisions are refused. If absent, any. */
  readonly logWaitingMbMax?: number | undefined
  /** How the vault was started. If absent, the transparency log does not tell of it. */
  readonly start?: Start | undefined
  /** The size of a segment of the journal. If absent, the journal's own default holds. */
  readonly segmentBytes?: number | undefined
  /** If absent, the journal of the books is on disk. */
  readonly openBooks?: typeof openBooks | undefined
}

type Initialized = Extract<UnsealAnswer, { kind: 'initialized' }>

/** Returns a function that opens the master seed and the books, or makes the first master seed where there is none. */
export function createOpening({ unsealer, journalDirectory, nowMs, randomBytes, log, ...parts }: OpeningParts) {
  /** Whether this process has made the vault state. The database is new then. */
  let hasMadeState = false

  return async (
    vaultState: Uint8Array | undefined,
  ): Promise<Initialized | { readonly kind: 'opened'; readonly seals: Seals; readonly books: OpenedBooks }> => {
    const isEmpty = await prepareFolder(journalDirectory)
    if (vaultState === undefined) {
      // A database that has lost its state would get a new master seed, which opens nothing of the old records.
      if (!isEmpty) throw new UnsealError(noStateText(journalDirectory))
      hasMadeState = true
      return { kind: 'initialized', vaultState: await createVaultState(unsealer, randomBytes) }
    }
    const seals = await openSeals({ unsealer, randomBytes }, vaultState)
    const books = await (parts.openBooks ?? openBooks)({
      directory: journalDirectory,
      key: seals.journalKey(),
      clock: { nowMs },
      randomBytes,
      onSuperseded: parts.onSuperseded,
      log,
      logHost: parts.logHost,
      logWaitingMbMax: parts.logWaitingMbMax,
      ...(parts.segmentBytes === undefined ? {} : { segmentBytes: parts.segmentBytes }),
    })
    try {
      if (parts.start !== undefined) await enterStart(books, parts.start, { vaultState, nowMs, randomBytes })
    } catch (error) {
      await books.close().catch(() => {})
      throw error
    }
    if (books.isNew && !hasMadeState) log.warn({ journalDirectory }, noJournalText)
    return { kind: 'opened', seals, books }
  }
}

/** Throws `UnsealError` if the state cannot be opened. */
export async function openSeals(
  { unsealer, randomBytes }: Pick<OpeningParts, 'unsealer' | 'randomBytes'>,
  vaultState: Uint8Array,
): Promise<Seals> {
  return createSeals({ masterSeeds: await openVaultState(unsealer, vaultState), randomBytes })
}
