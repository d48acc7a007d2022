import type { Erasure } from '../../../protocol/reads.ts'
import { readQueries } from '../queries.ts'
import { writeQueries } from '../write_queries.ts'
import { answered } from './answers.ts'
import { factStatements } from './commits/locked_rows.ts'
import type { Connection } from './connection.ts'
import { createSlot } from './slot.ts'
import { statement, statementsOf } from './statement.ts'

/** Records in a later portion. Few, because the organization is locked while a portion is erased. */
const erasedLaterMax = 200

type Portion = { organizationId: string; kind: string; ownerId: string; limit: number }

const erasePortionOfKind = statement<Portion>()`
  with gone as (
    delete from records where organization_id = ${'organizationId'} and kind = ${'kind'} and record_id in (
      select record_id from records where organization_id = ${'organizationId'} and kind = ${'kind'} limit ${'limit'})
    returning record_id)
  delete from lookups where organization_id = ${'organizationId'} and kind = ${'kind'}
    and record_id in (select record_id from gone)`
const erasePortionOfOwner = statement<Portion>()`
  with gone as (
    delete from records where organization_id = ${'organizationId'} and kind = ${'kind'} and record_id in (
      select record_id from records
      where organization_id = ${'organizationId'} and kind = ${'kind'} and owner_id = ${'ownerId'} limit ${'limit'})
    returning record_id)
  delete from lookups where organization_id = ${'organizationId'} and kind = ${'kind'}
    and record_id in (select record_id from gone)`
/** Notes the erasure while records of it are left. */
const noteRest = statement<Omit<Portion, 'limit'>>()`
  insert into erasures (organization_id, kind, owner_id)
  select ${'organizationId'}::text, ${'kind'}::text, ${'ownerId'}::text
  where exists (select 1 from records where organization_id = ${'organizationId'} and kind = ${'kind'}
    and (${'ownerId'}::text = '' or owner_id = ${'ownerId'}))
  on conflict do nothing`

const { someErasure } = statementsOf(readQueries)
const { deleteErasure } = statementsOf(writeQueries)
export const eraseStatements = { erasePortionOfKind, erasePortionOfOwner, noteRest, someErasure, deleteErasure }

/** Erases a portion of unreachable records with their lookups, inside the caller's transaction, and notes the rest. */
export async function erase(connection: Connection, erasure: Erasure, limit: number): Promise<void> {
  const { organizationId, kind, ownerId = '' } = erasure
  const portion = { organizationId, kind, ownerId, limit }
  await answered([
    connection.run(ownerId === '' ? erasePortionOfKind : erasePortionOfOwner, portion),
    connection.run(noteRest, { organizationId, kind, ownerId }),
  ])
}

export type Eraser = {
  /** Erases what commits have left over, soon and in portions, while nobody waits for it. */
  readonly eraseSoon: () => void
  readonly close: () => Promise<void>
}

/** Pauses between two portions, and after a portion that failed. */
const eraseAfterMs = 20
const eraseAgainAfterMs = 10_000

/** `shared` is a connection that others use too. One for erasing is only opened when there is something to erase. */
export function createEraser(connect: () => Promise<Connection>, shared: () => Promise<Connection>): Eraser {
  const slot = createSlot(connect)
  let timer: NodeJS.Timeout | undefined
  let erasing: Promise<void> = Promise.resolve()

  function eraseIn(afterMs: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      erasing = eraseNext()
    }, afterMs)
    timer.unref()
  }

  async function eraseNext(): Promise<void> {
    try {
      const [erasure] = (await (await shared()).run(someErasure, {})).rows
      if (erasure === undefined) return
      await erasePortion(await slot.connection(), erasure)
      eraseIn(eraseAfterMs)
    } catch {
      // For example, the disk is full. Failing commits report it; erasing waits.
      eraseIn(eraseAgainAfterMs)
    }
  }

  return {
    eraseSoon: () => eraseIn(eraseAfterMs),
    async close() {
      clearTimeout(timer)
      await erasing
      clearTimeout(timer)
      await slot.close()
    },
  }
}

/** Erases another portion in its own transaction. */
async function erasePortion(connection: Connection, erasure: Omit<Portion, 'limit'>): Promise<void> {
  try {
    await answered([connection.begin(), connection.run(factStatements.lockToWrite, { ids: [erasure.organizationId] })])
    await answered([connection.run(deleteErasure, erasure), erase(connection, erasure, erasedLaterMax)])
    await connection.commit()
  } catch (error) {
    if (connection.isUsable()) await connection.execute('rollback').catch(() => {})
    throw error
  }
}
