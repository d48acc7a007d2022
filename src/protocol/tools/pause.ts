/**
 * Asked between two steps of long work, so that other requests get their turn. Undefined: the work goes on. A promise:
 * the work waits for it, and ends if it rejects.
 */
export type Pause = () => Promise<void> | undefined
