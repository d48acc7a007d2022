/** One look asks for so many organizations in turn at most, and for so many whose family is not known. */
const organizationsPerLookMax = 24
/** So many organizations of a family are remembered at once. The round finds the others. */
const organizationsOfFamilyMax = 1_024
/** So many organizations whose family is not known are remembered at once. Each look finds the family of some of them. */
const strangersMax = 4_096

/** Organizations whose endpoints have events to be tried now, as far as this node knows. Their families take turns. */
export class FamilyLines {
  /** By family. The one whose turn is next comes first, and so in each line. */
  readonly #lines = new Map<string, Set<string>>()
  readonly #strangers = new Set<string>()

  /** An event was written for an endpoint of the organization. */
  note(organizationId: string): void {
    if (this.#strangers.size < strangersMax) this.#strangers.add(organizationId)
  }

  /** An endpoint of the organization is ready. */
  add(organizationId: string, familyId: string): void {
    const line = this.#lines.get(familyId) ?? new Set()
    if (line.size < organizationsOfFamilyMax) line.add(organizationId)
    this.#lines.set(familyId, line)
  }

  /** The next organizations in turn, which leave their lines. */
  take(): readonly string[] {
    const taken = new Set<string>()
    for (const organizationId of this.#strangers) {
      if (taken.size === organizationsPerLookMax) break
      this.#strangers.delete(organizationId)
      taken.add(organizationId)
    }
    const most = taken.size + organizationsPerLookMax
    while (taken.size < most) {
      const [next] = this.#lines
      if (next === undefined) break
      const [familyId, line] = next
      this.#lines.delete(familyId)
      const [organizationId] = line
      if (organizationId === undefined) continue
      line.delete(organizationId)
      taken.add(organizationId)
      if (line.size > 0) this.#lines.set(familyId, line)
    }
    return [...taken]
  }

  isEmpty(): boolean {
    return this.#lines.size + this.#strangers.size === 0
  }
}
