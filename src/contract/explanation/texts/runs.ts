import type { Row } from '../explanation.ts'

/** Splits rows where the label or the name changes, so that many of one kind can be counted and cut. */
export function runsOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const runs: Row[][] = []
  for (const one of rows) {
    const run = runs.at(-1)
    const [first] = run ?? []
    if (run !== undefined && first !== undefined && isAlike(first, one)) run.push(one)
    else runs.push([one])
  }
  return runs
}

/** Names were set by others, and mean nothing where they are equal. */
function isAlike(first: Row, one: Row): boolean {
  return 'label' in first && 'label' in one && first.label === one.label
}
