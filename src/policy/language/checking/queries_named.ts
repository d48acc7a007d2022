import { message } from '../message.ts'
import { Problem } from '../problem.ts'
import { type Expression, everyPart, partsOf } from '../syntax.ts'

/** Why comparisons with the action of a query never match: only scopes of sessions are asked about queries. */
export function queriesNamed(expression: Expression): readonly Problem[] {
  return [...everyPart(expression)].flatMap((part) => {
    if (part.kind !== 'comparison' && part.kind !== 'contains') return []
    const compared = partsOf(part).flatMap((side) => (side.kind === 'list' ? side.items : [side]))
    const queries = compared.filter((side) => side.kind === 'string' && side.value === 'READ')
    return compared.some(isAction) ? queries.map(problemOf) : []
  })
}

function isAction(part: Expression): boolean {
  return part.kind === 'field' && part.name === 'action' && part.of.kind === 'name' && part.of.name === 'activity'
}

function problemOf({ start }: Expression): Problem {
  return new Problem(start, message`only the scope of a session is asked about queries, so no action is 'READ' here`)
}
