import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Vault, VaultAnswer, VaultRequest } from '../../../src/link/verbs.ts'
import { SecretBytes } from '../../../src/protocol/crypto/secret_bytes.ts'
import type { Commit } from '../../../src/protocol/reads.ts'
import { createSubmit } from '../../../src/service/requests/submit.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { findWithLog } from '../../../src/service/transparency/log_reads.ts'
import { createPublish } from '../../../src/service/transparency/publisher.ts'
import { VaultUnavailable } from '../../../src/service/vault/client.ts'
import type { Books } from '../../../src/vault/books/books.ts'
import type { Journal } from '../../../src/vault/books/journal/journal.ts'
import { openBooks } from '../../../src/vault/books/open_books.ts'
import { openVaultState } from '../../../src/vault/keys/master_seed.ts'
import { createSeals } from '../../../src/vault/keys/seal.ts'
import type { Unsealer } from '../../../src/vault/keys/unsealer.ts'
import { createVault } from '../../../src/vault/process/vault.ts'
import type { Turns } from '../../../src/vault/state/turns.ts'
import { digestOfRow } from '../document_digests.ts'
import { losePower, type MemoryDisk, openMemoryJournal } from '../histories/memory_journal.ts'
import { noCopies } from '../histories/no_copies.ts'
import type { Chance, Life, Schedule } from '../histories/schedule.ts'
import { OutcomeUnknown } from './database.ts'
import { createLogWitness, type LogWitness } from './log_witness.ts'

/** The parts of a node that a planted fault replaces. */
export type Plants = {
  readonly books?: (books: Books) => Books
  readonly journal?: (journal: Journal, disk: MemoryDisk) => Journal
  readonly vault?: (vault: Verbs) => Verbs
}

export type Verbs = Pick<Vault, 'answer' | 'confirm' | 'publishLog'>
export type NodeStore = Pick<
  Store,
  'find' | 'activityBytes' | 'commit' | 'keepLog' | 'logBundle' | 'logs' | 'log' | 'bundleRoots' | 'logIndex'
>

export type Surroundings = {
  readonly chance: Chance
  readonly schedule: Schedule
  readonly nowMs: () => number
  readonly vaultState: () => Uint8Array
  readonly storeOf: (node: number, life: Life) => NodeStore
  /** The probability with which the disk of a journal refuses. */
  readonly failures: () => number
  readonly plants: Plants
  /** Called for what the vault lets out: its answer, also to a service that was taken over. */
  readonly left: (
    node: number,
    request: VaultRequest,
    answer: { readonly status: number; readonly body: Uint8Array },
  ) => void
  /** Called with the name of each count that is put on the books of a node. */
  readonly counted: (name: string) => void
  readonly incident: (cause: unknown) => void
  /** Called with the name of an event. */
  readonly happens: (what: string) => void
  /** Called for errors that no failure of a machine explains. */
  readonly broken: (error: unknown) => void
}

/** One machine with a service and its vault. Either both die together, or the vault alone. */
export type Node = {
  readonly number: number
  readonly disk: MemoryDisk
  readonly log: LogWitness
  service: {
    readonly life: Life
    readonly submit: ReturnType<typeof createSubmit>
    /** Publishes what is new in the transparency log, unless that is being done. */
    readonly publish: () => Promise<void>
  }
  vault: RunningVault
}

type Machine = Pick<Node, 'number' | 'disk' | 'log'>

type RunningVault = Verbs & {
  readonly whole: Vault
  readonly life: Life
  /** Rejects when the life is over. */
  readonly death: Promise<never>
  readonly die: () => void
}

/** The folder of every journal: the journals are in memory, and the folder stays empty. */
const folder = mkdtempSync(join(tmpdir(), 'claviger-simulation-'))
const portions = { headBytes: 32_768, keys: 64 }

/** Wraps a master seed in nothing. */
export const unsealer: Unsealer = {
  name: 'simulation',
  wrap: async (seed) => Uint8Array.from(seed.reveal()),
  unwrap: async (wrapped) => new SecretBytes(Uint8Array.from(wrapped)),
}

export async function startNode(around: Surroundings, number: number, disk: MemoryDisk): Promise<Node> {
  const masterSeeds = await openVaultState(unsealer, around.vaultState())
  const seals = createSeals({ masterSeeds, randomBytes: () => Uint8Array.of() })
  const digestOf = (activity: Commit['activities'][number]) => digestOfRow(seals, activity.organizationId, activity)
  const watching = { happens: around.happens, digestOf }
  const machine: Machine = { number, disk, log: guarded(around, createLogWitness(disk, watching)) }
  const vault = await startVault(around, machine)
  const node: Node = { ...machine, vault, service: startService(around, machine, () => node.vault) }
  return node
}

/** Ends the vault, or the whole machine, and starts it again. */
export async function crash(
  around: Surroundings,
  node: Node,
  { withService }: { readonly withService: boolean },
): Promise<void> {
  const { schedule } = around
  if (withService) {
    schedule.end(node.service.life)
    node.service = startService(around, node, () => node.vault)
  }
  schedule.end(node.vault.life)
  node.vault.die()
  await setImmediate()
  if (withService) losePower(node.disk, around.chance)
  node.log.died({ powerWasLost: withService })
  node.vault = await startVault(around, node)
}

function startService(around: Surroundings, { number, log }: Machine, vaultNow: () => RunningVault): Node['service'] {
  const { chance, schedule, incident, broken, storeOf } = around
  const life: Life = { isOver: false }
  const store = storeOf(number, life)
  let isPublishing = false

  async function asked<T>(name: string, call: (vault: RunningVault) => Promise<T>): Promise<T> {
    await schedule.pass(name, life)
    const vault = vaultNow()
    const answer = await Promise.race([call(vault), vault.death]).catch((error: unknown) => {
      if (!(error instanceof VaultUnavailable)) broken(error)
      throw error
    })
    if (chance.happens(0.3)) await schedule.pass('told', life)
    return answer
  }

  const submit = createSubmit({
    store: { ...store, find: findWithLog(store) },
    vault: {
      answer: (request) => asked('ask', (vault) => vault.answer(request)),
      confirm: (request) => asked('confirm', (vault) => vault.confirm(request)),
    },
    log: {
      debug() {},
      info() {},
      warn() {},
      error(fields, message) {
        if (message !== 'the database cannot be used') incident('error' in fields ? fields.error : message)
      },
    },
  })
  const publish = createPublish({
    vault: { publishLog: (request) => asked('publish', (vault) => vault.publishLog(request)) },
    store: {
      ...store,
      async logBundle(key) {
        const bytes = await store.logBundle(key)
        log.readBack(key.number, bytes)
        return bytes
      },
    },
  })

  async function publishUnlessRunning(): Promise<void> {
    if (isPublishing) return
    isPublishing = true
    try {
      await publish()
    } catch (error) {
      if (!(error instanceof VaultUnavailable) && !(error instanceof OutcomeUnknown)) broken(error)
    } finally {
      isPublishing = false
    }
  }

  return { life, submit, publish: publishUnlessRunning }
}

/** What the witness throws must not reach those whom it sees. */
function guarded({ broken }: Pick<Surroundings, 'broken'>, log: LogWitness): LogWitness {
  const guard =
    <A extends readonly unknown[]>(see: (...seen: A) => void) =>
    (...seen: A) => {
      try {
        see(...seen)
      } catch (error) {
        broken(error)
      }
    }
  const { left, shown, readBack, died } = log
  return { ...log, left: guard(left), shown: guard(shown), readBack: guard(readBack), died: guard(died) }
}

async function startVault(around: Surroundings, machine: Machine): Promise<RunningVault> {
  const { disk } = machine
  const { chance, schedule, nowMs, plants, failures, broken, counted } = around
  const life: Life = { isOver: false }
  let isStarted = false
  const whole = createVault({
    unsealer,
    journalDirectory: folder,
    clock: { nowMs },
    randomBytes: chance.bytes,
    oidcIssuers: [],
    oidcAudiences: [],
    ownIssuer: undefined,
    fetchJson: () => Promise.reject(new Error('there is no network here')),
    log: { warn() {}, error: (fields, message) => broken(new Error(message, { cause: fields })) },
    onSuperseded() {},
    turns: turnsOf(schedule, chance, life),
    async openBooks(options) {
      const books = await openBooks({
        ...options,
        portions,
        copies: noCopies,
        async openJournal(journalOptions) {
          const parts = { disk, life, schedule, chance, failures, isStarted: () => isStarted }
          const journal = openMemoryJournal(parts, journalOptions)
          return plants.journal?.(journal, disk) ?? journal
        },
      })
      const planted = { ...books, ...plants.books?.(books) }
      const count: Books['count'] = (entries) => {
        for (const { name } of entries) counted(name)
        planted.count(entries)
      }
      return { ...planted, count, lastMs: books.lastMs, isNew: books.isNew }
    },
  })
  const unsealed = await whole.unseal({ vaultState: around.vaultState() })
  if (unsealed.kind !== 'unsealed') throw new Error('the vault does not open')
  isStarted = true
  const { promise: death, reject } = Promise.withResolvers<never>()
  death.catch(() => {})
  const seen = seenBy(around, machine, whole)
  const verbs = plants.vault?.(seen) ?? seen
  return { ...verbs, whole, life, death, die: () => reject(new VaultUnavailable('the vault died')) }
}

/** Every request waits for its turn, and some wait again in the middle. */
function turnsOf(schedule: Schedule, chance: Chance, life: Life): Turns {
  const pause = () => (chance.happens(0.2) ? schedule.pass('pause', life) : undefined)
  return {
    async run(_asker, task) {
      await schedule.pass('turn', life)
      return task({ pause, takeTurnsOf() {} })
    },
  }
}

/** The same verbs. The decisions that leave the vault are told, with their answers, and so are checkpoints. */
function seenBy({ left }: Surroundings, { number, log }: Machine, vault: Verbs): Verbs {
  type Decided = { readonly request: VaultRequest; readonly commit: Extract<VaultAnswer, { kind: 'commit' }>['commit'] }
  const held = new Map<string, Decided>()
  return {
    async answer(request) {
      const answer = await vault.answer(request)
      if (answer.kind !== 'commit') return answer
      const { commit, outcome } = answer
      if (outcome.of === 'held') {
        held.set(outcome.decisionId, { request, commit })
      } else {
        left(number, request, outcome)
        log.left(commit)
      }
      return answer
    },
    async confirm({ decisionId }) {
      const decided = held.get(decisionId)
      const answer = await vault.confirm({ decisionId })
      if (answer.kind === 'answer' && decided !== undefined) {
        left(number, decided.request, answer)
        log.left(decided.commit)
      }
      return answer
    },
    async publishLog(request) {
      const published = await vault.publishLog(request)
      log.shown(published)
      return published
    },
  }
}
