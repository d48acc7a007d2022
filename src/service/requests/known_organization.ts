import type { Store } from '../store/store.ts'

/**
 * The organization, if the database knows it. A stranger can name as many others as it likes. While the database cannot
 * be read, none is known.
 */
export async function knownOrganization(
  store: Pick<Store, 'find'>,
  organizationId: string | undefined,
): Promise<string | undefined> {
  if (organizationId === undefined) return undefined
  const [found] = await store.find([{ read: 'headTag', organizationId }]).catch(() => [])
  return found?.read === 'headTag' && found.row !== undefined ? organizationId : undefined
}
