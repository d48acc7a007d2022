import { statusCompleted } from './schema.ts'

/** Rows that one statement visits at most: a few milliseconds of the thread that reads. */
export const visitedRowsMax = 500

type Visited = { readonly sequence: number; readonly status: string }

/**
 * Finds the sequences of completed activities nearest to the cursor. Nearly all activities are completed, so no index
 * leaves the others out: it would have an entry for each. But a tenant may reject as many as it likes, and then very many
 * rows stand between two that are completed. So they are passed in slices, and others have their turn in between.
 * `visit` returns the next rows from a cursor on, whatever their status. `onOther` is told of those that are not completed.
 */
export async function completedSequences(
  { cursor, limit }: { readonly cursor: number; readonly limit: number },
  visit: (range: { readonly cursor: number; readonly limit: number }) => Promise<readonly Visited[]>,
  onOther: (row: Visited) => void = () => {},
): Promise<readonly number[]> {
  const found: number[] = []
  let from = cursor
  for (let size = limit; found.length < limit; size = visitedRowsMax) {
    const rows = await visit({ cursor: from, limit: size })
    for (const row of rows) {
      if (row.status === statusCompleted) found.push(row.sequence)
      else onOther(row)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < size) break
    from = last.sequence
  }
  return found.slice(0, limit)
}
