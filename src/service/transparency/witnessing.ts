import { type Note, type NoteSignature, readNote, writeNote } from '../../protocol/log/notes/note.ts'
import type { Log } from '../process/log.ts'
import { cosignedIdOf, type LogRow, type Store } from '../store/store.ts'
import { type Asking, askWitness } from './ask_witness.ts'
import type { OwnWitnesses } from './own_witnesses.ts'
import { type RememberedWitness, rememberWitness } from './remembered_witness.ts'

export type WitnessingParts = OwnWitnesses &
  Pick<Asking, 'post' | 'tiles'> & {
    readonly store: Pick<Store, 'keepLog'>
    readonly log: Log
    /** Stands in the lines of the log. */
    readonly about?: object
  }

export type Witnessing = {
  /** Takes the newest checkpoint of this node's log, and waits for nobody. */
  see(row: LogRow): void
  /** Why witnesses do not cosign now, for the operator. */
  troubles(): readonly string[]
  close(): Promise<void>
}

/** How long a witness may take for one checkpoint. The others wait so long for the next one at most. */
const askMsMax = 5_000
/** How often a pause is looked at that has ended, and what the database did not take. */
const tickMs = 1_000

/** The checkpoint that is being cosigned, with the cosignatures that are there, by their names in the policy. */
type Round = {
  readonly row: LogRow
  readonly note: Note
  readonly cosigned: Map<string, NoteSignature>
  /** So many of them are stored. */
  stored: number
}

/**
 * Asks the operator's witnesses to cosign each new checkpoint, all about the same one at a time. The newest one that a
 * quorum has cosigned is stored beside the newest one of all.
 */
export function startWitnessing({ witnesses, isQuorum, post, tiles, store, log, about }: WitnessingParts): Witnessing {
  const closing = new AbortController()
  const all = witnesses.map((witness) => rememberWitness(witness, log, about))
  let newest: LogRow | undefined
  let round: Round | undefined
  let running: Promise<void> | undefined
  let hasFailed = false

  async function work(): Promise<void> {
    while (newest !== undefined && !closing.signal.aborted) {
      if (round?.row !== newest) round = roundOf(newest)
      const current = round
      const due = all.filter((one) => one.isDue(current.note.text))
      if (due.length === 0) return storeCosigned(current)
      await Promise.allSettled(due.map((one) => ask(one, current)))
      await storeCosigned(current) // throws what was no fault of a witness
    }
  }

  async function ask(one: RememberedWitness, current: Round): Promise<void> {
    const { row, note, cosigned } = current
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(askMsMax)])
    const says = await askWitness(one.witness, { row, note, old: one.old() }, { post, tiles, signal })
    if (closing.signal.aborted) return
    if (says.kind !== 'cosigned') return one.fail(says)
    one.succeed(note.text, row.size)
    for (const [name, signature] of says.cosigned) cosigned.set(name, signature)
    await storeCosigned(current)
  }

  async function storeCosigned(current: Round): Promise<void> {
    const { row, note, cosigned, stored } = current
    if (cosigned.size <= stored || !isQuorum(new Set(cosigned.keys()))) return
    current.stored = cosigned.size
    const checkpoint = writeNote({ text: note.text, signatures: [...note.signatures, ...cosigned.values()] })
    const logId = cosignedIdOf(row.logId)
    const kept = { ...row, logId, checkpoint, last: new Uint8Array() }
    await store.keepLog({ logId, log: kept, bundles: [] }).catch((error) => {
      current.stored = stored
      throw error
    })
  }

  function go(): void {
    running ??= work()
      .then(() => {
        hasFailed = false
      })
      .catch((error: unknown) => {
        if (!hasFailed) log.warn({ error }, 'cosignatures could not be stored')
        hasFailed = true
      })
      .finally(() => {
        running = undefined
      })
  }

  const timer = setInterval(go, tickMs).unref()
  return {
    see(row) {
      newest = row
      go()
    },
    troubles: () => all.flatMap((one) => one.trouble() ?? []),
    async close() {
      clearInterval(timer)
      closing.abort()
      await running
    },
  }
}

function roundOf(row: LogRow): Round {
  const note = readNote(row.checkpoint)
  if (note.kind === 'malformed') throw new Error(`the vault signed no checkpoint: ${note.reason}`)
  return { row, note: note.value, cosigned: new Map(), stored: 0 }
}
