import type { PublishedLog } from '../../src/link/verbs.ts'

/** The transparency log of a vault that has let nothing leave. */
export const emptyLog: PublishedLog = {
  ...{ origin: '', keys: [], size: 0, checkpoint: undefined },
  ...{ bundles: [], unfinished: new Uint8Array() },
}
