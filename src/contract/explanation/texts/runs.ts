import type { Row } from '../explanation.ts'

/** How many of several the console shows before the rest is asked for. */
export const shownAtFirst = {
  /** Items of a list beside one another. */
  items: 5,
  /** Rows of one label. */
  rows: 5,
  /** Rows of different labels: a tree may have as many as its author likes. */
  runs: 40,
} as const

/** The first of many items. A button for one more item takes as much room as the item. */
export function firstOf<T>(items: readonly T[], count: number): readonly T[] {
  return items.length <= count + 1 ? items : items.slice(0, count)
}

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
