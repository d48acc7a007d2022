import { createRounds } from '../../turns/rounds.ts'

/** Reads in one turn of the event loop: enough to carry out together the requests that begin together. */
export const readTogetherMax = 16
/** How long it may take, with what follows at once, such as an answer. */
export const sliceMs = 1

/** A connection that has something to read. */
export type Reader = { readOn(): void }

/**
 * The reads of one turn of the event loop. `endsMs` is set when the first of them begins. `owesFirst`: it has read a
 * rest, which may have used up the time, and nothing new yet.
 */
type Slice = { scheduled: number; endsMs: number; owesFirst: boolean }

/**
 * Shares the event loop among peers, and the turns of one among its connections. A turn of the event loop reads the new
 * bytes of several connections, and one piece of the rest of another. So clients that wait for answers do not wait
 * behind those that do not. However long that piece takes, something new is read after it. The rest waits for the next
 * turn, after everything else that waits there (docs/decisions/0060-connections.md).
 */
export class ReadingTurns {
  readonly #nowMs: () => number
  readonly #first = createRounds<Reader>()
  readonly #further = createRounds<Reader>()
  /** All readers of both. */
  readonly #waiting = new Set<Reader>()
  #next = newSlice()

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /**
   * Asks for one read. A connection that waits already gets no second one. `isNew`: everything that arrived before was
   * read.
   */
  ask(peer: object, reader: Reader, { isNew }: { readonly isNew: boolean }): void {
    if (this.#waiting.has(reader)) return
    this.#waiting.add(reader)
    const rounds = isNew ? this.#first : this.#further
    rounds.add(reader, [peer])
    this.#schedule()
  }

  /** Each read has an immediate of its own, so that the time counts what Node does after one, too. */
  #schedule(): void {
    const count = Math.min(readTogetherMax, this.#first.size + Math.min(1, this.#further.size))
    for (const slice = this.#next; slice.scheduled < count; slice.scheduled += 1) {
      setImmediate(() => this.#readOne(slice))
    }
  }

  #readOne(slice: Slice): void {
    const nowMs = this.#nowMs()
    if (slice === this.#next) {
      this.#next = newSlice()
      slice.endsMs = nowMs + sliceMs
      const further = this.#further.take()
      slice.owesFirst = further !== undefined
      this.#read(further ?? this.#first.take())
    } else if (slice.owesFirst || nowMs < slice.endsMs) {
      slice.owesFirst = false
      this.#read(this.#first.take())
    }
    slice.scheduled -= 1
    if (slice.scheduled === 0) this.#schedule()
  }

  #read(reader: Reader | undefined): void {
    if (reader === undefined) return
    this.#waiting.delete(reader)
    reader.readOn()
  }
}

function newSlice(): Slice {
  return { scheduled: 0, endsMs: 0, owesFirst: false }
}
