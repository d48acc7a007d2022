import { type ExpressionKind, keywords } from '../../../src/policy/language/names/keywords.ts'
import { bool, int, string, type Type } from '../../../src/policy/language/names/types.ts'
import type { Token } from '../../../src/policy/language/reading/tokens.ts'
import { predicateMethods } from '../../../src/policy/language/syntax.ts'
import { isSymbol, openingOf } from './token_search.ts'

type Variable = { readonly name: string; readonly type: Type }

/** The names that may be read at a place. `variables` are those of the tests around it. */
export type Scope = { readonly kind: ExpressionKind; readonly variables: readonly Variable[] }

/** A type, with the field that has it and the name of the field's struct where it is one. */
export type Resolved = { readonly type: Type; readonly owner?: string; readonly field?: string }

type Tokens = readonly Token[]
type Link =
  | { readonly kind: 'field' | 'method'; readonly name: string }
  | { readonly kind: 'index' | 'slice'; readonly name: '' }

/** The type of the chain of names, such as `eth.tx.to`, that ends with the last token. */
export function resolve(tokens: Tokens, { kind, variables }: Scope): Resolved | undefined {
  const [root, ...links] = chainAtEnd(tokens)
  if (root === undefined) return undefined
  const type = variables.findLast(({ name }) => name === root.name)?.type ?? keywords[kind].get(root.name)
  let found: Resolved | undefined = type === undefined ? undefined : { type }
  for (const link of links) found = found === undefined ? undefined : follow(found, link)
  return found
}

/** The variables of the tests, as in `.any(user, …`, that are open behind the last token. */
export function openVariables(tokens: Tokens, kind: ExpressionKind): readonly Variable[] {
  const open: Variable[][] = []
  for (const [index, token] of tokens.entries()) {
    if (isSymbol(token, '(')) open.push([...variableAt(tokens, index, { kind, variables: open.flat() })])
    if (isSymbol(token, ')')) open.pop()
  }
  return open.flat()
}

function variableAt(tokens: Tokens, open: number, scope: Scope): readonly Variable[] {
  const [method, variable, comma] = [tokens[open - 1], tokens[open + 1], tokens[open + 2]]
  const isPredicate = method?.kind === 'name' && predicateMethods.some((name) => name === method.name)
  if (!isPredicate || variable?.kind !== 'name' || !isSymbol(comma, ',')) return []
  const list = resolve(tokens.slice(0, open - 2), scope)?.type
  return list?.kind === 'list' ? [{ name: variable.name, type: list.item }] : []
}

function chainAtEnd(tokens: Tokens): readonly Link[] {
  const links: Link[] = []
  let index = tokens.length - 1
  while (index >= 0) {
    const token = tokens[index]
    if (isSymbol(token, ']')) {
      const open = openingOf(tokens, index)
      const isSlice = tokens.slice(open, index).some((inner) => isSymbol(inner, '..'))
      links.unshift({ kind: isSlice ? 'slice' : 'index', name: '' })
      index = open - 1
      continue
    }
    const isCall = isSymbol(token, ')')
    const at = isCall ? openingOf(tokens, index) - 1 : index
    const named = tokens[at]
    if (named?.kind !== 'name') return []
    links.unshift({ kind: isCall ? 'method' : 'field', name: named.name })
    if (!isSymbol(tokens[at - 1], '.')) return isCall ? [] : links
    index = at - 2
  }
  return []
}

function follow({ type, owner, field }: Resolved, link: Link): Resolved | undefined {
  const same = { ...(owner === undefined ? {} : { owner }), ...(field === undefined ? {} : { field }) }
  switch (link.kind) {
    case 'slice':
      return { type, ...same }
    case 'index':
      if (type.kind === 'list' || type.kind === 'map') return { type: type.item, ...same }
      return type.kind === 'string' ? { type: string } : undefined
    case 'method':
      if (link.name === 'filter') return { type, ...same }
      return { type: link.name === 'count' ? int : bool }
    case 'field': {
      if (type.kind !== 'struct') return undefined
      const found = type.fields.get(link.name) ?? type.others
      return found === undefined ? undefined : { type: found, owner: type.name, field: link.name }
    }
  }
}
