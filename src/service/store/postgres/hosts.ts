import type { Log } from '../../process/log.ts'
import { type Connection, type ConnectionUse, connectTo, type History } from './connection.ts'
import type { DatabaseAddress, DatabaseHost } from './database_address.ts'

/** Connects to the host that takes writes. A connection's findings about the hosts hold for all connections. */
export type Connector = {
  /** @throws AggregateError of the hosts' errors when no host can be used; its message says for each why. */
  readonly connect: (use: ConnectionUse) => Promise<Connection>
}

export type ConnectorLog = Pick<Log, 'info' | 'warn'>
const noLog: ConnectorLog = { info: () => {}, warn: () => {} }

export function connect(address: DatabaseAddress, use: ConnectionUse): Promise<Connection> {
  return createConnector(address, noLog).connect(use)
}

/**
 * Hosts are tried in their order, but the last one that worked first. The first connection asks all of them, so that a
 * program that has just started does not take a primary that a promotion left behind.
 */
export function createConnector(address: DatabaseAddress, log: ConnectorLog = noLog): Connector {
  const open = new Set<Connection>()
  /** The highest timeline that was seen of each database system. */
  const newest = new Map<string, number>()
  let last: DatabaseHost | undefined
  let hasAskedAll = false
  let isDown = false
  let losses = 0

  return {
    async connect(use) {
      const refusals: string[] = []
      const errors: unknown[] = []
      let found: Connection | undefined
      for (const host of new Set([...(last === undefined ? [] : [last]), ...address.hosts])) {
        try {
          const connection = await connectToOne(host, use)
          // A newer one has ended it.
          if (found?.isUsable() === true) await connection.close()
          else [found, last] = [connection, host]
          if (hasAskedAll) break
        } catch (error) {
          errors.push(error)
          refusals.push(`${nameOf(host)}: ${error instanceof Error ? error.message || error.name : error}`)
        }
      }
      if (found === undefined) {
        const error = new AggregateError(errors, `no database takes connections: ${refusals.join('; ')}`)
        // A database that was never connected is not lost. The caller gets the error.
        if (last !== undefined) noteLoss({ host: nameOf(last), error })
        throw error
      }
      hasAskedAll = true
      if (isDown) log.info({ host: last && nameOf(last) }, 'the database is connected again')
      isDown = false
      return found
    },
  }

  async function connectToOne(host: DatabaseHost, use: ConnectionUse): Promise<Connection> {
    let lossesBefore = losses
    const connection = await connectTo(host, address, use, (error) => {
      open.delete(connection)
      // Connections that were made before the last loss went with it.
      if (error !== undefined && losses === lossesBefore) noteLoss({ host: nameOf(host), error })
    })
    lossesBefore = losses
    const { history } = connection
    if (history === undefined) return connection
    const { system, timeline } = history
    const seen = newest.get(system) ?? 0
    if (timeline < seen) {
      await connection.close()
      throw new Error(leftBehind(history, seen))
    }
    newest.set(system, timeline)
    open.add(connection)
    for (const one of open) {
      if (one.history?.system === system && one.history.timeline < timeline) {
        one.lose(new Error(leftBehind(one.history, timeline)))
      }
    }
    return connection
  }

  function noteLoss(fields: { readonly host: string; readonly error: Error }): void {
    losses += 1
    if (!isDown) log.warn(fields, 'the database is not connected')
    isDown = true
  }
}

function leftBehind({ timeline }: History, newest: number): string {
  return `a promotion left it behind: its timeline is ${timeline}, and another host has ${newest}`
}

export function nameOf({ name, port }: DatabaseHost): string {
  return `${name}:${port}`
}
