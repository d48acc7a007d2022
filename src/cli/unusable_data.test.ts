import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { queryPostgres, temporaryDatabase } from '../../test/support/postgres/postgres.ts'
import { vaultsOf } from '../../test/support/running_server.ts'
import { freshFolder, madeFolder, run, serve } from '../../test/support/server_command.ts'
import { asUser, bundleForAll, foldersOf, isRoot, serverUser } from '../../test/support/two_users.ts'

// Rights do not bind root, so the commands run as another user where the tests run as root.
const user = isRoot ? serverUser : undefined

let program: string
let made: string
beforeAll(async () => {
  program = bundleForAll()
  made = await madeFolder()
})

/** A copy of a data folder that is the user's, in a folder that everybody may pass. */
function ownFolder(): string {
  const data = join(foldersOf({ vault: user, server: user }).serverData, 'data')
  cpSync(made, data, { recursive: true })
  chmodSync(data, 0o700)
  const parts = readdirSync(data, { recursive: true, encoding: 'utf8' })
  if (user !== undefined) for (const part of ['', ...parts]) lchownSync(join(data, part), user.uid, user.gid)
  return data
}

const ended = (command: string, data: string, ...flags: readonly string[]) =>
  asUser(user, [program, command, '--data', data, ...flags])

const ownerRemedy =
  'make the user of the server the owner of the data folder and of all in it, who may read and write there (chown -R), or name another folder (CLAVIGER_DATA, --data)'

/** Each fault of a data folder, with the words and the remedy that its line must have. */
const faults: readonly (readonly [string, (data: string) => void, (data: string) => string])[] = [
  [
    'a file',
    (data) => {
      rmSync(data, { recursive: true })
      writeFileSync(data, '')
    },
    (data) => `the data folder ${data} cannot be used (it is no folder): ${ownerRemedy}`,
  ],
  [
    'below a file',
    (data) => {
      rmSync(dirname(data), { recursive: true })
      writeFileSync(dirname(data), '')
    },
    (data) => `the data folder ${data} cannot be used (ENOTDIR): ${ownerRemedy}`,
  ],
  [
    'not writable',
    (data) => chmodSync(data, 0o500),
    (data) => `the data folder ${data} cannot be used (EACCES): ${ownerRemedy}`,
  ],
  [
    'not readable',
    (data) => chmodSync(data, 0o300),
    (data) => `the data folder ${data} cannot be used (EACCES): ${ownerRemedy}`,
  ],
  [
    'with a database that is not writable',
    (data) => chmodSync(join(data, 'claviger.db'), 0o400),
    (data) => `${join(data, 'claviger.db')} cannot be used (EACCES): ${ownerRemedy}`,
  ],
  [
    'with a folder in place of the database',
    (data) => {
      rmSync(join(data, 'claviger.db'))
      mkdirSync(join(data, 'claviger.db'))
    },
    (data) =>
      `${join(data, 'claviger.db')} cannot be used (it is no regular file): move it away, and put the database or a backup back`,
  ],
  [
    'with a log of the database that is not readable',
    (data) => writeFileSync(join(data, 'claviger.db-wal'), '', { mode: 0 }),
    (data) => `${join(data, 'claviger.db')} cannot be used (unable to open database file): ${ownerRemedy}`,
  ],
  [
    'with a folder of messages that is not writable',
    (data) => {
      rmSync(join(data, 'outbox'), { recursive: true, force: true })
      mkdirSync(join(data, 'outbox'), { mode: 0o500 })
    },
    (data) => `the folder ${join(data, 'outbox')} cannot be used (EACCES): ${ownerRemedy}`,
  ],
  [
    'with a file in place of the folder of messages',
    (data) => {
      rmSync(join(data, 'outbox'), { recursive: true, force: true })
      writeFileSync(join(data, 'outbox'), '')
    },
    (data) => `the folder ${join(data, 'outbox')} cannot be used (it is no folder): ${ownerRemedy}`,
  ],
  [
    'with a lock that is not readable',
    (data) => chmodSync(join(data, 'server.lock'), 0),
    (data) => `${join(data, 'server.lock')} cannot be used (unable to open database file): ${ownerRemedy}`,
  ],
  [
    'with a database that was cut',
    (data) => truncateSync(join(data, 'claviger.db'), 50_000),
    (data) =>
      `${join(data, 'claviger.db')} is damaged, or no database of this program (database disk image is malformed): put a backup back, with its own -wal if it has one`,
  ],
  [
    'with something else in place of the database',
    (data) => writeFileSync(join(data, 'claviger.db'), 'something else'.repeat(1_000)),
    (data) =>
      `${join(data, 'claviger.db')} is damaged, or no database of this program (file is not a database): put a backup back, with its own -wal if it has one`,
  ],
  [
    'with a folder of the key file that is not readable',
    (data) => chmodSync(join(data, 'vault'), 0),
    (data) => `the key file ${join(data, 'vault', 'root.key')} cannot be read: its owner must be the user of the vault`,
  ],
  [
    'with a journal that is not readable',
    (data) => chmodSync(join(data, 'mark'), 0),
    (data) =>
      `the folder of the journal, ${join(data, 'mark')}, cannot be used (EACCES): make it a folder that the user of the server may read and write, or set CLAVIGER_MARK_DIR`,
  ],
]

const pipe = (path: string) => execFileSync('mkfifo', [path])
const device = (path: string) => symlinkSync('/dev/zero', path)
const segmentOf = (data: string) =>
  join(data, 'mark', readdirSync(join(data, 'mark')).find((name) => name.endsWith('.segment')) ?? 'none')
const ofKey = 'is no regular file: restore it from its copy'
const ofSegment =
  'is no regular file: restore the whole folder as it was, or move it away to begin a new journal without what is in it'
const ofDatabase = 'cannot be used (it is no regular file): move it away, and put the database or a backup back'

const besideDatabase = 'cannot be used (it is no regular file): move it away: the server makes the file itself'

// An opening neither waits for somebody nor reads a device.
test.each<readonly [string, (path: string) => void, (data: string) => string, string]>([
  ['a pipe in place of the lock', pipe, (data) => join(data, 'server.lock'), besideDatabase],
  ['a folder in place of the lock', (path) => mkdirSync(path), (data) => join(data, 'server.lock'), besideDatabase],
  ['a pipe in place of the database', pipe, (data) => join(data, 'claviger.db'), ofDatabase],
  ...['claviger.db-journal', 'claviger.db-wal', 'claviger.db-shm', 'server.lock-journal'].map(
    (name) => [`a pipe at ${name}`, pipe, (data: string) => join(data, name), besideDatabase] as const,
  ),
  ['a folder at claviger.db-wal', (path) => mkdirSync(path), (data) => join(data, 'claviger.db-wal'), besideDatabase],
  ['a pipe in place of the key file', pipe, (data) => join(data, 'vault', 'root.key'), ofKey],
  ['a device in place of the key file', device, (data) => join(data, 'vault', 'root.key'), ofKey],
  ['a pipe in place of a segment of the journal', pipe, segmentOf, ofSegment],
  ['a folder in place of a segment of the journal', (path) => mkdirSync(path), segmentOf, ofSegment],
])('%s ends the start with 2 and one line that says how to mend it', (_, put, pathIn, text) => {
  const data = ownFolder()
  const path = pathIn(data)
  rmSync(path, { force: true })
  put(path)
  if (user !== undefined) lchownSync(path, user.uid, user.gid)
  const { status, stderr } = ended('serve', data, '--port', '0')
  const lines = stderr.split('\n').filter((line) => !line.includes('"level":"warn"'))
  expect([status, lines]).toEqual([2, [expect.stringContaining(`${path} ${text}`), '']])
  expect(vaultsOf(data)).toEqual([])
})

test.each([
  ['ca-file', 'CLAVIGER_CA_FILE'],
  ['providers-file', 'CLAVIGER_PROVIDERS_FILE'],
  ['witnesses-file', 'CLAVIGER_WITNESSES_FILE'],
])('a pipe in place of the file that --%s names ends the start with 2', (flag, name) => {
  const data = ownFolder()
  const path = join(data, 'pipe')
  pipe(path)
  const { status, stderr } = ended('serve', data, '--port', '0', `--${flag}`, path)
  expect([status, stderr]).toEqual([2, expect.stringContaining(`${name} (--${flag}): ${path}`)])
})

test('a named pipe in place of the data folder ends the start with 2', () => {
  const data = ownFolder()
  rmSync(data, { recursive: true })
  pipe(data)
  const { status, stderr } = ended('serve', data, '--port', '0')
  expect([status, stderr]).toEqual([
    2,
    `claviger: the data folder ${data} cannot be used (it is no folder): ${ownerRemedy}\n`,
  ])
})

for (const [name, spoil, text] of faults) {
  test(`a data folder that is ${name} ends the start with 2 and one line that says how to mend it`, () => {
    const data = ownFolder()
    spoil(data)
    const { status, stdout, stderr } = ended('serve', data, '--port', '0')
    // Where the kernel gives no empty network the log says that too.
    const lines = stderr.split('\n').filter((line) => !line.includes('"level":"warn"'))
    expect([status, stdout, lines]).toEqual([2, '', [`claviger: ${text(data)}`, '']])
    expect(vaultsOf(data)).toEqual([])
  })
}

test.runIf(existsSync('/proc/self'))('a data folder that cannot be made ends the start with 2', async () => {
  const { code, stderr } = await run(['dev', '--port', '0', '--data', '/proc/claviger'])
  expect(stderr).toContain(`claviger: the data folder /proc/claviger cannot be used (ENOENT): ${ownerRemedy}`)
  expect(code).toBe(2)
})

test.runIf(isRoot)('a data folder that was restored as another user is named, and so is each file in it', () => {
  for (const [name, named] of [
    ['.', (data: string) => `the data folder ${data}`],
    ['claviger.db', (data: string) => join(data, 'claviger.db')],
    ['server.lock', (data: string) => join(data, 'server.lock')],
    ['mark', (data: string) => `the folder of the journal, ${join(data, 'mark')},`],
  ] as const) {
    const data = ownFolder()
    chownSync(join(data, name), 0, 0)
    const { status, stderr } = ended('serve', data, '--port', '0')
    expect([status, stderr]).toEqual([2, expect.stringContaining(`claviger: ${named(data)} cannot be used (`)])
  }
})

test('other commands that open the data folder say the same', () => {
  const file = ownFolder()
  rmSync(file, { recursive: true })
  writeFileSync(file, '')
  const damaged = ownFolder()
  writeFileSync(join(damaged, 'claviger.db'), 'something else'.repeat(1_000))
  for (const [command, data, ...flags] of [
    ['dev', file, '--port', '0'],
    ['migrate', file],
    ['migrate', damaged],
    ['migrate', damaged, '--check'],
  ] as const) {
    const { status, stderr } = ended(command, data, ...flags)
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^claviger: [^\n]+(chown -R|put a backup back)[^\n]+\n$/),
    ])
  }
})

test('a folder of a vault that cannot be used ends it with 2', () => {
  const { vaultData, socket } = foldersOf({ vault: user, server: user })
  const file = join(vaultData, 'file')
  writeFileSync(file, '')
  for (const data of [file, join(file, 'below')]) {
    const { status, stderr } = asUser(user, [program, 'vault', '--data', data, '--socket', socket])
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^claviger: \S+ cannot be used \(E[A-Z]+\): make it a folder/),
    ])
  }
  if (!isRoot) return
  chownSync(dirname(socket), 0, 0)
  const { status, stderr } = asUser(user, [program, 'vault', '--data', vaultData, '--socket', socket])
  expect([status, stderr]).toEqual([2, expect.stringContaining(`${socket} cannot be made a socket (EACCES)`)])
})

/** A role of its own that may log in to a database of its own. */
async function roleIn(url: string, ...statements: readonly string[]): Promise<string> {
  const role = `role_${crypto.randomUUID().replaceAll('-', '')}`
  for (const statement of ['create role ROLE login', ...statements]) {
    await queryPostgres(url, statement.replaceAll('ROLE', role))
  }
  return url.replace('postgres@', `${role}@`)
}

test('a role of PostgreSQL without a schema, without rights or unknown ends the start with 2 and the remedy', async () => {
  const reading = await temporaryDatabase()
  const data = freshFolder()
  expect((await (await serve('dev', data, [], { environment: { CLAVIGER_DATABASE_URL: reading } })).stop()).code).toBe(
    0,
  )
  const tables =
    'activities, erasures, log_bundles, log_index, lookups, notice_turns, notices, organizations, outbox, records, transparency_logs, vault_state, webhook_messages'
  const owner = 'make the role the owner of the database, and of the tables if there are some'
  for (const [url, message] of [
    [
      await roleIn(await temporaryDatabase()),
      `the database cannot be used: permission denied for schema public: ${owner}`,
    ],
    [
      await roleIn(await temporaryDatabase(), 'drop schema public'),
      'the database cannot be used: no schema has been selected to create in: make a schema for the role (create schema), or set its search_path',
    ],
    [await roleIn(reading), `the database cannot be used: permission denied for table migrations: ${owner}`],
    [
      await roleIn(reading, 'grant select on all tables in schema public to ROLE'),
      `the role ROLE may not write to ${tables}: make it the owner of the tables`,
    ],
    [
      (await temporaryDatabase()).replace('postgres@', 'nobody@'),
      'mend the user or the password in CLAVIGER_DATABASE_URL',
    ],
    [reading.replace(/\/test_\w+/, '/nowhere'), 'make the database (create database), or name another one'],
  ] as const) {
    const role = /\/\/(\w+)@/.exec(url)?.[1] ?? ''
    const { code, stdout, stderr } = await run(['serve', '--data', data, '--port', '0'], {
      environment: { CLAVIGER_DATABASE_URL: url },
    })
    const text = message.replaceAll('ROLE', role)
    expect([code, stdout, stderr.split('\n').at(-2)]).toEqual([2, [], expect.stringContaining(text)])
    const migrated = await run(['migrate', '--data', data], { environment: { CLAVIGER_DATABASE_URL: url } })
    if (!message.includes('may not write'))
      expect([migrated.code, migrated.stderr]).toEqual([2, expect.stringContaining(text)])
  }
})

test('a database of PostgreSQL that does not answer may do so at the next start: that ends with 1', async () => {
  const environment = { CLAVIGER_DATABASE_URL: 'postgres://claviger@127.0.0.1:1/claviger' }
  const { code, stderr } = await run(['serve', '--data', await madeFolder(), '--port', '0'], { environment })
  expect([code, stderr]).toEqual([1, expect.stringContaining('no database takes connections: 127.0.0.1:1: ')])
})
