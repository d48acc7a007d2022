/**
 * An append-only log in one folder, written by one process. The next start reads every entry that a `sync` confirmed,
 * in order, or says what is damaged. It warns about a file that was cut between two frames. Unless the power was lost, it
 * reads every entry that an `enter` confirmed, too. It may also find entries that nothing confirmed.
 */
export type Journal = {
  /**
   * Adds a copy of the bytes to the next frame. If a write fails, the journal keeps the bytes and writes them again in
   * a new segment. Throws `JournalUnavailable` after `close`, and if the journal cannot be written and more than
   * `waitingBytesMax` would wait.
   */
  append(payload: Uint8Array): void
  /**
   * Resolves once everything appended before this call is on disk. Rejects with `JournalUnavailable` if a write failed.
   * The entries stay waiting, and the journal tries again to write them.
   */
  sync(): Promise<void>
  /**
   * Appends as `append` does. Resolves once the bytes outlive the end of this process, also by SIGKILL. Their sync
   * begins at the latest `syncWithinMs` later, even if nobody calls `sync`. Entries of one turn of the event loop share
   * a write. No entry outlives the process without those that were entered before it. Entries that were only appended
   * before may still be lost.
   *
   * If the journal is unavailable, or the bytes cannot be written without a sync, it waits for the sync. It throws as
   * `append` does, and rejects as `sync` does.
   */
  enter(payload: Uint8Array): Promise<void>
  /**
   * Returns undefined if the journal can be written: it has room for one more frame of the largest size, or it is
   * making room and did not fail the last time. Otherwise returns the reason, for the operator.
   */
  unavailable(): string | undefined
  /** Writes the waiting entries and closes the files. Rejects with `JournalUnavailable` if an entry was not written. */
  close(): Promise<void>
}

export type JournalOptions = {
  /** A missing folder is made with mode 0700. Its files have mode 0600. */
  readonly directory: string
  /** 32 bytes. The journal keeps a copy. */
  readonly key: Uint8Array
  /**
   * Called at the start with the payload of every frame, oldest first. It may keep views of the bytes.
   */
  readonly onPayload: (payload: Uint8Array) => void
  /**
   * Called after that with what was entered and may stand in no frame. Parts of it may have been read before, also before
   * later entries. A loss of power may have taken what was entered before. Returns what the journal is to keep of it.
   */
  readonly onEntered: (payload: Uint8Array) => Uint8Array
  /**
   * Returns payloads, each of at most `payloadBytesMax`, that hold everything still needed. The journal takes them one
   * by one, and other entries are appended in between. The owner guarantees that it is harmless to read an entry twice,
   * or a snapshot and then the segments after it, or at last what was entered. The first call comes at least one turn
   * of the event loop after the start.
   */
  readonly snapshot: () => Iterable<Uint8Array>
  readonly segmentBytes?: number
  /** How long an entry that was entered waits for its sync, in milliseconds. */
  readonly syncWithinMs?: number
  /** Called once, if another process has opened the journal or its files are gone. All waiting syncs reject. */
  readonly onSuperseded: () => void
  readonly log: { warn(fields: object, message: string): void }
}
