import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'

/** In the order of a request and then of its log, with the process that comes to each. */
export const points = {
  /** The rules allow it and the operation has run. The activity is not sealed. */
  decided: 'vault',
  /** All is sealed. Nothing has left the vault, and nothing is on the books. */
  sealed: 'vault',
  /** A decision that makes no head has its entry in the transparency log, perhaps in no frame. Nobody knows of it. */
  entered: 'vault',
  /** Something waits for its frame in the journal: a head with its entry, or entries alone. */
  framing: 'vault',
  /** The database has acknowledged the commit. The books do not know the heads. */
  committed: 'service',
  /** The heads are on the books and on disk. The service has not heard of it. */
  booked: 'vault',
  /** The service has the answer. The client has none. */
  answered: 'service',
  /** A checkpoint of the log is on disk. It is not shown. */
  signed: 'vault',
  /** The database has bundles of the log. The journal has not forgotten them. */
  stored: 'service',
} as const

export type Point = keyof typeof points

/** `pids`: whom to kill. When it is empty, the process that comes to the point. */
export type Order = { readonly point: Point; readonly pids: readonly number[] }

/** Node takes any text with this option, and keeps it where the processes of a server find it. */
const option = '--conditions=kill-orders:'

/** The option for Node with which the processes of a server look for orders in `file`. */
export const killOption = (file: string) => `${option}${file}`

/** The option with which this process was started. */
export const ownOption = process.execArgv.find((argument) => argument.startsWith(option))

const ownFile = ownOption?.slice(option.length)

/** Gives an order. The file is gone when it was carried out. */
export function order(file: string, given: Order): void {
  writeFileSync(`${file}.new`, JSON.stringify(given))
  renameSync(`${file}.new`, file)
}

/** Carries out an order for this point. Does not return if this process is killed. */
export function reached(point: Point): void {
  const given = ownFile && read(ownFile)
  if (!given || given.point !== point || !isFirst(ownFile)) return
  const pids = given.pids.length === 0 ? [process.pid] : given.pids
  // This process last: it could not kill the others afterwards.
  for (const pid of [...pids.filter((one) => one !== process.pid), ...pids.filter((one) => one === process.pid)]) {
    kill(pid)
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

function read(file: string): Order | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function isFirst(file: string): boolean {
  try {
    unlinkSync(file)
    return true
  } catch {
    return false
  }
}
