import { hash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import type { Plugin } from 'vite'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { nodeFlags } from './test/support/bundle.ts'

const aloneInItsProcess = [
  // The package that it drives reads the environment when it is loaded.
  'test/conformance/server_actions.test.ts',
  // It measures steps, and the garbage of other tests would be collected in them.
  'test/scenarios/long_steps.test.ts',
]

/**
 * Tests that start servers, a second time: each server has a database of PostgreSQL in place of the file in its folder,
 * and two vaults that share their books in place of one. The tests of the store itself run on both databases anyway.
 */
const startServers = [
  'test/scenarios/**/*.test.ts',
  'test/contract/*.test.ts',
  'test/conformance/*.test.ts',
  // In a browser, only the tests in which several people change things at once.
  'test/console/{at_once,three_people}.test.ts',
  'src/service/start.test.ts',
  'src/service/requests/submit.test.ts',
  'src/service/admin/*.test.ts',
  'src/service/delivery/delivery.test.ts',
  'src/vault/state/draft/outbox.test.ts',
  'src/cli/{console_link,vault/accept_restore,vault/lift_ip_allowlist}.test.ts',
]

const notOnPostgres = [
  // They are about commands, files and packages. `server_actions` needs a process of its own.
  'test/conformance/{compose_files,documents,npm_start,packed,server_actions,systemd_units}.test.ts',
  // They are about fields that are refused before anything is stored, and about processes and users of the machine.
  'test/scenarios/{fields,vault_of_another_user}.test.ts',
  // It derives thousands of addresses, which are stored as any other.
  'test/conformance/addresses.test.ts',
  // It changes the schema of a server's file while that runs, and has a test with PostgreSQL of its own.
  'test/scenarios/triggers.test.ts',
  // It measures the processor time of the vault, which has no database, on a thread that the service shares here.
  'test/scenarios/long_steps.test.ts',
  // It starts vaults without a server and without a database.
  'test/scenarios/evidence.test.ts',
  // They are about what rules and explanations make of a request, and about the forms of answers.
  'test/scenarios/{contract,evaded_denials,explained,interfaces_in_steps,results_of_others,session_scopes}.test.ts',
  'test/scenarios/{shown_and_hidden,simulated_and_real,solana_rules,spellings}.test.ts',
  // They are about who asks and what rules say of it, which the vault decides by records, whichever database has them.
  'test/scenarios/{attested_bytes,attested_identities,attested_keys,attested_stamps,bad_rules_and_transactions}.test.ts',
  'test/scenarios/{closed_ways_in,credential_factors,denials,denials_of_submitters,foreign_ids,further_credentials}.test.ts',
  'test/scenarios/{left_out_facts,mfa,nobody_can_give,passkey_origins,policies,policy_recipes,sessions_of_contacts}.test.ts',
  // They compare what clients send and read with what other libraries say of it.
  'test/conformance/{client_types,crypto_keys,ethers,keys_out_and_in,keys_read_back,log_vectors,passkeys}.test.ts',
  'test/conformance/{provider_secrets,sdk_server,solana,spark,tags,transparency_page,tvc,viem,webauthn}.test.ts',
  // They are about the journal and the files of the log, and about what witnesses answer.
  'test/scenarios/{older_journal,witnesses}.test.ts',
  // They say what one vault remembers of the request before, which another vault has decided here.
  'test/scenarios/rounds.test.ts',
  'test/scenarios/uncounted_guesses.test.ts',
]

/** What takes longest, begun first: otherwise one core is idle at the end while the other runs the last of these. */
const longest = [
  // Before all others, because a process that is shared ends when the next file is not for it.
  ...aloneInItsProcess,
  'test/simulation/two_nodes.test.ts',
  'test/scenarios/fields.test.ts',
  'src/cli/unusable_data.test.ts',
  'src/cli/shared/run_server.test.ts',
  'test/console/dialogs.test.ts',
  'test/console/inbox.test.ts',
  'test/scenarios/tamper.test.ts',
  'test/scenarios/webhooks.test.ts',
  'test/scenarios/delivery.test.ts',
  'test/properties/book_histories.test.ts',
  'test/conformance/npm_start.test.ts',
  'src/service/vault/silence.test.ts',
  'test/scenarios/vault_of_another_user.test.ts',
  'src/policy/denials/unseen.test.ts',
  'test/cluster/several_vaults.test.ts',
  'test/console/policies.test.ts',
  'src/cli/main.test.ts',
  'src/cli/passphrase_file.test.ts',
  'test/conformance/documents.test.ts',
  'test/conformance/addresses.test.ts',
  'test/conformance/packed.test.ts',
  'test/scenarios/evaded_denials.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((path) => moduleId.endsWith(`/${path}`))
      return place === -1 ? longest.length : place
    }
    const sorted = (await this.inOrder(files)).toSorted((one, other) => placeOf(one) - placeOf(other))
    // A process for one database ends when the next file is for the other, so the files of one stay together.
    const isOnPostgres = ({ project }: TestSpecification) => project.name === 'postgres'
    return [...sorted.filter((file) => !isOnPostgres(file)), ...sorted.filter(isOnPostgres)]
  }

  /** By the seed with `--sequence.shuffle.files`, which Vitest leaves to the sequencer. */
  private async inOrder(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { cliOptions, root, sequence } = this.ctx.config
    const { shuffle } = cliOptions.sequence ?? {}
    if (typeof shuffle !== 'object' || shuffle.files !== true) return super.sort(files)
    const rankOf = ({ moduleId }: TestSpecification) => hash('sha256', `${sequence.seed} ${relative(root, moduleId)}`)
    return files.toSorted((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1))
  }
}

const standIn = join(import.meta.dirname, 'test', 'support', 'bundled_entry_file.ts')

/** Sources that run in a test start their threads and processes from the bundle (`test/support/bundle.ts`). */
const startsFromBundle: Plugin = {
  name: 'starts-from-bundle',
  enforce: 'pre',
  resolveId: (source, importer = '') =>
    /\/entry_file\.ts$/.test(source) && /\/src\/.*(?<!\.test)\.ts$/.test(importer) ? standIn : undefined,
}

// Loading our modules anew for each file took three times as long as the tests. What they change, they make themselves,
// so files that share a process do not meet.
const sharesProcess = { isolate: false }

export default defineConfig({
  plugins: [startsFromBundle],
  test: {
    globalSetup: 'test/support/temporary_folder.ts',
    execArgv: nodeFlags,
    // Tests share two cores with the servers that they start.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // One more than there are cores: while one waits for a server or for a limit of time, another one computes.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'console/src/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...aloneInItsProcess],
          ...sharesProcess,
        },
      },
      { extends: true, test: { name: 'alone', include: aloneInItsProcess } },
      {
        extends: true,
        test: {
          name: 'postgres',
          env: { CLAVIGER_TEST_DATABASE: 'postgres', CLAVIGER_TEST_VAULTS: '2' },
          include: startServers,
          exclude: [...configDefaults.exclude, ...notOnPostgres],
          ...sharesProcess,
        },
      },
    ],
  },
})
