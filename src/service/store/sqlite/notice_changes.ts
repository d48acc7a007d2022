import { mailboxTurn } from '../notice_queries.ts'
import type { NoticeChange } from '../store.ts'
import { Conflict } from './apply.ts'
import type { Statements } from './connection.ts'

/** @throws Conflict when a turn is taken already. */
export function changeNotices(statements: Statements, change: NoticeChange): void {
  switch (change.change) {
    case 'take':
      if (statements.insertNoticeTurn.run(change) !== 1) throw new Conflict('the turn was taken already')
      statements.trimNotices.run(change)
      statements.postponeNotices.run(change)
      return
    case 'takeMailbox':
      if (statements.insertNoticeTurn.run(mailboxTurn(change)) !== 1) throw new Conflict('the turn was taken already')
      return
    case 'remove':
      statements.deleteNotice.run(change)
      return
    case 'giveBack':
      statements.deleteNoticeTurn.run(change)
      return
    case 'sweep':
      statements.deleteOldTurns.run(change)
      return
  }
}
