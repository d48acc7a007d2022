/** What is read in one turn of the event loop: enough for what begins together to be carried out together. */
export const readTogetherMax = 16
/** How long it may take, with what follows at once, such as an answer. */
export const sliceMs = 1

/** A connection that has something to read. */
export type Reader = { readOn(): void }

/** The reads of one turn of the event loop. `endsMs` is set when the first of them begins. */
type Slice = { scheduled: number; endsMs: number }

/**
 * Shares the event loop among peers, and the turns of one among its connections. What is left waits for the next turn
 * of the event loop, after everything else that waits there (docs/decisions/0060-connections.md).
 */
export class ReadingTurns {
  readonly #nowMs: () => number
  /** By peer, in the order of their turns. */
  readonly #waiting = new Map<object, Line>()
  #count = 0
  #next: Slice = { scheduled: 0, endsMs: 0 }

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /**
   * Asks for one read. A connection that waits already gets no second one. `isFirst`: everything that arrived before was
   * read.
   */
  ask(peer: object, reader: Reader, { isFirst }: { readonly isFirst: boolean }): void {
    const line = this.#waiting.get(peer) ?? new Line()
    if (line.has(reader)) return
    line.add(reader, { isFirst })
    this.#waiting.set(peer, line)
    this.#count += 1
    this.#schedule()
  }

  /** Each read has an immediate of its own, so that the time counts what Node does after one, too. */
  #schedule(): void {
    const slice = this.#next
    if (slice.scheduled === readTogetherMax) return
    slice.scheduled += 1
    setImmediate(() => this.#readOne(slice))
  }

  #readOne(slice: Slice): void {
    const nowMs = this.#nowMs()
    if (slice === this.#next) {
      this.#next = { scheduled: 0, endsMs: 0 }
      slice.endsMs = nowMs + sliceMs
    }
    if (nowMs < slice.endsMs) this.#takeNext()?.readOn()
    slice.scheduled -= 1
    if (slice.scheduled > 0) return
    while (this.#next.scheduled < Math.min(this.#count, readTogetherMax)) this.#schedule()
  }

  #takeNext(): Reader | undefined {
    const [first] = this.#waiting
    if (first === undefined) return undefined
    const [peer, line] = first
    this.#waiting.delete(peer)
    const reader = line.take()
    if (line.size > 0) this.#waiting.set(peer, line)
    this.#count -= 1
    return reader
  }
}

/**
 * The connections of one peer. One that was read to its end and has something anew goes before those that have more
 * than was read, and one of these goes after it: who waits for answers does not wait behind those who do not.
 */
class Line {
  readonly #first = new Set<Reader>()
  readonly #further = new Set<Reader>()
  #isFurtherNext = false

  get size(): number {
    return this.#first.size + this.#further.size
  }

  has(reader: Reader): boolean {
    return this.#first.has(reader) || this.#further.has(reader)
  }

  add(reader: Reader, { isFirst }: { readonly isFirst: boolean }): void {
    if (isFirst) this.#first.add(reader)
    else this.#further.add(reader)
  }

  take(): Reader | undefined {
    const [next, other] = this.#isFurtherNext ? [this.#further, this.#first] : [this.#first, this.#further]
    const taken = next.size > 0 ? next : other
    this.#isFurtherNext = taken === this.#first
    const [reader] = taken
    if (reader !== undefined) taken.delete(reader)
    return reader
  }
}
