import { type Expression, partsOf } from '../language/syntax.ts'

type Text = Expression & { readonly kind: 'string' }
/** The meaning of a variable: a user, a credential, or one of some written texts. */
type Item = { readonly is: 'user' | 'credential' } | { readonly is: 'text'; readonly texts: readonly Text[] }
type Variables = ReadonlyMap<string, Item>

/** `column` counts from 1 and is the place of the id. */
export type NamedUser = { readonly userId: string; readonly column: number }

/**
 * Returns the texts with which a consensus expression compares the ids of approvers and of the owners of credentials:
 * `approvers.any(user, user.id == '<id>')`. Ids that are computed in other ways are not found.
 */
export function namedUsers(consensus: Expression): readonly NamedUser[] {
  return namedIn(consensus, new Map()).map(({ value, start }) => ({ userId: value, column: start + 1 }))
}

function namedIn(expression: Expression, variables: Variables): readonly Text[] {
  if (expression.kind === 'predicate') {
    const { of, variable, body } = expression
    const item = itemOf(of, variables)
    const inBody = item === undefined ? variables : new Map(variables).set(variable, item)
    return [...namedIn(of, variables), ...namedIn(body, inBody)]
  }
  return [...comparedIn(expression, variables), ...partsOf(expression).flatMap((part) => namedIn(part, variables))]
}

function comparedIn(expression: Expression, variables: Variables): readonly Text[] {
  if (expression.kind === 'contains') return textsBeside(expression.item, expression.of, variables)
  if (expression.kind !== 'comparison') return []
  const { left, right } = expression
  return [...textsBeside(left, right, variables), ...textsBeside(right, left, variables)]
}

function textsBeside(id: Expression, other: Expression, variables: Variables): readonly Text[] {
  if (id.kind !== 'field') return []
  const { of, name } = id
  const owner = of.kind === 'name' ? variables.get(of.name) : of.kind === 'index' ? itemOf(of.of, variables) : undefined
  const isUserId = (owner?.is === 'user' && name === 'id') || (owner?.is === 'credential' && name === 'user_id')
  return isUserId ? textsOf(other, variables) : []
}

/** Returns the meaning of a list's items. */
function itemOf(list: Expression, variables: Variables): Item | undefined {
  switch (list.kind) {
    case 'name':
      return list.name === 'approvers' ? { is: 'user' } : list.name === 'credentials' ? { is: 'credential' } : undefined
    case 'predicate':
    case 'slice':
      return itemOf(list.of, variables)
    case 'list':
      return { is: 'text', texts: textsOf(list, variables) }
    default:
      return undefined
  }
}

function textsOf(expression: Expression, variables: Variables): readonly Text[] {
  switch (expression.kind) {
    case 'string':
      return [expression]
    case 'list':
      return expression.items.flatMap((item) => textsOf(item, variables))
    case 'name': {
      const item = variables.get(expression.name)
      return item?.is === 'text' ? item.texts : []
    }
    case 'index':
    case 'slice':
    case 'predicate':
      return textsOf(expression.of, variables)
    default:
      return []
  }
}
