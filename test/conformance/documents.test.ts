import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exitCodes } from '../../src/cli/shared/exit_codes.ts'
import { serverClient } from '../support/clients.ts'
import {
  plainEnvironment,
  type RunningServer,
  repositoryFolder,
  startRunningServer,
} from '../support/running_server.ts'

import { portOf } from '../support/smtp_server.ts'

/**
 * What README.md, CONTRIBUTING.md and the pages of docs/ tell a reader to type. Their blocks run in the order of the pages, each as it
 * stands there, in one folder that looks like a checkout with a server that runs in it.
 */

const readmeBytesMax = 8_192
const pages = globSync(['docs/*.md', 'docs/operate/*.md'], { cwd: repositoryFolder }).toSorted()
const documents = ['README.md', ...pages]
const withCommands = ['README.md', 'CONTRIBUTING.md', ...pages]

/** A block is run, or there is a reason for not running it here. */
type Treatment =
  /** Runs to its end with exit code 0, and prints this. */
  | { readonly kind: 'runs'; readonly prints: RegExp }
  /** Is refused by the server, and prints this. */
  | { readonly kind: 'is refused'; readonly prints: RegExp }
  /** Starts a server that goes on running for the blocks after it. */
  | { readonly kind: 'serves' }
  | { readonly kind: 'not here'; readonly reason: string }

const read = (path: string) => readFileSync(join(repositoryFolder, path), 'utf8')
const runs = (prints: RegExp): Treatment => ({ kind: 'runs', prints })
const isRefused = (prints: RegExp): Treatment => ({ kind: 'is refused', prints })
const notHere = (reason: string): Treatment => ({ kind: 'not here', reason })

const startsTheServer = notHere('npm_start.test.ts starts the server so, packed.test.ts installs so')
const measures = notHere('measures for minutes; its figures are for machines without other work')

/** One row for each `sh` block: the page and the block's first line. */
const treatments: ReadonlyMap<string, Treatment> = new Map([
  ['README.md: npm ci && npm start', startsTheServer],
  ['README.md: npx node first.mjs', runs(/address: '0x[0-9a-fA-F]{40}',\s+r: '[0-9a-f]{64}'/)],
  ['CONTRIBUTING.md: npm ci', notHere('these are the tests and the checks, which .ci/run runs')],
  ['CONTRIBUTING.md: npx vitest run src/vault/books', notHere('these are parts of the tests')],
  ['CONTRIBUTING.md: CLAVIGER_CASES=100000', notHere('each takes hours; the same tests run here with fewer cases')],
  ['docs/app_proofs.md: sqlite3 claviger.db', notHere('needs the Debian package sqlite3')],
  ['docs/auth_proxy.md: bin/claviger request enable_auth_proxy', runs(/"configId"/)],
  ['docs/benchmarks.md: npm run bench', measures],
  ['docs/benchmarks.md: npm run bench:mechanisms', measures],
  ['docs/benchmarks.md: npm run bench:policies', measures],
  ['docs/benchmarks.md: npm run bench:books', measures],
  ['docs/benchmarks.md: npx node bench/accounts.ts', measures],
  ['docs/benchmarks.md: npm run soak:histories', measures],
  ['docs/benchmarks.md: npm run soak:log', measures],
  ['docs/benchmarks.md: npm run soak:kills', measures],
  ['docs/get_started.md: npm ci && npm start', startsTheServer],
  ['docs/get_started.md: bin/claviger request whoami', runs(/"addressFormat": "ADDRESS_FORMAT_ETHEREUM"/)],
  ['docs/get_started.md: bin/claviger request sign_raw_payload', runs(/"signRawPayloadResult"/)],
  ['docs/get_started.md: npx node third.mjs', runs(/\n0x[0-9a-f]{130}\n0x02f8[0-9a-f]+\n$/)],
  ['docs/get_started.md: bin/claviger key generate', runs(/^public key:.*\nwritten to:.*"userTagId"/s)],
  ['docs/get_started.md: bin/claviger request create_users', runs(/"userIds"/)],
  ['docs/get_started.md: bin/claviger request create_policy', runs(/"policyId".*"signedTransaction"/s)],
  [
    'docs/get_started.md: bin/claviger request sign_transaction',
    isRefused(/"explanation": "condition: `eth\.tx\.value <= 1000000000000000000` is false/),
  ],
  ['docs/get_started.md: bin/claviger key generate --out ben.json', runs(/^public key:/)],
  [
    'docs/get_started.md: bin/claviger request create_users --body \'{"parameters":{"users":[{"userName":"Ben"',
    runs(/"userIds"/),
  ],
  [
    'docs/get_started.md: bin/claviger request create_policy --body-file large_payments.json',
    runs(/"policyId".*"ACTIVITY_STATUS_CONSENSUS_NEEDED"/s),
  ],
  [
    'docs/get_started.md: bin/claviger request explain_activity',
    runs(/"explanation".*"code": "send",.*"units": "2",.*"ACTIVITY_STATUS_COMPLETED".*"signedTransaction"/s),
  ],
  ['docs/get_started.md: npm ci && npm test', notHere('these are the tests')],
  ['docs/notices.md: bin/claviger request set_notice_preferences', runs(/"setNoticePreferencesResult"/)],
  ['docs/operate.md: npm pack', notHere('packed.test.ts packs, installs and starts the server so')],
  ['docs/operate.md: CLAVIGER_ROOT_PASSPHRASE_FILE=', { kind: 'serves' }],
  ['docs/operate.md: bin/claviger org create', runs(/"username": "Root user"/)],
  ['docs/operate.md: npm install --prefix', notHere('needs systemd; vault_of_another_user.test.ts runs both commands')],
  ['docs/operate.md: install -d', notHere('makes folders as root; vault_of_another_user.test.ts runs both so')],
  ['docs/operate.md: bin/claviger migrate --check', runs(/^The database has schema \d+\. Nothing is left to do\.$/m)],
  ['docs/operate.md: sqlite3', notHere('needs the Debian package sqlite3')],
  ['docs/operate.md: bin/claviger vault accept-restore', runs(/^Nothing differs/)],
  ['docs/operate.md: bin/claviger request set_organization_feature', runs(/"setOrganizationFeatureResult"/)],
  [
    'docs/operate/scale.md: export CLAVIGER_DATABASE_URL_FILE',
    notHere('needs a server of PostgreSQL; test/cluster does it'),
  ],
  [
    'docs/operate/scale.md: bin/claviger copy-database',
    notHere('needs a server of PostgreSQL; copy_database.test.ts does it'),
  ],
  [
    'docs/operate/scale.md: bin/claviger serve --data /var/lib/claviger-one',
    notHere('needs a server of PostgreSQL; test/cluster does it'),
  ],
  [
    'docs/operate/scale.md: bin/claviger serve --data /var/lib/claviger-two',
    notHere('needs a server of PostgreSQL; test/cluster does it'),
  ],
  ['docs/operate/scale.md: bin/claviger org create', notHere('needs two nodes; test/cluster has them')],
  [
    'docs/operate/scale.md: systemctl stop postgresql@17-main',
    notHere('needs two machines with systemd; test/cluster/killed_nodes.test.ts loses a database'),
  ],
  ['docs/operate/scale.md: echo CLAVIGER_PORT', notHere('needs systemd; systemd_units.test.ts reads the units')],
  ['docs/operate/scale.md: cd deploy/compose', notHere('needs Docker; compose_files.test.ts reads the files')],
  ['docs/operate/witnesses.md: bin/claviger witness create', runs(/^witness\.example\/one\+[0-9a-f]{8}\+/m)],
  [
    'docs/operate/witnesses.md: bin/claviger witness --data',
    notHere('it does not end; src/cli/witness.test.ts runs it'),
  ],
  ['docs/operate/witnesses.md: bin/claviger log mirror', runs(/^localhost\S*: \d+ entries, \d+ of them new$/m)],
  ['docs/policies.md: bin/claviger request create_velocity_control', runs(/"velocityControlId"/)],
  ['docs/policies.md: bin/claviger request simulate', runs(/"decision": "ALLOW"/)],
  ['docs/policies.md: bin/claviger policies check', runs(/^No policy that denies and no MFA policy is known to miss/)],
  ['docs/webhooks.md: bin/claviger request create_webhook_endpoint', runs(/"endpointId"/)],
  [
    'docs/webhooks.md: bin/claviger request list_webhook_deliveries',
    runs(/"deliveryId".*"replayWebhookDeliveryResult"/s),
  ],
])

/** Some start a server and a client, each from its sources, beside other tests. */
const patient = { timeout: 180_000 }

type Block = {
  readonly path: string
  readonly language: string
  /** After the language: the file as which a reader saves the block. */
  readonly file: string
  readonly content: string
}

const blocks = withCommands.flatMap((path): readonly Block[] => {
  const found = read(path).matchAll(/^```(\w*) ?(\S*)\n(.*?)^```$/gms)
  return [...found].map(([, language = '', file = '', content = '']) => ({ path, language, file, content }))
})
const commands = blocks.filter(({ language }) => language === 'sh')

/** The rows whose beginning a block has; the longest one is meant. */
function rowsOf({ path, content }: Block): readonly string[] {
  const rows = [...treatments.keys()].filter((row) => `${path}: ${content}`.startsWith(row))
  return rows.toSorted((one, other) => other.length - one.length)
}

/** The command of this package, or of one that it depends on. */
const npxScript = `#!/bin/sh
command=$1
shift
[ "$command" = claviger ] && exec bin/claviger "$@"
exec "node_modules/.bin/$command" "$@"
`

let checkout: string
let server: RunningServer
let environment: NodeJS.ProcessEnv
let production: ChildProcess | undefined
let receiverUrl: string
/** Refuses each event for good, so that it can be sent again. */
const receiver = createServer((_, response) => response.writeHead(410).end())
/** The output of the blocks that have run. */
let printed = ''

beforeAll(async () => {
  checkout = mkdtempSync(join(tmpdir(), 'claviger-documents-'))
  for (const name of ['bin', 'src', 'node_modules', 'package.json']) {
    symlinkSync(join(repositoryFolder, name), join(checkout, name))
  }
  writeFileSync(join(checkout, 'passphrase-claviger'), 'correct horse battery staple', { mode: 0o600 })
  // npm takes seconds to start a command; npm_start.test.ts runs `npx claviger` as it is.
  const quickNpx = join(checkout, 'quick')
  mkdirSync(quickNpx)
  writeFileSync(join(quickNpx, 'npx'), npxScript, { mode: 0o755 })
  const others = plainEnvironment()
  environment = { ...others, CLAVIGER_PORT: '0', PATH: `${quickNpx}${delimiter}${others.PATH}` }
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  receiverUrl = `http://127.0.0.1:${portOf(receiver.address())}`
  server = await startRunningServer({ where: checkout, folder: join(checkout, 'data') })
})
afterAll(async () => {
  if (production?.pid !== undefined) process.kill(-production.pid, 'SIGKILL')
  receiver.close()
  await server.stop()
  rmSync(checkout, { recursive: true, force: true })
})

/** In the place of what a reader fills in, and of folders that only root may make. */
async function filledIn(text: string): Promise<string> {
  const client = serverClient(server)
  const places = {
    '/run/secrets/': `${checkout}/passphrase-`,
    '/var/lib/': `${checkout}/`,
    'http://127.0.0.1:8787': server.url,
    ORGANIZATION_ID: server.credentials.organizationId,
    ADA_PUBLIC_KEY: /^public key: +(\w+)/m.exec(printed)?.[1] ?? '',
    BEN_PUBLIC_KEY: [...printed.matchAll(/^public key: +(\w+)/gm)].at(-1)?.[1] ?? '',
    ...waitingIn(printed),
    TAG_ID: /"userTagId": "(.+)"/.exec(printed)?.[1] ?? '',
    'https://hooks.example.com': receiverUrl,
    ...(text.includes('DELIVERY_ID') ? await givenUpDelivery(client) : {}),
  }
  const ids = text.includes('_ID') || text.includes('ADDRESS"') ? await idsOf(client) : {}
  return Object.entries({ ...places, ...ids }).reduce((filled, [name, value]) => filled.replaceAll(name, value), text)
}

async function idsOf(client: ReturnType<typeof serverClient>): Promise<Readonly<Record<string, string>>> {
  const { accounts } = await client.getWalletAccounts({})
  const { walletId = '', address = '' } = accounts[0] ?? {}
  const { userId } = server.credentials
  return { USER_ID: userId, WALLET_ID: walletId, '"ADDRESS"': `"${address}"` }
}

/** The activity that waits for an approval, as the last answer that said so names it. */
function waitingIn(text: string): Readonly<Record<string, string>> {
  const waiting = /"id": "(.+)",\s+"status": "ACTIVITY_STATUS_CONSENSUS_NEEDED"/.exec(text)
  if (waiting === null) return {}
  return { ACTIVITY_ID: waiting[1] ?? '', FINGERPRINT: /"fingerprint": "(sha256:.+)"/.exec(text)?.[1] ?? '' }
}

/** The endpoint of the page, and an event that the receiver has refused. */
async function givenUpDelivery(client: ReturnType<typeof serverClient>): Promise<Readonly<Record<string, string>>> {
  const endpointId = /"endpointId": "(.+)"/.exec(printed)?.[1] ?? ''
  await client.createWallet({ walletName: 'Told of', accounts: [] })
  const command = `bin/claviger request list_webhook_deliveries --json --body '{"endpointId": "${endpointId}"}'`
  for (;;) {
    const { deliveries } = JSON.parse(await shell(command))
    if (deliveries.length > 0) return { ENDPOINT_ID: endpointId, DELIVERY_ID: deliveries[0].deliveryId }
  }
}

async function shell(script: string): Promise<string> {
  const options = { cwd: checkout, env: environment }
  return (await promisify(execFile)('sh', ['-euc', script], options)).stdout
}

/** Starts a server of its own group of processes, and waits for the line that says that it is ready. */
async function serve(script: string): Promise<void> {
  const child = spawn('sh', ['-euc', script], { cwd: checkout, env: environment, detached: true })
  child.once('exit', () => {
    production = undefined
  })
  production = child
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk
  })
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => line.includes('ready on') && resolve())
    child.once('close', (code) => reject(new Error(`the server ended with ${code}: ${complaints}`)))
  })
}

test('every block with a command says that it is for a shell', () => {
  const command = /^(?:\$ )?(?:npx|npm|node|bin\/claviger|claviger|curl|docker|sqlite3|systemctl|install|export|cd) /m
  const hidden = blocks.filter(({ language, content }) => language !== 'sh' && command.test(content))
  expect(hidden.map(({ path, content }) => `${path}: ${content.split('\n')[0]}`)).toEqual([])
})

test('git ignores each file with a key that the commands write', () => {
  const written = commands.flatMap(({ content }) => [
    ...content.matchAll(/(?:--out|--credentials-out|>) ([\w-]+\.json)/g),
  ])
  const names = new Set(written.map(([, name]) => name))
  expect(names.size).toBeGreaterThan(0)
  const ignored = read('.gitignore').split('\n')
  expect([...names].filter((name) => !ignored.includes(`/${name}`) && !ignored.includes(`${name}`))).toEqual([])
})

test('every block of commands has one row in the table, and every row has one block', () => {
  expect(commands.flatMap((block) => rowsOf(block).slice(0, 1))).toEqual([...treatments.keys()])
})

describe('the blocks of README.md, CONTRIBUTING.md and docs/*.md', () => {
  for (const block of blocks) {
    const { path, language, file, content } = block
    if (file !== '') {
      test(`${path}: ${file} is written`, async () => {
        const flag = existsSync(join(checkout, file)) ? 'a' : 'w'
        writeFileSync(join(checkout, file), await filledIn(content), { flag })
        if (language === 'json') expect(() => JSON.parse(content)).not.toThrow()
      })
    }
    const treatment = language === 'sh' ? treatments.get(rowsOf(block)[0] ?? '') : undefined
    const name = `${path}: ${content.split('\n')[0]}`
    if (treatment?.kind === 'runs') {
      test(`${name} works as it stands there`, patient, async () => {
        const output = await shell(await filledIn(content))
        expect(output).toMatch(treatment.prints)
        printed += output
      })
    }
    if (treatment?.kind === 'is refused') {
      test(`${name} is refused`, patient, async () => {
        const stdout = expect.stringMatching(treatment.prints)
        await expect(shell(await filledIn(content))).rejects.toMatchObject({ code: exitCodes.refused, stdout })
      })
    }
    if (treatment?.kind === 'serves') {
      test(`${name} starts a server`, patient, async () => {
        await serve(await filledIn(content))
      })
    }
  }
})

test('the scripts and files that the documents name exist', () => {
  const { scripts } = JSON.parse(read('package.json'))
  const text = [...documents, 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'SECURITY.md'].map(read).join('\n')
  const run = [...text.matchAll(/\bnpm run ([\w:]+)/g)].map(([, script = '']) => script)
  const files = [...text.matchAll(/\bnode (bench\/\S+)/g)].map(([, file = '']) => file)
  expect(run.filter((script) => !Object.hasOwn(scripts, script))).toEqual([])
  const tests = [...text.matchAll(/\bvitest(?: run)?(?: --\S+)* ((?:src|test)\/\S*\w)/g)].map(([, file = '']) => file)
  expect([...files, ...tests].filter((file) => !existsSync(join(repositoryFolder, file)))).toEqual([])
  expect(tests.length).toBeGreaterThan(0)
  expect(run.length + files.length).toBeGreaterThan(0)
})

test(`README.md has at most ${readmeBytesMax} bytes`, () => {
  expect(Buffer.byteLength(read('README.md'))).toBeLessThanOrEqual(readmeBytesMax)
})

test('no sentence opens with What, Whoever or Of: the noun comes first', () => {
  const written = [...documents, 'SECURITY.md'].flatMap((path) => {
    const prose = read(path)
      .replaceAll(/^```.*?^```$/gms, '')
      .replaceAll(/^<!-- (\w+) -->$.*?^<!-- end of \1 -->$/gms, '')
    const found = prose.matchAll(/(?:^|[.!?:] |\| |- |\*\*|^#+ )(?:What|Whoever|Of) .{0,40}/gm)
    return [...found].map(([opening]) => `${path}: ${opening}`)
  })
  expect(written).toEqual([])
})
