import * as original from '../../../src/service/transparency/publisher.ts'
import { reached } from './points.ts'

export * from '../../../src/service/transparency/publisher.ts'

export function startPublisher({
  store,
  ...parts
}: Parameters<typeof original.startPublisher>[0]): ReturnType<typeof original.startPublisher> {
  return original.startPublisher({
    ...parts,
    store: {
      ...store,
      async keepLog(kept) {
        await store.keepLog(kept)
        if (kept.bundles.length > 0) reached('stored')
      },
    },
  })
}
