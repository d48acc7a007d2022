import type { Connection } from './connection.ts'

/** A place for one connection, which is opened when it is needed and opened anew when it was lost. */
export type Slot = {
  /** @throws Error when no server takes connections, or the slot is closed. */
  readonly connection: () => Promise<Connection>
  readonly close: () => Promise<void>
}

export function createSlot(connect: () => Promise<Connection>, opened?: Connection): Slot {
  let current = opened
  /** Several may ask while it is opened, and all share it. */
  let opening: Promise<void> | undefined
  let isClosed = false

  async function open(): Promise<void> {
    try {
      current = await connect()
    } finally {
      opening = undefined
    }
  }

  return {
    async connection() {
      while (current?.isUsable() !== true) {
        if (isClosed) throw new Error('the store is closed')
        opening ??= open()
        await opening
      }
      return current
    },
    async close() {
      isClosed = true
      await opening?.catch(() => {})
      await current?.close()
    },
  }
}
