import { type Expression, mapped } from '../../src/policy/language/syntax.ts'

/**
 * The expression, which counts how often somebody asks one of its parts of which kind it is, and throws beyond `looksMax`.
 */
export function counted(root: Expression, looksMax = Number.POSITIVE_INFINITY) {
  const counter = { looks: 0 }
  const expression = mapped(
    root,
    ({ kind, ...part }) =>
      Object.defineProperty({ ...part }, 'kind', {
        enumerable: true,
        get() {
          counter.looks += 1
          if (counter.looks > looksMax) throw new Error(`more than ${looksMax} looks at the parts of an expression`)
          return kind
        },
      }) as Expression,
  )
  counter.looks = 0
  return { expression, counter }
}
