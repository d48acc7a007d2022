/** Longer words are no slips of somebody's fingers, and would take long to compare. */
const wordCharactersMax = 40
const slipsMax = 2

/** A hint such as `; did you mean 'value'?` where a candidate is a slip or two away, else nothing. */
export function nearest(word: string, candidates: readonly string[]): string {
  if (word.length > wordCharactersMax) return ''
  const [best] = candidates
    .map((candidate) => ({ candidate, slips: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.slips - b.slips)
  if (best === undefined || best.slips > slipsMax || best.slips >= best.candidate.length) return ''
  return `; did you mean '${best.candidate}'?`
}

/** Levenshtein's distance, one row of its table at a time. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [above, letter] of [...from].entries()) {
    const next = [above + 1]
    for (const [index, other] of [...to].entries()) {
      const replaced = (row[index] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
