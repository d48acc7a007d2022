import { setTimeout as sleep } from 'node:timers/promises'
import { VaultError } from '../../src/link/channel/channel.ts'
import { encodeFrame, FrameDecoder } from '../../src/link/channel/frames.ts'
import type { CommitOutcome, VaultRequest } from '../../src/link/verbs.ts'
import type { BooksNews, BooksVerbs } from '../../src/vault/books/remote/messages.ts'
import { createSharedBooks } from '../../src/vault/books/remote/shared_books.ts'
import type { Decider } from '../../src/vault/process/decider_process.ts'
import { createSeveralVaults } from '../../src/vault/process/several_vaults.ts'
import { createVault } from '../../src/vault/process/vault.ts'
import { createLiftedAllowlists } from '../../src/vault/state/lifted_allowlists.ts'
import { createOperatorLinks } from '../../src/vault/state/operator_links.ts'

type VaultParts = Parameters<typeof createVault>[0]

/** With `CLAVIGER_TEST_VAULTS=2`, or more, each vault of a test is several that share their books. */
const count = Number(process.env.CLAVIGER_TEST_VAULTS ?? 1)

export function createTestVault(parts: VaultParts): ReturnType<typeof createSeveralVaults> {
  return count > 1 ? createInProcess(parts, count) : createVault(parts)
}

/**
 * Several vaults in one process. Their messages are the frames of the processes. Requests of one organization go to
 * different vaults by their operation, so that what one vault changes is what another one builds upon.
 */
function createInProcess(parts: VaultParts, count: number): ReturnType<typeof createSeveralVaults> {
  const { log } = parts
  let unsealedCount = 0
  const onUnsealed = () => {
    unsealedCount += 1
  }
  const several = createSeveralVaults({
    ...parts,
    count,
    log,
    spawn: (verbsFor) => startDecider(parts, { verbsFor, onUnsealed }),
  })
  const placeOf = ({ organizationId, path }: VaultRequest) => `${organizationId} ${path}`

  /** The first vault answers before the others join. A request that is asked twice is to meet the same vault. */
  async function othersJoined(): Promise<void> {
    for (let waits = 0; unsealedCount < count && waits < joinWaitsMax; waits += 1) await sleep(joinWaitMs)
    await sleep(joinWaitMs)
  }

  return {
    ...several,
    async unseal(state) {
      const found = await several.unseal(state)
      if (found.kind === 'unsealed') await othersJoined()
      return found
    },
    answer: (request) => several.answer({ ...request, organizationId: placeOf(request) }),
  }
}

const joinWaitMs = 10
const joinWaitsMax = 500

type Starting = { readonly verbsFor: (decider: Decider) => BooksVerbs; readonly onUnsealed: () => void }

function startDecider(parts: VaultParts, { verbsFor, onUnsealed }: Starting): Decider {
  const { clock, log } = parts
  const liftedAllowlists = createLiftedAllowlists()
  const operatorLinks = createOperatorLinks()
  const ask = new Proxy({} as BooksVerbs, {
    get: (_, verb) => async (argument?: unknown) => {
      const answer = Reflect.get(verbs, verb)
      return sent(await called(() => answer(sent(argument))))
    },
  })
  const { news, ...sharedBooks } = createSharedBooks(ask, {
    nowMs: clock.nowMs,
    onError: (error) => log.error({ error }, 'books'),
  })
  const vault = createVault({ ...parts, sharedBooks, liftedAllowlists, operatorLinks })
  const told: BooksNews = {
    ...news,
    async forgotten(what) {
      vault.dropHeld()
      await news.forgotten(what)
    },
    async lifted({ organizationId, ...times }) {
      liftedAllowlists.lift(organizationId, times)
    },
    async linked(link) {
      operatorLinks.add(link)
    },
  }
  const handlers = {
    ...vault,
    ...told,
    outcomes: async (outcomes: readonly CommitOutcome[]) => vault.takeOutcomes(outcomes),
  }
  const call = async (verb: string, argument: unknown) => {
    const answer = sent(await called(() => Reflect.get(handlers, verb)(sent(argument))))
    if (verb === 'unseal') onUnsealed()
    return answer
  }
  const decider: Decider = {
    channel: { call, close() {}, heard: () => 0, closed: new Promise(() => {}) },
    gone: new Promise(() => {}),
    end() {},
    async tell(verb, what) {
      await call(verb, what)
    },
  }
  const verbs = verbsFor(decider)
  return decider
}

/** What arrives of a value on the other side. */
function sent<T>(value: T): T {
  const [message] = new FrameDecoder().push(Buffer.from(encodeFrame({ value })))
  return (message as { readonly value: T }).value
}

/** Of an error, the other side gets the name and the message. */
async function called<T>(answer: () => Promise<T>): Promise<T> {
  try {
    return await answer()
  } catch (error) {
    throw error instanceof Error ? new VaultError(error) : error
  }
}
