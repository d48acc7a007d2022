import { singleFlight, singleFlights } from '../../protocol/tools/single_flight.ts'
import type { LogRow, Store } from '../store/store.ts'

/** So much later than on the node that stored it, a log is found on the others. */
const listedMsMax = 1_000

/** The logs of the deployment. Their rows are never removed, and a log only grows. */
export type KnownLogs = {
  list(): Promise<readonly LogRow[]>
  /**
   * A row of the log, maybe not its newest one. Undefined: there is no such log. To know that takes one reading a second
   * for all who ask, whatever ids they make up.
   */
  seen(logId: string): Promise<LogRow | undefined>
  newest(logId: string): Promise<LogRow | undefined>
}

export function createKnownLogs(store: Pick<Store, 'logs' | 'log'>, nowMs: () => number): KnownLogs {
  const rows = new Map<string, LogRow>()
  let listedMs = Number.NEGATIVE_INFINITY

  const list = singleFlight(async () => {
    const logs = await store.logs()
    listedMs = nowMs()
    for (const log of logs) rows.set(log.logId, log)
    return logs
  })

  return {
    list,
    async seen(logId) {
      if (!rows.has(logId) && nowMs() - listedMs >= listedMsMax) await list()
      return rows.get(logId)
    },
    newest: singleFlights(async (logId) => {
      const log = await store.log(logId)
      if (log !== undefined) rows.set(logId, log)
      return log
    }),
  }
}
