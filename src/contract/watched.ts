/** The answer of `watch_activities`. It has no contents, so a page can ask for it often. */
export type Watched = {
  /** The version of the organization's head. */
  readonly organizationVersion: number
  /**
   * The digest of everything that decides who may vote and which rule an activity waits for: users, tags, policies,
   * features, contract interfaces and the root quorum.
   */
  readonly rulesDigest: string
  /** The activities that wait. An activity has a new version after each vote. */
  readonly waiting: readonly { readonly activityId: string; readonly version: number }[]
}
