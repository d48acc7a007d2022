import type { StampingKey } from './stamps.ts'

/** The logged-in user, and the key that stamps for them. Kept in IndexedDB, which keeps keys without showing them. */
export type Session = StampingKey & {
  /** `login`: a key made for this session, which ends. `apiKey`: a key of the user that was brought along. */
  readonly kind: 'login' | 'apiKey'
  readonly organizationId: string
  readonly organizationName: string
  readonly userId: string
  readonly userName: string
  /** The end of a login session. */
  readonly expiresAtMs?: number
  /** The passkeys that work at this address: the one that opened the session, and those that were made in it. */
  readonly credentialIds?: readonly string[]
}

/** Whose something is: a user of an organization. */
export type Owner = Pick<Session, 'organizationId' | 'userId'>

export function isSameOwner(one: Owner | undefined, other: Owner | undefined): boolean {
  return one?.organizationId === other?.organizationId && one?.userId === other?.userId
}

const databaseName = 'claviger'
const storeName = 'session'
const recordKey = 'current'

export async function readSession(): Promise<Session | undefined> {
  return inStore('readonly', (store) => store.get(recordKey))
}

/** Puts a session in the place of the one before. All that was kept beside that of another user is deleted with it. */
export async function keepSession(session: Session): Promise<void> {
  await inStore('readwrite', (store) => {
    const kept: IDBRequest<Session | undefined> = store.get(recordKey)
    kept.onsuccess = () => {
      if (!isSameOwner(kept.result, session)) store.clear()
      store.put(session, recordKey)
    }
    return kept
  })
}

/**
 * Keeps a key until the session ends, or one of another user takes its place. Throws if the session is not of this owner:
 * undefined where nobody is logged in.
 */
export async function keepBesideSession(owner: Owner | undefined, name: string, value: unknown): Promise<void> {
  await inStore('readwrite', (store) => {
    const kept: IDBRequest<Session | undefined> = store.get(recordKey)
    kept.onsuccess = () => {
      if (isSameOwner(kept.result, owner)) store.put(value, name)
      else store.transaction.abort()
    }
    return kept
  })
}

export async function readBesideSession(name: string): Promise<unknown> {
  return inStore<unknown>('readonly', (store) => store.get(name))
}

export async function dropBesideSession(name: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(name))
}

/** Deletes the session with its key, and all keys that were kept beside it. */
export async function dropSession(): Promise<void> {
  await inStore('readwrite', (store) => store.clear())
}

async function inStore<T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await openDatabase()
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(storeName, mode)
      const request = ask(transaction.objectStore(storeName))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error ?? new Error('the browser keeps nothing here'))
    })
  } finally {
    database.close()
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(databaseName, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(storeName)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the browser keeps nothing here'))
  })
}
