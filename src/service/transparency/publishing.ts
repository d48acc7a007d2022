import type { OwnWitnesses } from './own_witnesses.ts'
import { type PublisherParts, startPublisher } from './publisher.ts'
import { startWitnessing, type WitnessingParts } from './witnessing.ts'

type PublishingParts = PublisherParts & Omit<WitnessingParts, keyof OwnWitnesses>

export type Publishing = { troubles(): readonly string[]; close(): Promise<void> }

/** Publishes the transparency log of this node, and has the witnesses of the operator cosign it, if there are some. */
export function startPublishing(own: OwnWitnesses | undefined, parts: PublishingParts): Publishing {
  const witnessing = own && startWitnessing({ ...own, ...parts })
  const publisher = startPublisher({ ...parts, onCheckpoint: witnessing?.see })
  return {
    troubles: () => witnessing?.troubles() ?? [],
    async close() {
      await publisher.close()
      await witnessing?.close()
    },
  }
}
