import { randomBytes, randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { apiKeyOf } from '../../../test/support/stamping.ts'
import { AdminError } from '../../link/admin_error.ts'
import { headsPerPageMax, type NamedHead, type Operator } from '../../link/heads.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { decodeLogEntry, noOrganizationId } from '../../protocol/log/log_entry.ts'
import { noId } from '../books/booked_head.ts'
import { openBooks } from '../books/open_books.ts'
import type { MadeHead } from '../state/draft/changes.ts'
import { createHeldDecisions } from '../state/held_decisions.ts'
import { createLiftedAllowlists } from '../state/lifted_allowlists.ts'
import { createOperatorLinks } from '../state/operator_links.ts'
import { createOperator } from './operator.ts'

const hourMs = 3_600_000
const hex = () => randomBytes(16).toString('hex')

async function opened(directory = join(mkdtempSync(join(tmpdir(), 'claviger-operator-')), 'mark')) {
  const logged: (readonly [object, string])[] = []
  const log = { warn: (fields: object, message: string) => logged.push([fields, message]) }
  const books = await openBooks({
    directory,
    key: new SecretBytes(Buffer.alloc(32, 7)),
    clock: { nowMs: Date.now },
    randomBytes,
    onSuperseded() {},
    log,
  })
  onTestFinished(() => books.close().catch(() => undefined))

  /** Puts a head on the books that this journal made for a new organization. */
  function book(version = 1): NamedHead {
    const head = { organizationId: randomUUID(), version, tag: hex() }
    const lineage = { maker: books.journalId(), changeKey: noId, below: new Map() }
    expect(books.take(head.organizationId, { ...head, ...lineage })).toBe('above')
    return head
  }
  const heldDecisions = createHeldDecisions(books, randomUUID)
  const clock = { nowMs: Date.UTC(2026, 0, 1) }
  const liftedAllowlists = createLiftedAllowlists()
  const operatorLinks = createOperatorLinks()
  const nowMs = () => clock.nowMs
  const operator = createOperator({ books, heldDecisions, liftedAllowlists, operatorLinks, randomBytes, nowMs, log })
  return { directory, books, book, heldDecisions, logged, clock, liftedAllowlists, operatorLinks, operator }
}

async function pagesOf(operator: Operator): Promise<readonly (readonly NamedHead[])[]> {
  const pages: (readonly NamedHead[])[] = []
  for (let cursor: number | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await operator.bookedHeads({ cursor })
    pages.push(page.heads)
    cursor = page.cursor
  }
  return pages
}

const byId = (heads: readonly NamedHead[]) => heads.toSorted((a, b) => (a.organizationId < b.organizationId ? -1 : 1))

describe('the list of heads on the books', () => {
  for (const count of [0, 1, headsPerPageMax, headsPerPageMax + 1, 2 * headsPerPageMax + 500]) {
    test(`has each of ${count} once, in bounded pages`, async () => {
      const { operator, book } = await opened()
      const heads = Array.from({ length: count }, (_, index) => book(index + 1))
      const pages = await pagesOf(operator)
      expect(byId(pages.flat())).toEqual(byId(heads))
      expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(headsPerPageMax)
    })
  }

  test('still has every head that it began with when organizations are added', async () => {
    const { operator, book } = await opened()
    const heads = Array.from({ length: headsPerPageMax + 1 }, () => book())
    const first = await operator.bookedHeads({})
    for (let added = 0; added < 5 * headsPerPageMax; added += 1) book()
    const second = await operator.bookedHeads({ cursor: first.cursor })
    const listed = new Set([...first.heads, ...second.heads].map(({ organizationId }) => organizationId))
    expect(heads.filter(({ organizationId }) => !listed.has(organizationId))).toEqual([])
  })

  test('ends when another list begins', async () => {
    const { operator, book } = await opened()
    for (let count = 0; count <= headsPerPageMax; count += 1) book()
    const { cursor } = await operator.bookedHeads({})
    const { cursor: other } = await operator.bookedHeads({})
    await expect(operator.bookedHeads({ cursor })).rejects.toThrow(AdminError)
    expect((await operator.bookedHeads({ cursor: other })).heads).toHaveLength(1)
    await expect(operator.bookedHeads({ cursor: other })).rejects.toThrow(AdminError)
  })

  test('of certain organizations leaves out those that are not on the books', async () => {
    const { operator, book } = await opened()
    const head = book(7)
    book()
    const organizationIds = [randomUUID(), head.organizationId]
    expect(await operator.bookedHeadsOf({ organizationIds })).toEqual([head])
  })
})

describe('accepting a restore', () => {
  test('forgets the heads, under a new journal id, and logs both ids', async () => {
    const { operator, book, books, logged } = await opened()
    const head = book(7)
    const oldJournalId = books.journalId()
    const accepted = await operator.acceptRestore()
    expect(accepted).toEqual({ oldJournalId, newJournalId: books.journalId(), organizations: 1 })
    expect(accepted.newJournalId).not.toBe(oldJournalId)
    expect(logged).toEqual([[accepted, expect.stringContaining('the operator accepted')]])
    expect(await pagesOf(operator)).toEqual([[]])
    const older = { version: 3, tag: hex(), maker: oldJournalId, changeKey: noId, below: new Map() }
    expect(books.take(head.organizationId, older)).toBe('above')
  })

  test('drops held decisions, which rest on the abandoned database', async () => {
    const { operator, heldDecisions, books } = await opened()
    const tag = hex()
    const made = [{ tag, sealedBytes: 100 } as MadeHead]
    const decisionId = heldDecisions.hold({ status: 200, body: Buffer.alloc(0), made })
    await operator.acceptRestore()
    expect(heldDecisions.take(decisionId)).toBeUndefined()
    expect(books.isTaken(tag)).toBe(false)
  })

  test('holds after a restart, and keeps counts and changes', async () => {
    const { operator, books, directory } = await opened()
    const changeKey = hex()
    const organizationId = randomUUID()
    const lineage = { maker: books.journalId(), changeKey, below: new Map() }
    books.take(organizationId, { version: 5, tag: hex(), ...lineage })
    const [name, countKey, atMs] = [hex(), hex(), Date.now()]
    books.count([{ name, countKey, amount: 60n, atMs, untilMs: atMs + hourMs }])
    const { newJournalId } = await operator.acceptRestore()
    await books.close()

    const again = await opened(directory)
    expect(again.books.journalId()).toBe(newJournalId)
    expect(again.books.newest(organizationId)).toBeUndefined()
    expect(again.books.isKnown(changeKey)).toBe(true)
    expect(again.books.amounts(name, undefined)).toMatchObject([{ amount: 60n }])
  })

  test('ends a list that was begun before', async () => {
    const { operator, book } = await opened()
    for (let count = 0; count <= headsPerPageMax; count += 1) book()
    const { cursor } = await operator.bookedHeads({})
    await operator.acceptRestore()
    await expect(operator.bookedHeads({ cursor })).rejects.toThrow(AdminError)
  })

  test('forgets nothing if the journal is closed, and says why', async () => {
    const { operator, book, books, logged } = await opened()
    const head = book()
    await books.close()
    await expect(operator.acceptRestore()).rejects.toThrow(/^the journal of the vault cannot be written/)
    expect(books.newest(head.organizationId)).toMatchObject({ tag: head.tag })
    expect(logged).toEqual([])
  })
})

describe('each act is an entry of the transparency log', () => {
  const until = '2026-01-01T00:10:00.000Z'
  const acts = [
    {
      name: 'accept_restore',
      run: ({ acceptRestore }: Operator) => acceptRestore(),
      document: { journal: expect.any(String), organizations: 1 },
    },
    {
      name: 'lift_ip_allowlist',
      run: ({ liftIpAllowlist }: Operator, organizationId: string) => liftIpAllowlist({ organizationId, minutes: 10 }),
      document: { until },
    },
    {
      name: 'make_link',
      run: ({ makeLink }: Operator, organizationId: string) => makeLink({ organizationId, userId: organizationId }),
      document: { publicKey: expect.any(String), until, userId: expect.any(String) },
    },
  ]

  /** An operator whose acts end with what the disk has when they begin to have an effect, as the process is killed. */
  async function killedAtEffects() {
    const started = await opened()
    const { books, directory, heldDecisions, clock } = started
    const copy = mkdtempSync(join(tmpdir(), 'claviger-killed-'))
    const kill = () => {
      cpSync(directory, copy, { recursive: true })
      throw new Error('killed')
    }
    const operator = createOperator({
      ...{ heldDecisions, randomBytes, nowMs: () => clock.nowMs, log: { warn() {} } },
      books: { ...books, forgetHeads: kill },
      ...{ liftedAllowlists: { lift: kill }, operatorLinks: { add: kill } },
    })
    return { ...started, operator, copy }
  }

  test.each(acts)('$name, on disk before it has an effect', async ({ name, run, document }) => {
    const { operator, book, copy } = await killedAtEffects()
    const head = book()
    const { organizationId } = head
    await expect(run(operator, organizationId)).rejects.toThrow('killed')
    const later = await opened(copy)
    const entered = () =>
      later.books.transparency
        .kept()
        .entries.map((bytes) => decodeLogEntry(bytes))
        .filter((one) => one?.document !== undefined)
    const [entry, ...others] = entered()
    expect(others).toEqual([])
    expect(entry).toMatchObject({ isOfOperator: true, activity: undefined, restsOn: undefined, makes: undefined })
    expect(entry?.organizationId).toBe(name === 'accept_restore' ? noOrganizationId : organizationId)
    const told = JSON.parse(entry?.document ?? '')
    expect(told).toEqual({ act: name, ...document })
    expect(Object.keys(told)).toEqual(Object.keys(told).toSorted())
    // The act itself is undone: the operator gives the command again.
    expect(later.books.newest(organizationId)?.tag).toBe(head.tag)
    await run(later.operator, organizationId)
    expect(entered()).toHaveLength(2)
  })

  test.each(acts)('$name, or it has no effect', async ({ run }) => {
    const { operator, book, books, liftedAllowlists, operatorLinks, clock } = await opened()
    const { organizationId, tag } = book()
    await books.close()
    await expect(run(operator, organizationId)).rejects.toThrow(
      /^the journal of the vault cannot be written \(.+\): mend that, then run the same command again$/,
    )
    expect(books.newest(organizationId)?.tag).toBe(tag)
    expect(liftedAllowlists.isLifted(organizationId, clock.nowMs)).toBe(false)
    expect(operatorLinks.all()).toEqual([])
  })
})

describe('an IP allowlist', () => {
  test('is lifted for the minutes that the operator names, and the log says so', async () => {
    const { operator, book, clock, liftedAllowlists, logged } = await opened()
    const [{ organizationId }, other] = [book(), book()]
    const startMs = clock.nowMs
    const lifted = { organizationId, until: '2026-01-01T00:15:00.000Z' }
    expect(await operator.liftIpAllowlist({ organizationId, minutes: 15 })).toEqual(lifted)
    expect(logged.at(-1)).toEqual([lifted, expect.stringContaining('lifted the IP allowlist')])
    const isLifted = (afterMs: number) => liftedAllowlists.isLifted(organizationId, startMs + afterMs)
    expect([isLifted(0), isLifted(15 * 60_000 - 1), isLifted(15 * 60_000)]).toEqual([true, true, false])
    expect(liftedAllowlists.isLifted(other.organizationId, startMs)).toBe(false)
  })

  test('of an organization that the books lack is not lifted', async () => {
    const { operator, logged } = await opened()
    const organizationId = randomUUID()
    const lifting = operator.liftIpAllowlist({ organizationId, minutes: 15 })
    const remedy = 'check the id; after accept-restore or with a new journal, send any request for it first'
    await expect(lifting).rejects.toThrow(
      new AdminError(`the vault knows no organization ${organizationId}: ${remedy}`),
    )
    expect(logged).toEqual([])
  })
})

describe('a link', () => {
  test('has a key of its own, whose private half nothing keeps, and is logged without it', async () => {
    const { operator, operatorLinks, book, logged, clock } = await opened()
    const { organizationId } = book()
    const whom = { organizationId, userId: randomUUID() }
    const [made, other] = [await operator.makeLink(whom), await operator.makeLink(whom)]
    expect(made).toEqual({
      ...whom,
      privateKey: expect.stringMatching(/^[0-9a-f]{64}$/),
      until: '2026-01-01T00:10:00.000Z',
    })
    expect(other.privateKey).not.toBe(made.privateKey)
    const { publicKey } = apiKeyOf(made.privateKey)
    const found = { ...whom, publicKey, createdAtMs: clock.nowMs }
    expect(operatorLinks.find({ organizationId, publicKey })).toMatchObject(found)
    expect(operatorLinks.find({ organizationId: whom.userId, publicKey })).toBeUndefined()
    expect(logged[0]).toEqual([
      { ...whom, until: made.until },
      expect.stringContaining("was made over the operator's socket"),
    ])
    expect(JSON.stringify([operatorLinks.all(), logged])).not.toContain(made.privateKey)
  })

  test('is made for no organization that the books lack, and the 101st replaces the first', async () => {
    const { operator, operatorLinks, book } = await opened()
    const userId = randomUUID()
    await expect(operator.makeLink({ organizationId: userId, userId })).rejects.toThrow(AdminError)
    const { organizationId } = book()
    const first = await operator.makeLink({ organizationId, userId })
    for (let made = 1; made <= 100; made += 1) await operator.makeLink({ organizationId, userId })
    expect(operatorLinks.all()).toHaveLength(100)
    expect(operatorLinks.find({ organizationId, ...apiKeyOf(first.privateKey) })).toBeUndefined()
  })
})
