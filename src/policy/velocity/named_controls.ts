import { keywordsIn } from '../denials/reads.ts'
import { type Expression, everyPart } from '../language/syntax.ts'

/** `column` counts from 1 and is the place of the name. */
type NamedControl = { readonly identifier: string; readonly column: number }

/** Returns the velocity controls that an expression names, each as often as it does. */
export function namedControls(expression: Expression): readonly NamedControl[] {
  return [...everyPart(expression)].flatMap((part) => {
    const identifier = controlNamedBy(part)
    return identifier === undefined ? [] : [{ identifier, column: part.start + 1 }]
  })
}

/** Returns the velocity controls that an expression names, or none if it names any other keyword. */
export function onlyControls(expression: Expression): readonly string[] {
  const isOnly = keywordsIn(expression).every((keyword) => keyword === 'controls')
  return isOnly ? [...new Set(namedControls(expression).map(({ identifier }) => identifier))] : []
}

/** Returns the identifier if the expression is `controls.<identifier>`. */
export function controlNamedBy(expression: Expression): string | undefined {
  const isControl = expression.kind === 'field' && expression.of.kind === 'name' && expression.of.name === 'controls'
  return isControl ? expression.name : undefined
}
