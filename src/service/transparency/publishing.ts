import type { OwnWitnesses } from './own_witnesses.ts'
import { type PublisherParts, startPublisher } from './publisher.ts'
import { startWitnessing, type WitnessingParts } from './witnessing.ts'
import { startWitnessingOthers } from './witnessing_others.ts'

type PublishingParts = PublisherParts & Omit<WitnessingParts, keyof OwnWitnesses | 'about'>

export type Publishing = Pick<ReturnType<typeof startPublisher>, 'compared'> & {
  troubles(): readonly string[]
  close(): Promise<void>
}

/**
 * Publishes the transparency log of this node, and has the witnesses of the operator cosign it, if there are some, and
 * what other nodes have left without cosignatures.
 */
export function startPublishing(own: OwnWitnesses | undefined, parts: PublishingParts): Publishing {
  const witnessing = own && startWitnessing({ ...own, ...parts })
  let ownId: string | undefined
  const publisher = startPublisher({
    ...parts,
    onCheckpoint(row) {
      ownId = row.logId
      witnessing?.see(row)
    },
  })
  const others = own && startWitnessingOthers({ ...own, ...parts, isOwn: (logId) => logId === ownId })
  return {
    compared: publisher.compared,
    troubles: () => witnessing?.troubles() ?? [],
    async close() {
      await publisher.close()
      await witnessing?.close()
      await others?.close()
    },
  }
}
