import { Socket } from 'node:net'
import { type Handlers, openChannel } from '../../link/channel/channel.ts'
import type { Log } from '../../link/vault_log.ts'
import type { BooksNews, BooksVerbs } from '../books/remote/messages.ts'
import { createSharedBooks, type SharedBooks } from '../books/remote/shared_books.ts'
import { createLiftedAllowlists, type LiftedAllowlists } from '../state/lifted_allowlists.ts'
import { createOperatorLinks, type OperatorLinks } from '../state/operator_links.ts'
import type { Clock } from './clock.ts'

/** The descriptor on which a vault finds its socket to the books, where several vaults share these. */
export const booksDescriptor = 5

/** The argument behind the settings that makes the vault's process one of several. */
export const deciderArgument = 'decider'

/** The books have the disk to wait for, and other vaults that may be ended first. */
const askMsMax = 60_000

/** The things that one of several vaults gets from the process that keeps the books. */
export type Joined = {
  readonly sharedBooks: Pick<SharedBooks, 'books' | 'opened'>
  readonly liftedAllowlists: LiftedAllowlists
  readonly operatorLinks: OperatorLinks
  /** The verbs by which that process tells its news. */
  readonly handlers: (onForgotten: () => void) => Handlers
}

/** Joins the books. This process ends when they are gone: nothing that it remembers would hold. */
export function joinBooks({ clock, log }: { readonly clock: Pick<Clock, 'nowMs'>; readonly log: Log }): Joined {
  const channel = openChannel(new Socket({ fd: booksDescriptor }))
  void channel.closed.then((error) => {
    if (error !== undefined) log.warn({ error }, 'the books of the node are gone')
    process.exit(1)
  })
  const onError = (error: unknown) => log.error({ error }, 'the books did not take what they were told')
  const { books, opened, news } = createSharedBooks(asking(channel), { nowMs: clock.nowMs, onError })
  const liftedAllowlists = createLiftedAllowlists()
  const operatorLinks = createOperatorLinks()
  return {
    sharedBooks: { books, opened },
    liftedAllowlists,
    operatorLinks,
    handlers: (onForgotten) =>
      handlersOf({
        ...news,
        async forgotten(told) {
          onForgotten()
          await news.forgotten(told)
        },
        async lifted({ organizationId, ...times }) {
          liftedAllowlists.lift(organizationId, times)
        },
        async linked(link) {
          operatorLinks.add(link)
        },
      }),
  }
}

function asking(channel: ReturnType<typeof openChannel>): BooksVerbs {
  const verb = <V extends keyof BooksVerbs>(name: V): BooksVerbs[V] => {
    const ask = (argument?: unknown) => channel.call(name, argument, { deadlineMs: askMsMax, isUrgent: true })
    return ask as BooksVerbs[V]
  }
  return {
    ...{ head: verb('head'), take: verb('take'), amounts: verb('amounts'), count: verb('count') },
    ...{ release: verb('release'), settle: verb('settle'), lose: verb('lose'), dismiss: verb('dismiss') },
    sync: verb('sync'),
  }
}

/** Both ends are the vault's own, so what is told is not checked member by member. */
function handlersOf(news: BooksNews): Handlers {
  return new Map(
    Object.entries(news).map(([verb, take]) => [verb, take as (argument: unknown) => Promise<unknown>] as const),
  )
}
