import type { Connection } from './connection.ts'

/** A place for one connection, which is opened when it is needed and opened anew when it was lost. */
export type Slot = {
  /** @throws Error when no server takes connections. */
  readonly connection: () => Promise<Connection>
  readonly close: () => Promise<void>
}

export function createSlot(connect: () => Promise<Connection>): Slot {
  let current: Connection | undefined
  return {
    async connection() {
      if (current?.isUsable() !== true) current = await connect()
      return current
    },
    async close() {
      await current?.close()
      current = undefined
    },
  }
}
