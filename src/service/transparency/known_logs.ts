import { singleFlight, singleFlights } from '../../protocol/tools/single_flight.ts'
import { type LogRow, logsMax, type Store } from '../store/store.ts'

/** So much later than on the node that stored it, a log is found on the others. */
const listedMsMax = 1_000

/** The logs of the deployment. Their rows are never removed, and a log only grows. */
export type KnownLogs = {
  list(): Promise<readonly LogRow[]>
  /**
   * Whether there may be such a log. To know that there is none takes one reading a second for all who ask, whatever ids
   * they make up. Behind the last log of a full list it takes a reading of its own.
   */
  mayBe(logId: string): Promise<boolean>
  /** A row of the log, maybe not its newest one. Undefined: it was not read yet. */
  seen(logId: string): LogRow | undefined
  newest(logId: string): Promise<LogRow | undefined>
}

export function createKnownLogs(store: Pick<Store, 'logs' | 'log'>, nowMs: () => number): KnownLogs {
  const rows = new Map<string, LogRow>()
  let listedMs = Number.NEGATIVE_INFINITY
  /** The last log of a list that may leave some out. */
  let listEnd: string | undefined

  const list = singleFlight(async () => {
    const logs = await store.logs()
    listedMs = nowMs()
    listEnd = logs.length < logsMax ? undefined : logs.at(-1)?.logId
    for (const log of logs) rows.set(log.logId, log)
    return logs
  })

  return {
    list,
    async mayBe(logId) {
      if (!rows.has(logId) && nowMs() - listedMs >= listedMsMax) await list()
      return rows.has(logId) || (listEnd !== undefined && logId > listEnd)
    },
    seen: (logId) => rows.get(logId),
    newest: singleFlights(async (logId) => {
      const log = await store.log(logId)
      if (log !== undefined) rows.set(logId, log)
      return log
    }),
  }
}
