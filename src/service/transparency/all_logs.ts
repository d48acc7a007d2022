import { type IndexedLog, logsMax, type Store } from '../store/store.ts'

/** All transparency logs of the deployment, page by page: nodes that are gone leave theirs for ever. */
export async function* allLogs(store: Pick<Store, 'logs'>): AsyncGenerator<IndexedLog, void, undefined> {
  let after: string | undefined
  do {
    const page = await store.logs(after)
    yield* page
    after = page.length < logsMax ? undefined : page.at(-1)?.logId
  } while (after !== undefined)
}
