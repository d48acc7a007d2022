import type { Now } from '../../explanation/explain_context.ts'
import type { Row, Value } from '../../explanation/explanation.ts'
import { code, list, listed, number, rowsOf, tree, wholeText } from '../../explanation/values.ts'

type Steps = readonly { readonly any: readonly { readonly type: string; readonly id?: string }[] }[]

/** The steps in their order, each with the means of which one is enough. */
export function stepsValue(steps: Steps | undefined, { named }: Pick<Now, 'named'>): Value | undefined {
  if (steps === undefined) return undefined
  return list(
    listed(steps, ({ any }) =>
      tree({
        any: list(
          listed(any, ({ type, id }) =>
            id === undefined ? code(type) : tree({ means: code(type), credential: named(id) }),
          ),
        ),
      }),
    ),
  )
}

type Shown = {
  readonly condition: string
  readonly requiredAuthenticationMethods: Steps
  readonly order: number
  readonly notes?: string
}

/** What an MFA policy says. */
export function mfaPolicyRows(
  { condition, requiredAuthenticationMethods, order, notes = '' }: Shown,
  now: Pick<Now, 'named'>,
): readonly Row[] {
  return rowsOf({
    requiredAuthenticationMethods: stepsValue(requiredAuthenticationMethods, now),
    order: number(order),
    condition: wholeText(condition),
    notes: notes === '' ? undefined : wholeText(notes),
  })
}
