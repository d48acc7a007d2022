import { constants, openSync, readlinkSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { isatty } from 'node:tty'
import { codeIn, codeOf } from '../protocol/tools/error_codes.ts'
import { printable } from '../protocol/tools/printable.ts'
import { jsonLine } from './vault_log.ts'

/** Lines wait in memory up to this while nobody reads. Further ones are lost. */
export const waitingBytesMax = 1_048_576
/** How soon the next attempt follows while lines wait. */
const retryMs = 20
/** How long the end of the process waits for a reader that takes nothing. */
const silenceMsMax = 1_000

/** When the end of the process waits for no reader any more, on the clock of `performance`. */
let writingEndsMs = Number.POSITIVE_INFINITY

/** Bounds how long the lines that still wait are written at the end of the process, whoever reads them. */
export function endWritingAt(timeMs: number): void {
  writingEndsMs = timeMs
}

type Place = {
  readonly name: string
  readonly descriptor: number
  /** Node's own stream of the descriptor. */
  readonly stream: () => NodeJS.EventEmitter
}

/** `lines`: how many are lost with it. A line that says how many were lost stands for all of these. */
type Waiting = { readonly bytes: Uint8Array; readonly lines: number }

/**
 * Writes lines and never waits for whoever reads them. A reader that stands still or is gone, or a disk that is full,
 * costs lines and stops no request. Once lines can be written again, one says how many were lost. At the end of the
 * process the lines that still wait are written, as long as somebody reads them.
 */
export class LineOutput {
  readonly #place: Place
  readonly #waiting: Waiting[] = []
  #waitingBytes = 0
  /** How much of the first line is written. */
  #writtenBytes = 0
  #lost = 0
  /** Whether the last line that was written lacks its end. */
  #isTorn = false
  #descriptor: number | undefined
  #timer: NodeJS.Timeout | undefined
  #error: unknown

  constructor(place: Place) {
    this.#place = place
  }

  /**
   * Writes the lines of another process, which must not inherit the descriptor: the start and the end of a process make
   * one that it inherits wait again.
   */
  forward(lines: Readable): void {
    createInterface({ input: lines }).on('line', (line) => this.write(`${line}\n`))
  }

  /** `line` has its end. A character that a terminal would obey or hide is escaped, because others chose parts of it. */
  write(line: string): void {
    const bytes = Buffer.from(printable(line))
    // After a loss half of the room must be free, so that not every other line says that one was lost.
    const roomBytes = this.#lost === 0 ? waitingBytesMax : waitingBytesMax / 2
    if (this.#waitingBytes + bytes.length > roomBytes) this.#lost += 1
    else {
      this.#tellLost()
      this.#add({ bytes, lines: 1 })
    }
    if (this.#timer === undefined) this.#writeWaiting()
  }

  /** Why lines cannot be written, and the remedy. Undefined if they can, and if the reader is gone. */
  fault(): string | undefined {
    const code = codeOf(this.#error)
    if (code === undefined || code === 'EPIPE') return undefined
    return unwritable(this.#place, this.#error)
  }

  #add(waiting: Waiting): void {
    this.#waiting.push(waiting)
    this.#waitingBytes += waiting.bytes.length
  }

  #tellLost(): void {
    if (this.#lost === 0) return
    const line = jsonLine('warn', { lost: this.#lost }, 'lines were lost: they could not be written')
    this.#add({ bytes: Buffer.from(this.#isTorn ? `\n${line}` : line), lines: this.#lost })
    this.#lost = 0
  }

  #writeWaiting(): void {
    this.#timer = undefined
    try {
      for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) this.#writeOnce(first)
    } catch (error) {
      // Nobody has read what was written before.
      if (codeOf(error) === 'EAGAIN') this.#timer = setTimeout(() => this.#writeWaiting(), retryMs).unref()
      else this.#loseWaiting(error)
    }
  }

  /** Writes what fits of the first line. */
  #writeOnce({ bytes }: Waiting): void {
    this.#descriptor ??= this.#open()
    this.#writtenBytes += writeSync(this.#descriptor, bytes, this.#writtenBytes)
    this.#error = undefined
    if (this.#writtenBytes < bytes.length) return
    this.#waiting.shift()
    this.#waitingBytes -= bytes.length
    this.#writtenBytes = 0
    this.#isTorn = false
    if (this.#waiting.length === 0) this.#tellLost()
  }

  #loseWaiting(error: unknown): void {
    this.#error = error
    for (const { lines } of this.#waiting.splice(0)) this.#lost += lines
    this.#waitingBytes = 0
    this.#isTorn ||= this.#writtenBytes > 0
    this.#writtenBytes = 0
  }

  /** Returns a descriptor whose writes fail with EAGAIN where they would wait. */
  #open(): number {
    process.once('exit', () => this.#writeAtExit())
    const { descriptor, stream } = this.#place
    if (!isatty(descriptor)) {
      // Node makes a pipe or a socket one that does not wait when it makes its stream. Nothing is written to the stream.
      stream().on('error', () => {})
      return descriptor
    }
    try {
      // Ctrl-S stops a terminal. A descriptor of its own leaves that of the shell as it is.
      return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
    } catch {
      return descriptor
    }
  }

  #writeAtExit(): void {
    const pause = new Int32Array(new SharedArrayBuffer(4))
    let silentSinceMs = performance.now()
    let left = this.#leftBytes()
    for (;;) {
      this.#writeWaiting()
      if (this.#waiting.length === 0) return
      if (this.#leftBytes() < left) silentSinceMs = performance.now()
      left = this.#leftBytes()
      if (performance.now() > Math.min(silentSinceMs + silenceMsMax, writingEndsMs)) return
      Atomics.wait(pause, 0, 0, retryMs)
    }
  }

  #leftBytes(): number {
    return this.#waitingBytes - this.#writtenBytes
  }
}

/** Says for the operator why nothing can be written to a place, and the remedy. */
export function unwritable({ name, descriptor }: Omit<Place, 'stream'>, error: unknown): string {
  return `${name}${pathOf(descriptor)} cannot be written${codeIn(error)}: make room there, or lead it elsewhere`
}

function pathOf(descriptor: number): string {
  try {
    return `, which is ${readlinkSync(`/proc/self/fd/${descriptor}`)},`
  } catch {
    return '' // no Linux
  }
}

/** The output for the log of every process. */
export const standardError = new LineOutput({ name: 'standard error', descriptor: 2, stream: () => process.stderr })
