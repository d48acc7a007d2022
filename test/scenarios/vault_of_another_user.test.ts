import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serverClient } from '../support/clients.ts'
import { processesBelow, type RunningServer } from '../support/running_server.ts'
import {
  asUser,
  foldersOf,
  installForAll,
  isRoot,
  killStarted,
  serverUser,
  startedAs,
  vaultUser,
} from '../support/two_users.ts'

// Vault and server are started by the two commands, as the units in deploy/systemd start them.

let program: string
beforeAll(() => {
  program = installForAll()
})
afterAll(killStarted)

type Users = Parameters<typeof foldersOf>[0]
const oneUser: Users = { vault: undefined, server: undefined }
const twoUsers: Users = { vault: vaultUser, server: serverUser }

async function startBoth(users: Users, folders = foldersOf(users)) {
  const { vaultData, serverData, socket } = folders
  const startVault = () => startedAs(users.vault, [program, 'vault', '--socket', socket, '--data', vaultData])
  const serve = ['serve', '--vault-socket', socket, '--data', serverData, '--port', '0']
  const startServer = () => startedAs(users.server, [program, ...serve])
  // Neither has to wait for the other.
  const [server, vault] = await Promise.all([startServer(), startVault()])
  return { ...folders, server, vault, startVault, startServer }
}

type Both = Awaited<ReturnType<typeof startBoth>>

function createOrganization(users: Users, { serverData, server }: Both) {
  const file = join(serverData, 'acme.json')
  const create = ['org', 'create', '--data', serverData, '--name', 'Acme', '--credentials-out', file]
  expect(asUser(users.server, [program, ...create])).toMatchObject({ status: 0 })
  const credentials: RunningServer['credentials'] = JSON.parse(readFileSync(file, 'utf8'))
  return { client: serverClient({ url: urlOf(server), credentials } as RunningServer), credentials }
}

function urlOf({ readyLine }: Both['server']): string {
  return /ready on (http:\S+)$/.exec(readyLine)?.[1] ?? ''
}

async function sign(client: ReturnType<typeof createOrganization>['client'], walletName: string) {
  const account = {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  } as const
  const { addresses } = await client.createWallet({ walletName, accounts: [{ ...account, path: "m/44'/60'/0'/0/0" }] })
  const encoding = 'PAYLOAD_ENCODING_TEXT_UTF8'
  const hashFunction = 'HASH_FUNCTION_KECCAK256'
  return client.signRawPayload({ signWith: addresses[0] ?? '', payload: 'hello', encoding, hashFunction })
}

// Root may start them as two users. Anybody else has but one.
const users = isRoot ? twoUsers : oneUser

test('vault and server sign, and go on when either is started again', { timeout: 120_000 }, async () => {
  const both = await startBoth(users)
  const { client, credentials } = createOrganization(users, both)
  expect((await sign(client, 'first')).r).toMatch(/^[0-9a-f]{64}$/)

  expect(await both.server.stop('SIGKILL')).toEqual([null, 'SIGKILL'])
  const server = await both.startServer()
  const again = serverClient({ url: urlOf(server), credentials } as RunningServer)
  expect((await sign(again, 'second')).r).toMatch(/^[0-9a-f]{64}$/)

  expect(await both.vault.stop()).toEqual([0, null])
  expect(await (await fetch(`${urlOf(server)}/readyz`)).json()).toMatchObject({ status: 'not ready' })
  const vault = await both.startVault()
  while ((await fetch(`${urlOf(server)}/readyz`)).status !== 200) await sleep(50)
  expect((await sign(again, 'third')).r).toMatch(/^[0-9a-f]{64}$/)

  const accept = ['vault', 'accept-restore', '--data', both.serverData, '--vault-data', both.vaultData, '--json']
  const { status, stdout } = asUser(undefined, [program, ...accept])
  expect([status, JSON.parse(stdout)]).toMatchObject([0, { organizations: 1, differing: 0 }])
  expect(await server.stop()).toEqual([0, null])
  expect(await vault.stop()).toEqual([0, null])
  expect([existsSync(both.socket), existsSync(join(both.vaultData, 'vault.sock'))]).toEqual([false, false])
})

test.runIf(isRoot)(
  'the user of the server reads neither key, journal, passphrase nor memory of the vault',
  { timeout: 60_000 },
  async () => {
    const both = await startBoth(twoUsers)
    const { client, credentials } = createOrganization(twoUsers, both)
    await sign(client, 'first')
    const { vaultData, keyFile, vault, server } = both
    const [signing] = processesBelow(vault.pid)
    if (signing === undefined) throw new Error('the vault has no process')
    expect(signing.command).toContain(join('vault', 'main.ts'))

    const opens = (path: string) => ['sh', '-c', `exec 3< ${path}`]
    const folders = ['--data', both.serverData, '--vault-data', vaultData]
    const acceptRestore = [program, 'vault', 'accept-restore', ...folders]
    const liftIpAllowlist = [program, 'vault', 'lift-ip-allowlist', credentials.organizationId, ...folders]
    const attempts: readonly (readonly string[])[] = [
      opens(keyFile),
      opens(join(vaultData, 'mark')),
      opens(join(vaultData, 'vault.sock')),
      ...[vault.pid, signing.pid].flatMap((pid) => [
        opens(`/proc/${pid}/mem`),
        opens(`/proc/${pid}/environ`),
        ['ls', `/proc/${pid}/fd`],
        ['kill', '-9', String(pid)],
      ]),
      [...acceptRestore, '--yes'],
      liftIpAllowlist,
    ]
    for (const attempt of attempts) {
      const { status, stderr } = asUser(serverUser, attempt)
      expect([status, stderr], attempt.join(' ')).not.toEqual([0, expect.anything()])
      expect(stderr, attempt.join(' ')).toMatch(/Permission denied|not permitted|does not answer/)
    }
    // The same attempts succeed for the vault's own user, or for root: the paths are right.
    expect(asUser(vaultUser, opens(keyFile)).status).toBe(0)
    for (const pid of [vault.pid, signing.pid]) expect(asUser(undefined, opens(`/proc/${pid}/mem`)).status).toBe(0)
    expect(asUser(undefined, liftIpAllowlist).status).toBe(0)
    // A third user reaches neither.
    const stranger = { uid: 64_003, gid: 64_003 }
    expect(asUser(stranger, ['ls', both.socket]).stderr).toContain('Permission denied')
    await server.stop()
    await vault.stop()
  },
)

test.runIf(isRoot)('a server waits until its user may open the socket', { timeout: 30_000 }, async () => {
  const { socket, vaultData, serverData } = foldersOf(twoUsers)
  const vault = await startedAs(vaultUser, [program, 'vault', '--socket', socket, '--data', vaultData])
  chmodSync(dirname(socket), 0o700)
  const serve = ['serve', '--vault-socket', socket, '--data', serverData, '--port', '0']
  const [server] = await Promise.all([
    startedAs(serverUser, [program, ...serve]),
    sleep(3_000).then(() => chmodSync(dirname(socket), 0o750)),
  ])
  expect(server.log()).not.toContain('error')
  await server.stop()
  await vault.stop()
})

test.runIf(isRoot)(
  'a server whose user may not open the socket ends with 2 and says so',
  { timeout: 30_000 },
  async () => {
    const folders = foldersOf(twoUsers)
    const vault = await startedAs(vaultUser, [
      program,
      'vault',
      '--socket',
      folders.socket,
      '--data',
      folders.vaultData,
    ])
    const stranger = { uid: serverUser.uid, gid: 64_003 }
    const serve = ['serve', '--vault-socket', folders.socket, '--data', folders.serverData, '--port', '0', '--json']
    const { status, stdout } = asUser(stranger, [program, ...serve])
    expect([status, JSON.parse(stdout)]).toEqual([
      2,
      { error: { message: expect.stringContaining(`may not open ${folders.socket}`) } },
    ])
    await vault.stop()
  },
)
