import { readFileSync } from 'node:fs'
import { keyFileUnsealer, passphraseUnsealer } from './keys/unsealer.ts'
import { createFetchJson } from './outside/fetch_json.ts'
import { createClock } from './process/clock.ts'
import { createRandomBytes } from './process/random.ts'
import { runVault } from './process/run_vault.ts'
import { createVault } from './process/vault.ts'

// The entry of the vault's process, started by `client.ts`.
await runVault(({ unsealer, markDirectory, caFile, loopbackHttp, ...settings }, { log, openPipe }) =>
  createVault({
    ...settings,
    unsealer: unsealer.kind === 'keyFile' ? keyFileUnsealer(unsealer) : passphraseUnsealer(unsealer),
    journalDirectory: markDirectory,
    onSuperseded() {
      log.error({}, 'another vault has opened the journal: this one ends')
      process.exit(1)
    },
    clock: createClock({ wallMs: Date.now, monotonicMs: () => performance.now(), log }),
    randomBytes: createRandomBytes(),
    fetchJson: createFetchJson({
      openPipe,
      ...(caFile === undefined ? {} : { authorities: readFileSync(caFile, 'utf8') }),
      loopbackHttp,
    }),
    log,
  }),
)
