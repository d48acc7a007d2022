import type { Amount } from '../../policy/spending.ts'

/** The kind of the records with whose deletion counts are forgotten. */
export const countGroupKind = 'velocity_control'
export type CountGroup = { readonly kind: typeof countGroupKind; readonly recordId: string }

/** An amount that a decision counts under a name within an organization. */
export type Addition = {
  readonly organizationId: string
  readonly what: readonly string[]
  /** The names that are forgotten together with this one. */
  readonly group?: CountGroup
  readonly amount: bigint
  /** How long the amount counts, in milliseconds. `Infinity`: as long as its group exists. */
  readonly keptMs: number
  /**
   * Each decision makes something new, so the amount counts for each decision, even if the request bytes are the same.
   */
  readonly countsEachTime?: true
  /** The amount counts once for its activity, whichever vote runs the activity. Otherwise it counts for the request. */
  readonly by?: 'activity'
}

/** The amounts that were counted before a decision, and its time. */
export type Counts = {
  readonly decisionCounts: {
    /** Returns the amounts under a name, without those of the same request, or of the same activity. */
    amounts(organizationId: string, what: readonly string[], by?: Addition['by']): readonly Amount[]
  }
  readonly nowMs: number
}
