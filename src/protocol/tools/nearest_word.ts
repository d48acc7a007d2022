/** A longer word is no typing error, and comparing it would take long. */
const wordCharactersMax = 64
const slipsMax = 2

/** Returns the candidate that is most like the word, if they differ by at most two slips. Case does not count. */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > wordCharactersMax) return undefined
  const [best] = [...candidates]
    .map((candidate) => ({ candidate, slips: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.slips - b.slips)
  if (best === undefined || best.slips > slipsMax || best.slips >= best.candidate.length) return undefined
  return best.candidate
}

/**
 * The number of insertions, deletions and replacements of a letter that turn one text into the other (Levenshtein).
 * Keeps one row of the table at a time.
 */
function editDistance(from: string, to: string): number {
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
