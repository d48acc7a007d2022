import { type BookedHead, type Comparison, noId } from '../../../src/vault/books/booked_head.ts'
import type { Books } from '../../../src/vault/books/books.ts'

/** One change of a line of heads: the head that it made, the request that asked for it, and the journal of its vault. */
export type Step = { readonly tag: string; readonly request: string; readonly maker: string }

/** A change that an answer to a client called done. */
export type Promised = Pick<Step, 'tag' | 'request'>

export type Answered = {
  readonly request: string
  /** The head that the request made, or else the newest head when it was decided or shown. */
  readonly base: string
  /** The head that the change made, if the request was a change. */
  readonly made?: string | undefined
  /** The amount, if the request was a payment. */
  readonly amount: number
}

/**
 * Sees everything, as no part of the system does, and throws when a promise is broken. It knows the whole line below
 * each head. A node is a number.
 */
export type Witness = {
  headWasMade(head: Step & { readonly below: string }): void
  /** The changes that this node has acknowledged. Every later decision of its vault must rest on them. */
  acknowledgedBy(node: number): readonly Promised[]
  /**
   * The changes on which a client of this node may count: those of all nodes, unless the database keeps nodes apart.
   */
  promisedBy(node: number): readonly Promised[]
  nodeHas(node: number, journalId: string): void
  wasReleased(node: number, decision: Answered, promised: readonly Promised[]): void
  /** Notes that a client got its answer: its request is done, and made a head or rests on one. */
  wasAnswered(node: number, answer: Answered, promised: readonly Promised[]): void
  /** The same books. Each comparison of heads by the books is checked against the whole lines. */
  watched(books: Books): { readonly books: Books; readonly lose: (tags: readonly string[]) => void }
}

export function createWitness(
  firstTag: string,
  { limit, isHostile, nodes }: { readonly limit: number; readonly isHostile: boolean; readonly nodes: number },
): Witness {
  const lines = new Map<string, readonly Step[]>([[firstTag, [{ tag: firstTag, request: 'the first', maker: noId }]]])
  /** The acknowledged changes, by node. */
  const acknowledged = Array.from({ length: nodes }, () => new Map<string, Promised>())
  /** The payments that left each vault, and the payments that any node acknowledged. */
  const released = acknowledged.map(() => new Map<string, number>())
  const journals: string[] = []
  const paid = new Map<string, number>()
  const areApart = isHostile && nodes > 1

  function of<T>(all: readonly T[], node: number): T {
    const found = all[node]
    if (found === undefined) throw new Error(`there is no node ${node}`)
    return found
  }

  function lineOf(tag: string): readonly Step[] {
    const line = lines.get(tag)
    if (line === undefined) throw new Error(`nobody made the head ${tag}`)
    return line
  }

  function requireAll(promised: readonly Promised[], base: string, what: string): void {
    const line = lineOf(base)
    const missing = promised.find(({ tag }) => !line.some((step) => step.tag === tag))
    if (missing !== undefined)
      throw new Error(`${what} rests on a line without ${missing.request}, which was acknowledged`)
  }

  function pay(payments: Map<string, number>, { request, amount }: Answered): void {
    if (amount === 0) return
    payments.set(request, amount)
    const sum = [...payments.values()].reduce((before, each) => before + each, 0)
    if (sum > limit) throw new Error(`${sum} is more than the limit: ${[...payments.keys()].join(', ')}`)
  }

  /**
   * Compares a head with the newest by the whole lines. `lost`: heads that the store said it has not written. The
   * function looks for a lost head in the part of the line that this journal had not seen, from the last head that it
   * made on.
   */
  function comparisonOf(
    newest: BookedHead | undefined,
    head: BookedHead,
    { lost, journalId }: { readonly lost: ReadonlySet<string>; readonly journalId: string },
  ): Comparison {
    if (newest === undefined) return lost.has(head.tag) ? 'fork' : 'above'
    if (head.version < newest.version) return 'behind'
    if (head.tag === newest.tag) return 'newest'
    const line = lineOf(head.tag)
    const from = line.findIndex(({ tag }) => tag === newest.tag)
    const own = line.slice(0, -1).findLastIndex(({ maker }) => maker === journalId)
    const unknown = line.slice(own === -1 ? from : Math.min(from, own))
    return from === -1 || unknown.some(({ tag }) => lost.has(tag)) ? 'fork' : 'above'
  }

  /**
   * Where nodes are apart, a vault may leave a head of another journal for a later head of that journal whose line
   * lacks it: a head names only the newest head of each journal. A vault never leaves a head that it made itself.
   */
  function mayLeave(newest: BookedHead | undefined, head: BookedHead, journalId: string): boolean {
    if (!areApart || newest === undefined || newest.maker === journalId) return false
    const tags = new Set(lineOf(head.tag).map(({ tag }) => tag))
    return lineOf(newest.tag).every(({ maker, tag }) => maker !== journalId || tags.has(tag))
  }

  function acknowledgedBy(node: number): readonly Promised[] {
    return [...of(acknowledged, node).values()]
  }

  return {
    acknowledgedBy,
    promisedBy: (node) => (areApart ? acknowledgedBy(node) : acknowledged.flatMap((steps) => [...steps.values()])),

    headWasMade({ below, ...step }) {
      const { tag, request } = step
      const line = [...lineOf(below), step]
      lines.set(tag, line)
      // Where nodes are apart, a database may hide from a vault a change that another made before heads that it
      // skipped.
      const same = line.filter((each) => each.request === request && (!areApart || each.maker === step.maker))
      if (same.length > 1) throw new Error(`${request} is done twice`)
    },

    nodeHas(node, journalId) {
      journals[node] = journalId
    },

    wasReleased(node, decision, promised) {
      requireAll(promised, decision.base, `what left the vault for ${decision.request}`)
      pay(of(released, node), decision)
    },

    wasAnswered(node, answer, promised) {
      const { request, base, made } = answer
      requireAll(promised, base, `the answer to ${request}`)
      if (!areApart) pay(paid, answer)
      if (made === undefined) return
      // Where nodes are apart, a vault knows heads of others only by their versions, which tell it less.
      const isOwn = lineOf(made).at(-1)?.maker === journals[node]
      if (areApart && !isOwn) return
      requireAll([{ request, tag: made }], base, 'what is shown')
      of(acknowledged, node).set(request, { request, tag: made })
    },

    watched(books) {
      const lost = new Set<string>()
      const lose = (tags: readonly string[]) => {
        for (const tag of tags) lost.add(tag)
      }
      const take: Books['take'] = (organizationId, head) => {
        const newest = books.newest(organizationId)
        const journalId = books.journalId()
        const expected = comparisonOf(newest, head, { lost, journalId })
        const comparison = books.take(organizationId, head)
        if (comparison === expected) return comparison
        if (expected === 'fork' && comparison === 'above' && mayLeave(newest, head, journalId)) return comparison
        throw new Error(`a head is ${expected} by its line, and ${comparison} on the books`)
      }
      return { books: { ...books, take }, lose }
    },
  }
}
