import { cosignedIdOf, type LogRow, type Store } from '../store/store.ts'
import { allLogs } from './all_logs.ts'
import { hasCosignatures } from './log_files.ts'
import { startWitnessing, type Witnessing, type WitnessingParts } from './witnessing.ts'

type OthersParts = Omit<WitnessingParts, 'store' | 'about'> & {
  readonly store: Pick<Store, 'keepLog' | 'logs' | 'log'>
  /** Whether a log is that of this node. */
  readonly isOwn: (logId: string) => boolean
  readonly lookEveryMs?: number
}

const lookEveryMsDefault = 60_000

/**
 * Has the newest checkpoints of other nodes' logs cosigned, each once it stands without cosignatures from one look to the
 * next: its node may be gone, and then nobody else asks for them. Without them no export of any organization would be
 * accepted by a policy with witnesses any more.
 */
export function startWitnessingOthers({ store, isOwn, lookEveryMs = lookEveryMsDefault, ...parts }: OthersParts): {
  close(): Promise<void>
} {
  /** The checkpoints that lacked cosignatures at the last look, by log. */
  let before = new Map<string, Uint8Array>()
  const asking = new Map<string, Witnessing>()
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    const lacking = await lackingRows()
    const standing = lacking.filter(({ logId, checkpoint }) => isSame(before.get(logId), checkpoint))
    before = new Map(lacking.map(({ logId, checkpoint }) => [logId, checkpoint]))
    for (const [logId, one] of asking) {
      if (standing.some((row) => row.logId === logId)) continue
      asking.delete(logId)
      await one.close()
    }
    for (const row of standing) {
      if (asking.has(row.logId)) continue
      const one = startWitnessing({ ...parts, store, about: { origin: row.origin } })
      asking.set(row.logId, one)
      one.see(row)
    }
  }

  async function lackingRows(): Promise<readonly LogRow[]> {
    const lacking: LogRow[] = []
    for await (const row of allLogs(store)) {
      if (isOwn(row.logId)) continue
      const cosigned = await store.log(cosignedIdOf(row.logId))
      if (!hasCosignatures(row.checkpoint, cosigned?.checkpoint)) lacking.push(row)
    }
    return lacking
  }

  const timer = setInterval(() => {
    looking ??= look()
      .catch(() => {}) // The service says itself that the database cannot be used.
      .finally(() => {
        looking = undefined
      })
  }, lookEveryMs).unref()
  return {
    async close() {
      clearInterval(timer)
      await looking
      await Promise.all([...asking.values()].map((one) => one.close()))
    },
  }
}

function isSame(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one !== undefined && Buffer.compare(one, other) === 0
}
