import type { Presented, VaultAnswer, VaultRequest } from '../../src/link/verbs.ts'
import type { Found, Read } from '../../src/protocol/reads.ts'
import type { ApiKeyPair, Server } from './in_process.ts'
import { stampWith } from './stamping.ts'

export type Decided = Exclude<VaultAnswer, { kind: 'moreReads' }>

const roundsMax = 20

/**
 * Asks the vault as the service does, except that `forge` answers the reads and nothing is committed. `reads` holds
 * every read that the vault asked for.
 */
export async function askVault(
  { store, vault }: Pick<Server, 'store' | 'vault'>,
  { path, body }: { readonly path: string; readonly body: string },
  {
    stampedBy,
    forge = (_read, found) => found,
    ...given
  }: Pick<VaultRequest, 'isTrial' | 'sourceAddress'> & {
    readonly stampedBy: ApiKeyPair
    readonly forge?: (read: Read, found: Found) => Found | Promise<Found>
  },
): Promise<{ readonly answer: Decided; readonly reads: readonly Read[] }> {
  const bytes = Buffer.from(body)
  const stamps = [{ header: 'x-stamp', value: stampWith(stampedBy, bytes) }] as const
  const request = { path, body: bytes, stamps, dialect: 'spec', outcomes: [], ...given } as const
  let presented: readonly Presented[] = []
  for (let round = 0; round < roundsMax; round += 1) {
    const answer = await vault.answer({ ...request, presented })
    if (answer.kind !== 'moreReads') return { answer, reads: presented.map(({ read }) => read) }
    const found = await store.find(answer.reads)
    const forged = await Promise.all(
      answer.reads.map(async (read, index) => {
        const honest = found[index]
        if (honest === undefined) throw new Error('the store answers every read')
        return { read, found: await forge(read, honest) }
      }),
    )
    presented = [...presented, ...forged]
  }
  throw new Error('the vault asks for ever')
}
