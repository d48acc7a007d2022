import { type Expression, mapped } from '../../language/syntax.ts'

/** The expression with one test in the place of each of a filtered list, which means the same of the list itself. */
export function withoutFilters(root: Expression): Expression {
  return mapped(root, (part) => {
    if (part.kind === 'predicate') return joined(part)
    if (part.kind === 'contains') return ofItem(part, part)
    return part.kind === 'comparison' && part.operator === 'in'
      ? ofItem(part, { of: part.right, item: part.left })
      : part
  })
}

type Predicate = Expression & { readonly kind: 'predicate' }

/** `filter(x, p).any(y, q)` is `any(z, p && q)`, and `all` is about those for which `p` is true. */
function joined(test: Predicate): Expression {
  const { of: filter, method, variable, start, end } = test
  if (filter.kind !== 'predicate' || filter.method !== 'filter') return test
  const item = itemOf(filter)
  const came = renamed(filter.body, filter.variable, item)
  const body = renamed(test.body, variable, item)
  const both: Expression =
    method === 'all'
      ? { kind: 'or', operands: [{ kind: 'not', operand: came, start, end }, body], start, end }
      : { kind: 'and', operands: [...(came.kind === 'and' ? came.operands : [came]), body], start, end }
  return { ...test, of: filter.of, variable: item, body: both }
}

type Membership = { readonly of: Expression; readonly item: Expression }

function ofItem({ start, end, ...test }: Expression, { of, item }: Membership): Expression {
  if (of.kind !== 'predicate' || of.method !== 'filter') return { ...test, start, end }
  const variable = itemOf(of)
  const left: Expression = { kind: 'name', name: variable, start, end }
  const isItem: Expression = { kind: 'comparison', operator: '==', left, right: item, start, end }
  return joined({ kind: 'predicate', of, method: 'any', variable, body: isItem, start, end })
}

/** A name of its own: the body of the filter and that of the test may each have what the other one calls its item. */
function itemOf({ start, body }: Predicate): string {
  return `${start}_${body.end}`
}

function renamed(body: Expression, from: string, to: string): Expression {
  return mapped(body, (part) => (part.kind === 'name' && part.name === from ? { ...part, name: to } : part))
}
