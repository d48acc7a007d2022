import { mailboxTurn, noticeWriteQueries } from '../notice_queries.ts'
import type { NoticeChange } from '../store.ts'
import type { Connection } from './connection.ts'
import { statementsOf } from './statement.ts'

const statements = statementsOf(noticeWriteQueries)

/** Returns `conflict` when a turn is taken already. */
export async function changeNotices(connection: Connection, change: NoticeChange): Promise<'committed' | 'conflict'> {
  switch (change.change) {
    case 'take':
      if ((await connection.run(statements.insertNoticeTurn, change)).changed !== 1) return 'conflict'
      await connection.run(statements.trimNotices, change)
      await connection.run(statements.postponeNotices, change)
      return 'committed'
    case 'takeMailbox':
      return (await connection.run(statements.insertNoticeTurn, mailboxTurn(change))).changed === 1
        ? 'committed'
        : 'conflict'
    case 'remove':
      await connection.run(statements.deleteNotice, change)
      return 'committed'
    case 'giveBack':
      await connection.run(statements.deleteNoticeTurn, change)
      return 'committed'
    case 'sweep':
      await connection.run(statements.deleteOldTurns, change)
      return 'committed'
  }
}
