import { configDefaults, defineConfig } from 'vitest/config'
import { everyRun, startsFromBundle } from './vitest.config.ts'

/**
 * Tests that start servers, a second time: each server has a database of PostgreSQL in place of the file in its folder,
 * and two vaults that share their books in place of one. The tests of the store run on both databases in `npm test`.
 */
const startServers = [
  'test/scenarios/**/*.test.ts',
  'test/contract/*.test.ts',
  'test/conformance/*.test.ts',
  // Of the tests in a browser, those in which several people change things at once.
  'test/console/{at_once,three_people}.test.ts',
  'src/service/{start,submit}.test.ts',
  'src/service/admin/*.test.ts',
  'src/service/delivery/delivery.test.ts',
  'src/vault/state/outbox.test.ts',
  'src/cli/{console_link,vault_accept_restore,vault_lift_ip_allowlist}.test.ts',
]

const notOnPostgres = [
  // They are about commands, files and packages. `server_actions` needs a process of its own.
  'test/conformance/{compose_files,documents,npm_start,packed,server_actions,systemd_units}.test.ts',
  // They are about fields that are refused before anything is stored, and about processes and users of the machine.
  'test/scenarios/{fields,vault_of_another_user}.test.ts',
  // It derives thousands of addresses, which are stored as any other.
  'test/conformance/addresses.test.ts',
  // A server that runs compares the schema of its file before each commit. That of PostgreSQL is compared at the start.
  'test/scenarios/triggers.test.ts',
  // It measures the processor time of the vault, which has no database, on a thread that the service shares here.
  'test/scenarios/long_steps.test.ts',
  // They say what one vault remembers of the request before, which another vault has decided here.
  'test/scenarios/rounds.test.ts',
  'test/scenarios/uncounted_guesses.test.ts',
]

export default defineConfig({
  plugins: [startsFromBundle],
  test: {
    ...everyRun,
    name: 'postgres',
    env: { CLAVIGER_TEST_DATABASE: 'postgres', CLAVIGER_TEST_VAULTS: '2' },
    include: startServers,
    exclude: [...configDefaults.exclude, ...notOnPostgres],
    isolate: false,
  },
})
