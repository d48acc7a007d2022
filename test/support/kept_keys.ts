import type { Page } from './browser.ts'

/** Everything that the browser keeps for the page's origin: what IndexedDB holds, and the texts in its storages. */
export type Kept = {
  readonly keys: readonly { readonly kind: string; readonly extractable: boolean }[]
  /** The number of all entries of all databases, whatever they are. */
  readonly entries: number
  readonly texts: string
}

export function keptBy(page: Page): Promise<Kept> {
  return page.evaluate(`async () => {
    const done = (request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    const all = []
    for (const { name } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name))
      for (const store of database.objectStoreNames) {
        all.push(...(await done(database.transaction(store).objectStore(store).getAll())))
      }
      database.close()
    }
    return {
      keys: all.flatMap(({ kind, key }) => (key instanceof CryptoKey ? [{ kind, extractable: key.extractable }] : [])),
      entries: all.length,
      texts: JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie + (await caches.keys()).join(),
    }
  }`)
}
