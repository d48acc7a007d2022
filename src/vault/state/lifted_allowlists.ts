/**
 * The organizations whose IP allowlists the operator has lifted for a while. They are kept in memory only, so no
 * database and no message of the service can lift a list. A new start of the vault forgets them.
 */
export type LiftedAllowlists = {
  lift(organizationId: string, times: { readonly nowMs: number; readonly untilMs: number }): void
  isLifted(organizationId: string, nowMs: number): boolean
}

export function createLiftedAllowlists(): LiftedAllowlists {
  const ends = new Map<string, number>()
  return {
    lift(organizationId, { nowMs, untilMs }) {
      for (const [other, endMs] of ends) if (endMs <= nowMs) ends.delete(other)
      ends.set(organizationId, untilMs)
    },
    isLifted: (organizationId, nowMs) => nowMs < (ends.get(organizationId) ?? 0),
  }
}
