import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readDatabaseUrl } from '../../../src/service/store/postgres/database_address.ts'

/** One connection that goes through. */
export type Line = {
  /** Ends both halves as a lost network does. */
  readonly cut: () => void
  /** Ends the half of the client. What it has sent is still on the way. */
  readonly cutClient: () => void
  /** Gives the server what was held, and what follows. */
  readonly deliver: () => void
}

/** Called with what a client sends. `hold`: it and all that follows stay on the way until the line delivers. */
export type Watch = (bytes: Buffer, line: Line) => 'pass' | 'hold'

/**
 * Puts a network between a store and its server that a test can break. Takes the address of a database at a Unix
 * socket, and returns one whose connections go through here. It ends after the test.
 */
export async function faultyNetwork(url: string) {
  const { hosts, database } = readDatabaseUrl(url)
  const [server] = hosts
  if (server === undefined) throw new Error('the server has an address')
  const folder = mkdtempSync('/tmp/claviger-network-')
  const lines = new Set<Line>()
  let watch: Watch = () => 'pass'
  let watchAnswers: Watch = () => 'pass'
  let isSilent = false
  let hidesEnds = false
  let isClosed = false
  let delayMs = 0

  const listener = createServer({ allowHalfOpen: true }, (client) => {
    if (isClosed) {
      client.destroy()
      return
    }
    const behind = connect(`${server.name}/.s.PGSQL.${server.port}`)
    const ends = [client, behind]
    const forth = way(behind, () => watch)
    const back = way(client, () => watchAnswers)
    const line: Line = {
      cut() {
        lines.delete(line)
        for (const end of ends) end.destroy()
      },
      cutClient: () => client.destroy(),
      deliver() {
        forth.deliver()
        back.deliver()
        if (client.destroyed) behind.end()
      },
    }
    lines.add(line)
    client.on('data', (bytes: Buffer) => forth.take(bytes, line))
    behind.on('data', (bytes: Buffer) => back.take(bytes, line))
    for (const end of ends) {
      end.on('error', () => {})
      // What is held is still on the way after its sender went. Silence tells nobody that the other one went.
      for (const event of ['end', 'close']) {
        end.on(event, () => {
          if (!forth.holds() && !isSilent && !hidesEnds) line.cut()
        })
      }
    }
  })

  function way(to: Socket, watched: () => Watch) {
    let held: Buffer[] | undefined
    const write = (bytes: Buffer) => {
      if (isSilent || to.destroyed) return
      if (delayMs === 0) to.write(bytes)
      else setTimeout(() => to.destroyed || to.write(bytes), delayMs)
    }
    return {
      holds: () => held !== undefined,
      take(bytes: Buffer, line: Line) {
        if (held === undefined && watched()(bytes, line) === 'hold') held = []
        if (held === undefined) write(bytes)
        else held.push(bytes)
      },
      deliver() {
        const waiting = held ?? []
        held = undefined
        for (const bytes of waiting) write(bytes)
      },
    }
  }

  listener.listen(join(folder, '.s.PGSQL.5432'))
  await once(listener, 'listening')
  const cutAll = () => {
    for (const line of [...lines]) line.cut()
  }
  onTestFinished(() => {
    cutAll()
    listener.close()
    rmSync(folder, { recursive: true, force: true })
  })

  return {
    url: `postgres://postgres@/${database}?host=${folder}`,
    cutAll,
    lines: () => lines.size,
    /** Watches what clients send from now on. */
    watch: (by: Watch) => {
      watch = by
    },
    /** Watches what the server answers from now on. */
    watchAnswers: (by: Watch) => {
      watchAnswers = by
    },
    /** Swallows all bytes both ways and ends no connection, as a network does that drops packets. */
    silence: (is: boolean) => {
      isSilent = is
    },
    /** Tells neither end that the other one went. */
    hideEnds: (is: boolean) => {
      hidesEnds = is
    },
    /** Takes no further connections. */
    refuse: (is: boolean) => {
      isClosed = is
    },
    delay: (ms: number) => {
      delayMs = ms
    },
  }
}

/** Whether bytes of a client hold the end of a transaction. A pipelined batch ends with it. */
export function holdsCommit(bytes: Buffer): boolean {
  return bytes.includes('Q\0\0\0\x0bcommit\0', 0, 'latin1')
}
