import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { PublishedLog } from '../../../src/link/verbs.ts'
import { SecretBytes } from '../../../src/protocol/crypto/secret_bytes.ts'
import { hashOfLogEntry } from '../../../src/protocol/log/encode_entry.ts'
import { decodeLogEntry, type LoggedFact } from '../../../src/protocol/log/log_entry.ts'
import { tileWidth, writeEntries } from '../../../src/protocol/log/tree/tiles.ts'
import { type Frontier, rootOf } from '../../../src/protocol/log/tree/tree.ts'
import { consistencyProof, continues } from '../../../src/protocol/log/tree/tree_proofs.ts'
import type { BookedHead } from '../../../src/vault/books/booked_head.ts'
import { decisionBooks } from '../../../src/vault/books/decision_books.ts'
import { JournalUnavailable } from '../../../src/vault/books/journal/journal.ts'
import { openBooks } from '../../../src/vault/books/open_books.ts'
import { publishLog } from '../../../src/vault/books/transparency/publish_log.ts'
import { hashesOfBundle } from '../log_hashes.ts'
import { merkleTreeOf } from '../merkle_tree.ts'
import { journalPieces } from './journal_pieces.ts'
import { createLogModel, type ModelHead } from './log_model.ts'
import { losePower, type MemoryDisk, openMemoryJournal } from './memory_journal.ts'
import { noCopies } from './no_copies.ts'
import { createChance, createSchedule, type Life } from './schedule.ts'

type LogHistory = {
  readonly seed: number
  /** Whether the database drops, alters and rolls back what it has, and says what it likes. */
  readonly isHostile: boolean
}

/** How often each event happened, by its name. */
export type Happened = Map<string, number>

const steps = 100
const nowMs = 1_800_000_000_000
/** The journal of another node. */
const otherMaker = 'ff'.repeat(16)
const organizations = [1, 2, 3].map((number) => `01234567-89ab-7cde-8f01-00000000000${number}`)
const journalKey = new SecretBytes(new Uint8Array(32))
const emptyFolder = mkdtempSync(join(tmpdir(), 'claviger-log-histories-'))

type Decided = { readonly head: ModelHead; readonly base: string | undefined }

/**
 * Plays one random list of actions on the books of one journal, and on a model of its log. Throws when they differ, when
 * what left has no entry, or when a checkpoint does not continue those before it.
 */
export async function playLogHistory({ seed, isHostile }: LogHistory, happened: Happened): Promise<void> {
  const chance = createChance(seed)
  const schedule = createSchedule(chance)
  const disk: MemoryDisk = { payloads: [] }
  const database = { heads: new Map<string, ModelHead>(), bundles: new Map<number, Uint8Array>() }
  /** Earlier states of the database. */
  const copies: (typeof database)[] = []
  /** Commits whose outcome nobody knows. */
  const landing: Decided[] = []
  let held: Decided[] = []
  let committed: ModelHead[] = []
  let stored: readonly Uint8Array[] = []
  let isCalm = false
  let wasRestored = false

  let life: Life = { isOver: false }
  let warned = 0
  let books = await start()
  let deciding = decisionBooks(books)
  const model = createLogModel(books.journalId(), { nowMs })
  let frames = disk.payloads
  /** The entries as the books had them, their hashes, and the tree over these. */
  let entries: Buffer[] = []
  let hashes: Uint8Array[] = []
  let tree = merkleTreeOf(hashes)
  /** So many entries left the vault, or stand before one that did. */
  let leftUpTo = 0
  let shown = { size: 0, root: rootOf({ size: 0, hashes: [] }) }
  let isPublishing = false
  const broken: unknown[] = []

  const note = (what: string) => happened.set(what, (happened.get(what) ?? 0) + 1)
  const hex = () => Buffer.from(chance.bytes(16)).toString('hex')

  async function start() {
    let isStarted = false
    warned = 0
    const opened = await openBooks({
      ...{ directory: emptyFolder, key: journalKey, clock: { nowMs: () => nowMs }, randomBytes: chance.bytes },
      ...{ copies: noCopies, onSuperseded() {}, portions: { headBytes: 32_768, keys: 64 } },
      log: {
        warn() {
          warned += 1
        },
      },
      async openJournal(options) {
        const failures = () => (isCalm ? 0 : 0.03)
        const parts = { disk, life, schedule, chance, failures, isStarted: () => isStarted }
        return openMemoryJournal(parts, options)
      },
    })
    isStarted = true
    return opened
  }

  /** Calls `then` with the outcome unless the process dies before. */
  function track<T>(asked: Promise<T>, then: (outcome: T) => void, refused = () => {}): void {
    const ofLife = life
    asked
      .then((outcome) => {
        if (!ofLife.isOver) then(outcome)
      })
      .catch((error: unknown) => {
        if (!(error instanceof JournalUnavailable)) return broken.push(error)
        note('refused')
        return refused()
      })
  }

  function factOf(organizationId: string, makes: LoggedFact['makes']): LoggedFact {
    const documentDigest = `${hex()}${hex()}`
    const activity = { activityId: organizationId, version: 1, type: 'T', status: 'S', documentDigest }
    const restsOn = model.memory().newest.get(organizationId)
    const basis = restsOn && { version: restsOn.version, tag: restsOn.tag }
    return { atMs: nowMs, organizationId, activity, changeKey: hex(), restsOn: basis, makes }
  }

  const nothingSeen = { seen: new Map<string, number>(), counts: [] }

  function release(count: number): void {
    const facts = Array.from({ length: count }, () => factOf(chance.pick(organizations), undefined))
    const leaving = deciding.release({ ...nothingSeen, heads: [], made: [], facts, shown: [] })
    model.enter(facts)
    const upTo = model.memory().entries.length
    track(leaving, () => {
      if (survivors().size < upTo) throw new Error(`entry ${upTo - 1} left, and a killed process loses it`)
      leftUpTo = Math.max(leftUpTo, upTo)
      note('left')
    })
  }

  /** What a start would find if the process died now: the indexes beside the frames, and the size of the log. */
  function survivors() {
    const pieces = (disk.entered ?? []).flatMap(journalPieces)
    const indexes = pieces.flatMap((piece) => (piece.of === 'entry' ? [piece.index] : []))
    const first = model.disk().entries.length
    return { indexes, size: indexes.reduce((size, index) => (index === size ? size + 1 : size), first) }
  }

  /** Both compare the head, and take it up if it lies above the newest. */
  function take(head: ModelHead, takes: () => void): string {
    const expected = model.take(head)
    takes()
    const isTaken = books.newest(head.organizationId)?.tag === head.tag
    if (isTaken === ['newest', 'above'].includes(expected)) return expected
    if (!isTaken || !model.mayLeave(head)) throw new Error(`a head is ${expected}, and taken up: ${isTaken}`)
    model.leave(head)
    return 'above'
  }

  /** Returns whether the organization can be used. */
  function look(organizationId: string): boolean {
    const source = isHostile && chance.happens(0.1) && copies.length > 0 ? chance.pick(copies) : database
    const head = source.heads.get(organizationId)
    if (head === undefined) return model.memory().newest.get(organizationId) === undefined
    const compared = take(head, () => books.take(organizationId, bookedHeadOf(head)))
    note(`a head is ${compared}`)
    if (!isHostile && !wasRestored && !['newest', 'above'].includes(compared)) throw new Error('an incident')
    return compared === 'newest' || compared === 'above'
  }

  function nextOn(base: ModelHead | undefined, organizationId: string, maker: string): ModelHead {
    const line = base === undefined ? [] : [...base.line, base]
    return { organizationId, version: (base?.version ?? 0) + 1, tag: hex(), changeKey: hex(), maker, line }
  }

  function decide(): void {
    const organizationId = chance.pick(organizations)
    if (!look(organizationId)) return
    const base = model.memory().newest.get(organizationId)
    const head = nextOn(base, organizationId, books.journalId())
    const { version, tag, changeKey } = head
    const made = { ...factOf(organizationId, { version, tag }), changeKey }
    const facts = chance.happens(0.3) ? [made, factOf(chance.pick(organizations), undefined)] : [made]
    const heads = [{ organizationId, tag: base?.tag }]
    const shownHeads = [organizationId]
    const leaving = { ...nothingSeen, heads, made: [{ tag, facts }], facts: [], shown: shownHeads }
    model.decide(head, facts)
    track(
      deciding.release(leaving),
      (isReleased) => (isReleased ? held.push({ head, base: base?.tag }) : model.dismiss(tag)),
      () => model.dismiss(tag),
    )
  }

  function writeIfItHolds({ head, base }: Decided): boolean {
    const holds = database.heads.get(head.organizationId)?.tag === base
    if (holds || (isHostile && chance.happens(0.5))) database.heads.set(head.organizationId, head)
    return holds
  }

  function commit(): void {
    if (held.length === 0) return
    const decided = held.splice(chance.below(held.length), 1)[0] as Decided
    if (chance.happens(0.2)) {
      landing.push(decided) // The service does not know the outcome, and says nothing of it.
      return
    }
    const isWritten = writeIfItHolds(decided)
    if (isWritten || (isHostile && chance.happens(0.2))) {
      committed.push(decided.head)
    } else {
      books.dismiss([decided.head.tag])
      model.dismiss(decided.head.tag)
    }
    if (chance.happens(0.3)) copies.push(copyOf(database))
  }

  function confirm(): void {
    if (committed.length === 0) return
    const head = committed.splice(chance.below(committed.length), 1)[0] as ModelHead
    const { organizationId, tag } = head
    if (head.maker !== books.journalId()) {
      // It was decided before a restored database was accepted.
      const refused = deciding.settle([{ organizationId, head: bookedHeadOf(head), forgets: [] }])
      model.dismiss(tag)
      track(refused, () => {
        throw new Error('a head of an earlier journal was confirmed')
      })
      return
    }
    let settling: ReturnType<typeof deciding.settle> | undefined
    const wasTaken = model.isTaken(tag)
    const compared = take(head, () => {
      settling = deciding.settle([{ organizationId, head: bookedHeadOf(head), forgets: [] }])
    })
    const expected = compared === 'behind' && !wasTaken ? 'fork' : compared
    const dismiss = () => model.dismiss(tag)
    track(
      settling ?? Promise.reject(new Error('nothing is settled')),
      ([comparison]) => {
        dismiss()
        if (comparison !== expected) throw new Error(`a confirmed head is ${comparison}, not ${expected}`)
        if (comparison === 'fork') return
        if (!model.disk().entries.some(({ makes }) => makes?.tag === tag))
          throw new Error('a change is acknowledged, and its entry is not on disk')
        note('confirmed')
      },
      dismiss,
    )
  }

  function publish(): void {
    if (isPublishing) return
    isPublishing = true
    for (const bytes of stored) {
      if (!bundleAt(model.memory().forgotten / tileWidth)?.equals(bytes)) break
      model.forget(tileWidth)
      note('bundle forgotten')
    }
    const given = stored
    stored = []
    const over = () => {
      isPublishing = false
    }
    const told = publishLog(books, { keys: [], sign, signedHere: () => undefined }, { stored: given })
    track(
      told,
      (published) => {
        over()
        show(published)
        store(published)
      },
      over,
    )
  }

  /** The note of a checkpoint is its root. */
  function sign({ size, hashes: of }: Frontier): Uint8Array {
    if (size > model.disk().entries.length) throw new Error(`entries up to ${size} are signed, and not on disk`)
    const root = rootOf({ size, hashes: of })
    if (!tree.root(size).equals(root)) throw new Error(`the tree of ${size} entries has another root`)
    model.sign(size)
    return root
  }

  function show({ size, checkpoint, bundles, unfinished }: PublishedLog): void {
    const from = model.memory().forgotten / tileWidth
    for (const [at, { number, bytes }] of bundles.entries()) {
      if (number !== from + at || !bundleAt(number)?.equals(bytes)) throw new Error(`bundle ${number} is another one`)
    }
    if (!Buffer.concat(hashes.slice(size - (size % tileWidth), size)).equals(hashesOfBundle(unfinished)))
      throw new Error('other hashes')
    if (checkpoint === undefined) return
    if (size > model.disk().signed) throw new Error(`the checkpoint of ${size} entries is not on disk`)
    if (size < shown.size || !tree.root(size).equals(checkpoint)) throw new Error(`a checkpoint of ${size} is false`)
    const proof = consistencyProof({ from: shown.size, to: size }, tree.hashOf)
    if (!continues({ from: shown.size, to: size, fromRoot: shown.root, toRoot: checkpoint, proof }))
      throw new Error(`the checkpoint of ${size} entries does not continue that of ${shown.size}`)
    if (size > shown.size) note('checkpoint shown')
    shown = { size, root: checkpoint }
  }

  function store({ bundles }: PublishedLog): void {
    for (const { number, bytes } of bundles) {
      if (!isHostile || chance.happens(0.7)) database.bundles.set(number, bytes)
    }
    const found = bundles.map(({ number }) => database.bundles.get(number))
    const missing = found.indexOf(undefined)
    stored = found.slice(0, missing === -1 ? found.length : missing).flatMap((bytes) => bytes ?? [])
  }

  function bundleAt(number: number): Buffer | undefined {
    const found = entries.slice(number * tileWidth, (number + 1) * tileWidth)
    return found.length < tileWidth ? undefined : Buffer.from(writeEntries(found))
  }

  async function die({ powerIsLost }: { readonly powerIsLost: boolean }): Promise<void> {
    schedule.end(life)
    await setImmediate()
    if (powerIsLost) losePower(disk, chance)
    const { indexes } = survivors()
    const worthless = model.die(indexes)
    const { length } = model.memory().entries
    if (length < leftUpTo && !powerIsLost) throw new Error(`${leftUpTo} entries left, and ${length} are found`)
    note(powerIsLost ? (length < leftUpTo ? 'entries lost with the power' : 'power lost') : 'vault died')
    leftUpTo = Math.min(leftUpTo, length)
    life = { isOver: false }
    held = []
    committed = []
    isPublishing = false
    if (chance.happens(0.5)) stored = []
    books = await start()
    deciding = decisionBooks(books)
    frames = disk.payloads
    if (warned > 0 !== worthless > 0) throw new Error(`${worthless} entries are worthless, and warnings: ${warned}`)
    if (worthless > 0) note('worthless entries')
    const { from, entries: kept } = books.transparency.kept()
    entries = [...entries.slice(0, from), ...kept]
    hashes = entries.map(hashOfLogEntry)
    tree = merkleTreeOf(hashes)
    compare({ from })
  }

  /** Compares the books with the model; of the entries those from `from` on. */
  function compare({ from = entries.length } = {}): void {
    const { forgotten, entries: expected, newest, signed } = model.memory()
    const kept = books.transparency.kept()
    if (kept.from !== forgotten) throw new Error(`${kept.from} entries are forgotten, not ${forgotten}`)
    if (kept.from + kept.entries.length !== expected.length)
      throw new Error(`there are ${kept.from + kept.entries.length} entries, not ${expected.length}`)
    for (let index = from; index < expected.length; index += 1) {
      const entry = kept.entries[index - kept.from] ?? Buffer.of()
      if (!isDeepStrictEqual(decodeLogEntry(entry), expected[index])) throw new Error(`entry ${index} is another one`)
      if (index < entries.length) continue
      entries.push(entry)
      hashes.push(hashOfLogEntry(entry))
    }
    for (const organizationId of organizations) {
      if (books.newest(organizationId)?.tag !== newest.get(organizationId)?.tag)
        throw new Error(`the newest head of ${organizationId} is another one`)
    }
    if (signed < shown.size) throw new Error(`a checkpoint of ${shown.size} entries was shown, and is forgotten`)
  }

  function lie(): void {
    const { heads, bundles } = database
    const [number] = chance.happens(0.5) ? [...bundles.keys()] : [...bundles.keys()].reverse()
    const copy = copies.length === 0 ? undefined : chance.pick(copies)
    const kind = chance.below(4)
    if (kind === 0 && number !== undefined) bundles.delete(number)
    if (kind === 1 && number !== undefined) bundles.set(number, altered(bundles.get(number) ?? Buffer.of()))
    if (kind === 2 && copy !== undefined) for (const [id, head] of copy.heads) heads.set(id, head)
    if (kind === 3 && copy !== undefined)
      for (const key of bundles.keys()) if (!copy.bundles.has(key)) bundles.delete(key)
  }

  function altered(bytes: Uint8Array): Uint8Array {
    const changed = Uint8Array.from(bytes)
    const at = chance.below(changed.length)
    changed[at] = (changed[at] ?? 0) ^ (1 + chance.below(255))
    return changed
  }

  function restore(): void {
    const tags = [...held.map(({ head }) => head.tag), ...committed.map(({ tag }) => tag)]
    books.dismiss(tags)
    for (const tag of tags) model.dismiss(tag)
    held = []
    committed = []
    wasRestored = true
    const restoring = books.forgetHeads()
    model.restore(books.journalId())
    track(restoring, () => note('restored'))
  }

  function land(): void {
    const decided = landing.shift()
    if (decided !== undefined) writeIfItHolds(decided)
  }

  function changeElsewhere(): void {
    const organizationId = chance.pick(organizations)
    database.heads.set(organizationId, nextOn(database.heads.get(organizationId), organizationId, otherMaker))
  }

  async function step(): Promise<string | undefined> {
    const opened = await schedule.step()
    if (disk.payloads !== frames) model.frame()
    frames = disk.payloads
    return opened
  }

  async function settled(): Promise<void> {
    compare()
    while ((await step()) !== undefined) if (broken.length > 0) throw broken[0]
    compare()
  }

  /** With an honest database, all is in the log and all of that in the database once nothing fails any more. */
  async function endWell(): Promise<void> {
    isCalm = true
    while (landing.length > 0) land()
    await settled()
    await die({ powerIsLost: true })
    for (const organizationId of organizations) look(organizationId)
    for (let time = 0; time < 6; time += 1) {
      publish()
      await settled()
    }
    const { length } = entries
    const whole = Math.floor(length / tileWidth)
    if (shown.size !== length || model.memory().forgotten !== whole * tileWidth) throw new Error('not all is published')
    for (let number = 0; number < whole; number += 1) {
      if (!bundleAt(number)?.equals(database.bundles.get(number) ?? Buffer.of())) throw new Error('a bundle is missing')
    }
    const made = [...database.heads.values()].flatMap((head) => [...head.line, head])
    for (const { tag } of made.filter(({ maker }) => maker === books.journalId())) {
      const entered = model.memory().entries.filter(({ makes }) => makes?.tag === tag)
      if (entered.length !== 1) throw new Error(`a head has ${entered.length} entries`)
    }
  }

  const many = chance.happens(0.1) ? 250 : 3
  const restores = chance.happens(0.2) ? 0.5 : 0
  const actions: readonly (readonly [number, () => unknown])[] = [
    [8, () => release(1 + chance.below(chance.happens(0.5) ? many : 2))],
    ...([
      [6, decide],
      [6, commit],
      [8, confirm],
      [2, land],
      [5, publish],
      [2, changeElsewhere],
    ] as const),
    [3, () => look(chance.pick(organizations))],
    [3, () => die({ powerIsLost: chance.happens(0.5) })],
    [isHostile ? 4 : 0, lie],
    [restores, restore],
    [45, step],
  ]
  const total = actions.reduce((sum, [weight]) => sum + weight, 0)
  for (let count = 0; count < steps; count += 1) {
    let left = (chance.below(1_000_000) / 1_000_000) * total
    for (const [weight, act] of actions) {
      left -= weight
      if (left >= 0) continue
      await act()
      break
    }
    if (broken.length > 0) throw broken[0]
    compare()
  }
  if (isHostile) await settled()
  else await endWell()
}

function bookedHeadOf({ version, tag, changeKey, maker, line }: ModelHead): BookedHead {
  return { version, tag, changeKey, maker, below: new Map(line.map((head) => [head.maker, head])) }
}

function copyOf({ heads, bundles }: { heads: Map<string, ModelHead>; bundles: Map<number, Uint8Array> }) {
  return { heads: new Map(heads), bundles: new Map(bundles) }
}
