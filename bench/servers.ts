import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { openConnection } from './connection.ts'
import { activityBody, type Credentials, createStamper } from './stamping.ts'

export type Server = {
  readonly url: string
  readonly process: ChildProcess
  stop(): Promise<void>
}

const repository = join(import.meta.dirname, '..')

/**
 * Starts the real server on a folder, and returns it with the credentials of its first organization. `root` is the
 * folder of the program, if it is not this repository.
 */
export async function startClaviger(
  data: string,
  { root = repository, more = [] }: { readonly root?: string; readonly more?: readonly string[] } = {},
): Promise<Server & { readonly credentials: Credentials }> {
  const server = await startServer(root, 'bin/claviger', ['dev', '--port', '0', '--data', data, ...more])
  const credentials: Credentials = JSON.parse(await readFile(join(data, 'credentials.json'), 'utf8'))
  return { ...server, credentials }
}

export function startLimitServer(data: string): Promise<Server> {
  return startServer(repository, process.execPath, ['bench/limit_server.ts', data])
}

/** Starts a program in a folder. Resolves once the program prints its address. */
async function startServer(root: string, program: string, programArguments: readonly string[]): Promise<Server> {
  const child = spawn(program, programArguments, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${program} exited with ${code} before it was ready`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /ready on (http:\S+)/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  return {
    url,
    process: child,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

export type Client = { readonly url: string; readonly credentials: Credentials }

/** Sends one activity and returns its result; throws unless the answer is a 200. */
export async function submit(
  client: Client,
  { name, type, parameters }: { readonly name: string; readonly type: string; readonly parameters: object },
): Promise<Readonly<Record<string, unknown>>> {
  const body = activityBody(client.credentials.organizationId, type, parameters)
  const { activity } = await post(client, `/public/v1/submit/${name}`, body)
  const [result] = Object.values(members(members(activity).result))
  return members(result)
}

/** Makes a new wallet with an Ethereum account. */
export async function createSigner(client: Client): Promise<{ readonly walletId: string; readonly signWith: string }> {
  const account = {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/44'/60'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  }
  const { walletId, addresses } = await submit(client, {
    name: 'create_wallet',
    type: 'ACTIVITY_TYPE_CREATE_WALLET',
    parameters: { walletName: 'Bench', accounts: [account] },
  })
  if (!Array.isArray(addresses)) throw new Error('a wallet is answered with its addresses')
  return { walletId: String(walletId), signWith: String(addresses[0]) }
}

/** Sends one query and returns the answer; throws unless it is a 200. */
export function query(
  client: Client,
  { name, parameters }: { readonly name: string; readonly parameters: object },
): Promise<Readonly<Record<string, unknown>>> {
  const { organizationId } = client.credentials
  return post(client, `/public/v1/query/${name}`, { organizationId, ...parameters })
}

async function post(
  { url, credentials }: Client,
  path: string,
  body: object,
): Promise<Readonly<Record<string, unknown>>> {
  const connection = await openConnection(url)
  const answer = await connection.exchange(createStamper(credentials)(path, body))
  connection.close()
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${answer.body}`)
  return members(JSON.parse(answer.body.toString('utf8')))
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null)
    throw new Error('an answer without an object where there should be one')
  return { ...value }
}

/** Resident memory in bytes: of the process, and of the vault when it has one as a child. */
export async function residentMemory({
  process: { pid },
}: Server): Promise<{ own: number; vault: number | undefined }> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,rss=,args='])
  const rows = stdout
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((found) => found !== null)
    .map(([, id, parentId, kibibytes, command = '']) => ({
      id: Number(id),
      parentId: Number(parentId),
      bytes: Number(kibibytes) * 1024,
      command,
    }))
  const own = rows.find(({ id }) => id === pid)
  const vault = rows.find(({ parentId, command }) => parentId === pid && command.includes('vault/main.ts'))
  if (own === undefined) throw new Error('the server is gone')
  return { own: own.bytes, vault: vault?.bytes }
}
