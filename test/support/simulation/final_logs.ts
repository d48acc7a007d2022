import { tileWidth } from '../../../src/protocol/log/tree/tiles.ts'
import type { Commit } from '../../../src/protocol/reads.ts'
import type { LogWitness } from './log_witness.ts'
import { bundleKey, type Tables } from './tables.ts'

type Log = Pick<LogWitness, 'entries' | 'bundle' | 'logId'>

/** Whether an honest database has the checkpoint of the whole log, and each whole bundle. */
export function isWholeIn({ logs, bundles }: Tables, { entries, bundle, logId }: Log): boolean {
  const { length } = entries()
  if (length === 0) return true
  if (logs.get(logId())?.size !== length) return false
  const whole = Array.from({ length: Math.floor(length / tileWidth) }, (_, number) => number)
  return whole.every((number) => {
    const stored = bundles.get(bundleKey({ logId: logId(), number }))
    return stored !== undefined && bundle(number)?.equals(stored)
  })
}

/**
 * Checks that each head that an honest database has is in exactly one log. Each node was asked for each organization: a
 * new one is not looked at before that when its vault has died.
 */
export function requireOneEntryOfEachHead(commits: readonly Commit[], nodes: readonly { readonly log: Log }[]): void {
  const entered = Map.groupBy(
    nodes.flatMap(({ log }) => log.entries()).flatMap(({ makes }) => makes ?? []),
    ({ tag }) => tag,
  )
  for (const { organizationId, version, tag } of commits.flatMap(({ heads }) => heads)) {
    const times = entered.get(tag)?.length ?? 0
    if (times !== 1) throw new Error(`the head ${version} of ${organizationId} is entered ${times} times`)
  }
}
