import type { Struct } from '../../language/expression_values.ts'
import type { Term } from './terms.ts'

/** So many assignments of values are tried at most. */
const assignmentsMax = 512

type Assignable = Pick<Term, 'name' | 'values'>

/** All assignments of their values to terms. Undefined if they are more than `most`. */
export function everyAssignment(
  terms: readonly Assignable[],
  most: number = assignmentsMax,
): Iterable<Struct> | undefined {
  const count = terms.reduce((product, { values }) => product * values.length, 1)
  return count > most ? undefined : counted(terms, count)
}

function* counted(terms: readonly Assignable[], count: number): Iterable<Struct> {
  for (let index = 0; index < count; index++) {
    let left = index
    yield assigned(terms, ({ length }) => {
      const digit = left % length
      left = Math.floor(left / length)
      return digit
    })
  }
}

/** First every term has its first, second … value. Then the values are mixed. */
export function* someAssignments(terms: readonly Assignable[]): Iterable<Struct> {
  for (let index = 0; index < 4; index++) yield assigned(terms, () => index)
  // The same numbers each time: an explanation must not differ from one to the next.
  let state = 1
  for (let index = 4; index < assignmentsMax; index++) {
    yield assigned(terms, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state >>> 8
    })
  }
}

function assigned(terms: readonly Assignable[], indexOf: (values: Term['values']) => number): Struct {
  return Object.fromEntries(terms.map(({ name, values }) => [name, values[indexOf(values) % values.length]]))
}
