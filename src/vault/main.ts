import { readFileSync } from 'node:fs'
import type { Handlers } from '../link/channel/channel.ts'
import type { CommitOutcome } from '../link/verbs.ts'
import { version } from '../link/version.ts'
import { keyFileUnsealer, passphraseUnsealer } from './keys/unsealer.ts'
import { createFetchJson } from './outside/fetch_json.ts'
import { createClock } from './process/clock.ts'
import { deciderArgument, type Joined, joinBooks } from './process/decider.ts'
import { spawnDecider } from './process/decider_process.ts'
import { createRandomBytes } from './process/random.ts'
import { runVault } from './process/run_vault.ts'
import { startOf } from './process/settings_of_start.ts'
import { createSeveralVaults } from './process/several_vaults.ts'
import { createVault } from './process/vault.ts'

const isDecider = process.argv[3] === deciderArgument

// The entry of the vault's process. It is the only vault of its node, keeps the books for several, or is one of these.
await runVault(
  (settings, { log, openPipe }) => {
    const { unsealer, journalDirectory, caFile, ...others } = settings
    const parts = {
      unsealer: unsealer.kind === 'keyFile' ? keyFileUnsealer(unsealer) : passphraseUnsealer(unsealer),
      journalDirectory,
      onSuperseded() {
        log.error({}, 'another vault has opened the journal: this one ends')
        process.exit(1)
      },
      clock: createClock({ wallMs: Date.now, monotonicMs: () => performance.now(), log }),
      randomBytes: createRandomBytes(),
      log,
      logHost: settings.logHost,
      logWaitingMbMax: settings.logWaitingMbMax,
      start: startOf(settings, version),
    }
    if (settings.vaults > 1 && !isDecider) {
      const spawn = (verbsFor: Parameters<typeof spawnDecider>[0]['verbsFor']) =>
        spawnDecider({ settings, openPipe, log, verbsFor })
      return createSeveralVaults({ ...parts, count: settings.vaults, spawn })
    }
    const joined = isDecider ? joinBooks(parts) : undefined
    const authorities = caFile === undefined ? {} : { authorities: readFileSync(caFile, 'utf8') }
    const vault = createVault({
      ...others,
      ...parts,
      fetchJson: createFetchJson({ openPipe, ...authorities, loopbackHttp: settings.loopbackHttp }),
      sharedBooks: joined?.sharedBooks,
      liftedAllowlists: joined?.liftedAllowlists,
      operatorLinks: joined?.operatorLinks,
    })
    if (joined === undefined) return vault
    const { operator: _, ...verbs } = vault
    return { ...verbs, others: deciderVerbs(joined, vault) }
  },
  { isDecider },
)

function deciderVerbs(joined: Joined, vault: ReturnType<typeof createVault>): Handlers {
  return new Map([
    ...joined.handlers(vault.dropHeld),
    ['outcomes', async (outcomes) => vault.takeOutcomes(outcomes as readonly CommitOutcome[])],
  ])
}
