import type { Store, WaitingOrganization } from '../../../src/service/store/store.ts'

type Due = Omit<Parameters<Store['dueMessages']>[0], 'organizationId' | 'limit'>

/** The messages of all organizations that are due now, in the order of their ids. */
export async function dueMessagesOfAll(
  store: Pick<Store, 'dueMessages' | 'nextMessageOrganization'>,
  { channel, nowMs }: Due,
) {
  const due: Awaited<ReturnType<Store['dueMessages']>>[number][] = []
  let next: WaitingOrganization | undefined
  for (let after = ''; ; after = next.organizationId) {
    next = await store.nextMessageOrganization({ channel, after, exceptParent: '', nowMs })
    if (next === undefined) return due.toSorted((a, b) => (a.messageId < b.messageId ? -1 : 1))
    due.push(...(await store.dueMessages({ organizationId: next.organizationId, channel, nowMs, limit: 1_000 })))
  }
}
