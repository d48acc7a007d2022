import { oneStep, type Steps } from '../../protocol/tools/steps.ts'
import type { Content } from './content.ts'
import { changedRow, type Now } from './explain_context.ts'
import type { Note, Row, Value } from './explanation.ts'
import { flag, list, listed, none, section, wholeText } from './shown_values.ts'
import { warned } from './warnings.ts'

/** The values that change, by their labels. A label whose `to` is undefined keeps its value. */
type Changes = Readonly<Record<string, { readonly from: Value | undefined; readonly to: Value | undefined }>>

type Changing = {
  /** The name of the operation. */
  readonly code: string
  readonly subject: readonly Value[]
  /** An approver must know these first. */
  readonly warnings?: readonly Note[]
  /** Rows before the changes. */
  readonly rows?: readonly Row[]
  readonly changes?: Changes
}

/** Explains an operation that changes values, from what to what. One that only makes or deletes has rows alone. */
export function changesContent(
  now: Pick<Now, 'isBefore'>,
  { code, subject, warnings = [], rows = [], changes = {} }: Changing,
): Steps<Content> {
  return oneStep(() => ({
    title: warned({ code, values: subject }, warnings),
    sections: section('changes', [
      ...rows,
      ...Object.entries(changes).flatMap(([label, changed]) => changedRow(now, label, changed)),
    ]),
  }))
}

/** A text before and after. An empty one is none. */
export function textChange(from: string | undefined, to: string | undefined) {
  return { from: textOrNone(from), to: textOrNone(to) }
}

/** A switch before and after. */
export function flagChange(changed: { readonly from: boolean | undefined; readonly to: boolean | undefined }) {
  const { from, to } = changed
  return { from: from === undefined ? undefined : flag(from), to: to === undefined ? undefined : flag(to) }
}

function textOrNone(given: string | undefined): Value | undefined {
  return given === undefined ? undefined : given === '' ? none : wholeText(given)
}

/** Things with ids, by their names. */
export function namedList(ids: readonly string[] | undefined, { named }: Pick<Now, 'named'>): Value | undefined {
  return ids === undefined ? undefined : list(listed(ids, (id) => named(id)))
}
