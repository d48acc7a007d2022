import { lstat, rm } from 'node:fs/promises'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { codeIn, codeOf } from '../protocol/tools/error_codes.ts'
import { AdminError, AdminUnreachable } from './admin_error.ts'
import { makeFolder } from './make_folder.ts'

/**
 * A socket for the operator: every process that may open the file may ask. Each connection carries one request, which
 * is a line of JSON `{ verb, argument }`. The answer is one line `{ result }` or `{ error: { message } }`.
 */
export type AdminHandlers = ReadonlyMap<string, (argument: unknown) => Promise<unknown>>

const lineBytesMax = 1_048_576
const deadlineMs = 30_000
/** Longer paths do not fit into a socket's address (108 bytes on Linux, 104 elsewhere). */
const pathBytesMax = 103

type AdminSocket = { readonly path: string; readonly handlers: AdminHandlers }

export async function serveAdmin({
  path,
  handlers,
}: AdminSocket): Promise<{ close(over?: AbortSignal): Promise<void> }> {
  refuseLongPath(path)
  await makeFolder(dirname(path))
  const open = new Set<Socket>()
  const waiting = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    waiting.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      waiting.delete(socket)
    })
    void answer(socket, handlers, () => waiting.delete(socket))
  })
  await listenAt(server, { path, mode: 0o600, taken: `another server is running on this data folder (${path})` })
  return {
    close: (over) =>
      new Promise((resolve) => {
        server.close(() => resolve())
        // Closing waits for requests that are being answered, not for connections that have not asked yet.
        for (const socket of waiting) socket.destroy()
        const end = () => {
          for (const socket of open) socket.destroy()
        }
        over?.addEventListener('abort', end)
        if (over?.aborted) end()
      }),
  }
}

type AdminCall = {
  readonly path: string
  readonly verb: string
  readonly argument: unknown
}

export async function callAdmin({ path, verb, argument }: AdminCall): Promise<unknown> {
  refuseLongPath(path)
  const socket = await connect(path)
  if (socket instanceof Error) throw unreachable(path, socket)
  socket.end(`${JSON.stringify({ verb, argument })}\n`)
  const reply = parsedReply(await readLine(socket))
  if (typeof reply !== 'object' || reply === null) throw new AdminError('the server gave no answer')
  const error: unknown = Reflect.get(reply, 'error')
  if (typeof error === 'object' && error !== null) throw new AdminError(shown(Reflect.get(error, 'message')))
  return Reflect.get(reply, 'result')
}

function unreachable(path: string, cause: Error): AdminUnreachable {
  const text = isNobodyThere(cause)
    ? `no server is running on ${path}: start one with \`claviger serve\``
    : codeOf(cause) === 'EACCES'
      ? `this user may not open ${path}: run this command as the user of that server`
      : `the server on ${path} takes no connection now${codeIn(cause)}: try again`
  return new AdminUnreachable(text, { cause })
}

/** Returns undefined if the line is no JSON. An error of the parser would quote it. */
function parsedReply(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Returns a text without what controls the terminal of the operator: a service that was taken over may send it. */
function shown(text: unknown): string {
  return String(text).replaceAll(/[\p{Cc}\p{Cf}]/gu, '\uFFFD')
}

async function answer(socket: Socket, handlers: AdminHandlers, asked: () => void): Promise<void> {
  socket.setTimeout(deadlineMs, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  try {
    const request: unknown = JSON.parse(await readLine(socket))
    asked()
    const verb: unknown = typeof request === 'object' && request !== null ? Reflect.get(request, 'verb') : undefined
    const handler = typeof verb === 'string' ? handlers.get(verb) : undefined
    if (handler === undefined || typeof request !== 'object' || request === null) {
      throw new AdminError(`there is no verb ${String(verb)}`)
    }
    const result = await handler(Reflect.get(request, 'argument'))
    socket.end(`${JSON.stringify({ result })}\n`)
  } catch (error) {
    const message = error instanceof Error ? error.message : 'failed'
    socket.end(`${JSON.stringify({ error: { message } })}\n`)
  }
}

function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let receivedBytes = 0
    socket.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length
      // A line that is too long is read to its end and dropped, because a caller sees no answer before it has written.
      const ends = chunk.includes(0x0a)
      if (receivedBytes <= lineBytesMax) chunks.push(chunk)
      if (!ends) return
      if (receivedBytes > lineBytesMax) reject(new AdminError(`the message is longer than ${lineBytesMax} bytes`))
      else resolve(Buffer.concat(chunks).toString().split('\n', 1)[0] ?? '')
    })
    socket.once('end', () => reject(new AdminError('the message ended early')))
    socket.once('error', (cause) => reject(new AdminError('the connection was closed', { cause })))
    socket.once('close', () => reject(new AdminError('the connection was closed')))
  })
}

/**
 * Listens on a socket file of this mode. The file of a killed process is replaced. Throws `AdminError`, with the message
 * `taken` if a process listens there.
 */
export async function listenAt(
  server: Server,
  { path, mode, taken }: { readonly path: string; readonly mode: number; readonly taken: string },
): Promise<void> {
  refuseLongPath(path)
  await removeStale(path, taken)
  await listenWithMode(server, path, mode)
}

async function removeStale(path: string, taken: string): Promise<void> {
  const file = await lstat(path).catch(() => undefined)
  if (file === undefined) return
  if (!file.isSocket()) throw new AdminError(`${path} is not a socket: move it away`)
  const running = await connect(path)
  if (running instanceof Error && isNobodyThere(running)) return rm(path, { force: true })
  if (!(running instanceof Error)) running.destroy()
  // EAGAIN: more connections wait than it has places for.
  else if (codeOf(running) !== 'EAGAIN') {
    throw new AdminError(`${path} may be in use, and cannot be asked${codeIn(running)}: move it away`, {
      cause: running,
    })
  }
  throw new AdminError(taken)
}

/** The mode holds from the moment that the file exists. A mode that is set afterwards would come late. */
function listenWithMode(server: Server, path: string, mode: number): Promise<void> {
  const umask = process.umask(0o777 & ~mode)
  try {
    return new Promise((resolve, reject) => {
      server.once('error', (cause) => {
        const remedy = 'the user of this process must be able to write to its folder'
        reject(new AdminError(`${path} cannot be made a socket${codeIn(cause)}: ${remedy}`, { cause }))
      })
      server.listen(path, resolve)
    })
  } finally {
    process.umask(umask)
  }
}

function connect(path: string): Promise<Socket | Error> {
  return new Promise((resolve) => {
    const socket = createConnection(path)
    socket.once('connect', () => resolve(socket))
    socket.once('error', resolve)
  })
}

/** Whether the error of a connection says that no process listens there. Any other one leaves that open. */
function isNobodyThere(error: Error): boolean {
  return codeOf(error) === 'ECONNREFUSED' || codeOf(error) === 'ENOENT'
}

function refuseLongPath(path: string): void {
  if (Buffer.byteLength(path) <= pathBytesMax) return
  throw new AdminError(`${path} is longer than a socket's path may be (${pathBytesMax} bytes): use a shorter --data`)
}
