export type Queues = {
  run<T>(key: string | undefined, task: () => Promise<T>): Promise<T>
  /** Whether a task under this key would wait. */
  isBusy(key: string): boolean
  /** How many keys have a task that runs or waits. */
  size(): number
}

/**
 * Runs the tasks of one key one after another, in the order in which they came. A task without a key starts at once. An
 * error of one task does not reach the next.
 */
export function createQueues(): Queues {
  const last = new Map<string, Promise<unknown>>()
  return {
    isBusy: (key) => last.has(key),
    size: () => last.size,

    async run(key, task) {
      if (key === undefined) return task()
      const before = last.get(key)
      const own = (before ?? Promise.resolve()).then(task, task)
      last.set(key, own)
      try {
        return await own
      } finally {
        if (last.get(key) === own) last.delete(key)
      }
    },
  }
}
