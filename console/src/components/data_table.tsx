import type { ReactNode } from 'react'

/** A column of a table. The first is the one by which a person knows the row. */
export type Column<R> = {
  readonly key: string
  readonly label: string
  readonly show: (row: R) => ReactNode
  readonly align?: 'end'
}

/** A table that becomes a list of cards on a narrow screen, where each value stands behind the label of its column. */
export function DataTable<R>({ label, columns, rows, keyOf }: DataTableProps<R>) {
  return (
    <div className="table-frame">
      <table className="table" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ key, label: text, align }) => (
              <th key={key} scope="col" data-align={align}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ key, label: text, show, align }) => (
                <td key={key} data-label={text} data-align={align}>
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type DataTableProps<R> = {
  /** Names the table to a screen reader. */
  readonly label: string
  readonly columns: readonly Column<R>[]
  readonly rows: readonly R[]
  readonly keyOf: (row: R) => string
}
