import { activityKindOf } from '../../../src/policy/language/names/activity_types.ts'
import { type ExpressionKind, functions, keywords } from '../../../src/policy/language/names/keywords.ts'
import type { Type } from '../../../src/policy/language/names/types.ts'
import { Problem } from '../../../src/policy/language/problem.ts'
import { activityTypes } from '../api/operations.ts'
import { openVariables, type Resolved, resolve, type Scope } from './chains.ts'
import { isSymbol, tokensIn } from './token_search.ts'

/** The things of the organization that expressions name by id. */
export type KnownNames = {
  readonly users: readonly Known[]
  readonly userTags: readonly Known[]
  readonly wallets: readonly Known[]
  readonly privateKeys: readonly Known[]
  /** `id` is the identifier. */
  readonly controls: readonly Known[]
}
type Known = { readonly id: string; readonly name: string }

export type Suggestion = {
  readonly label: string
  /** A type of the language, or the name of the thing that has the id. */
  readonly detail?: string
  readonly kind: 'keyword' | 'function' | 'field' | 'method' | 'value'
}

/** `from` is where the word begins that a suggestion completes. */
export type Suggestions = { readonly from: number; readonly options: readonly Suggestion[] }

/** Suggests words for the end of a text. Undefined where nothing is known. */
export function suggestionsAfter(
  before: string,
  { kind, names }: { readonly kind: ExpressionKind; readonly names: KnownNames },
): Suggestions | undefined {
  const quote = openQuoteIn(before)
  const word = quote === undefined ? wordAtEnd(before) : ''
  const from = quote === undefined ? before.length - word.length : quote + 1
  const tokens = tokensBefore(before.slice(0, quote ?? from))
  if (tokens === undefined) return undefined
  const scope: Scope = { kind, variables: openVariables(tokens, kind) }
  const options = quote === undefined ? namesAfter(tokens, scope, names) : valuesAfter(tokens, scope, names)
  return options.length === 0 ? undefined : { from, options }
}

/** The name or keyword that a text ends with. No digit begins one. */
function wordAtEnd(text: string): string {
  return text.split(/\W/).at(-1)?.replace(/^\d+/, '') ?? ''
}

type Tokens = ReturnType<typeof tokensIn>

function tokensBefore(text: string): Tokens | undefined {
  try {
    return tokensIn(text)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** The beginning of a string that is still open. */
function openQuoteIn(text: string): number | undefined {
  let start: number | undefined
  for (let offset = 0; offset < text.length; offset++) {
    if (start !== undefined && text[offset] === '\\') offset += 1
    else if (text[offset] === "'") start = start === undefined ? offset : undefined
  }
  return start
}

function namesAfter(tokens: Tokens, scope: Scope, names: KnownNames): readonly Suggestion[] {
  const last = tokens.at(-1)
  if (isSymbol(last, '.')) return membersOf(resolve(tokens.slice(0, -1), scope), names)
  const isOperand =
    last?.kind === 'integer' ||
    last?.kind === 'string' ||
    (last?.kind === 'name' && last.name !== 'in') ||
    isSymbol(last, ')') ||
    isSymbol(last, ']')
  if (isOperand) return last?.kind === 'integer' ? [] : [{ label: 'in', kind: 'keyword' }]
  return [
    ...scope.variables.map(({ name, type }) => ({ label: name, detail: typeName(type), kind: 'field' as const })),
    ...[...keywords[scope.kind]].map(([label, type]) => ({ label, detail: typeName(type), kind: 'keyword' as const })),
    ...functions[scope.kind].map((label) => ({ label, kind: 'function' as const })),
    ...['true', 'false'].map((label) => ({ label, kind: 'keyword' as const })),
  ]
}

function membersOf(found: Resolved | undefined, names: KnownNames): readonly Suggestion[] {
  const type = found?.type
  if (type?.kind === 'list') {
    return ['any', 'all', 'filter', 'contains', 'count'].map((label) => ({ label, kind: 'method' }))
  }
  if (type?.kind !== 'struct') return []
  if (type.others !== undefined) {
    return names.controls.map(({ id, name }) => ({ label: id, detail: name, kind: 'field' }))
  }
  return [...type.fields].map(([label, field]) => ({ label, detail: typeName(field), kind: 'field' }))
}

/** The values with which the field before `==`, `in [` or `.contains(` is compared. */
function valuesAfter(tokens: Tokens, scope: Scope, names: KnownNames): readonly Suggestion[] {
  const end = endOfField(tokens)
  const found = end === undefined ? undefined : resolve(tokens.slice(0, end), scope)
  if (found === undefined) return []
  const { type, owner, field } = found
  const item = type.kind === 'list' ? type.item : type
  if (item.kind === 'string' && item.oneOf !== undefined) return item.oneOf.map(value)
  switch (`${owner}.${field}`) {
    case 'a user.id':
    case 'a credential.user_id':
    case 'the parameters of an activity.user_id':
    case 'the parameters of an activity.user_ids':
      return names.users.map(byId)
    case 'a user.tags':
      return names.userTags.map(byId)
    case 'a wallet.id':
    case 'the parameters of an activity.wallet_id':
      return names.wallets.map(byId)
    case 'a private key.id':
      return names.privateKeys.map(byId)
    case 'an activity.kind':
      return activityKinds.map(value)
    case 'an activity.type':
      return Object.values(activityTypes).map(value)
    default:
      return []
  }
}

const activityKinds = [...new Set(Object.values(activityTypes).flatMap((type) => activityKindOf(type) ?? []))].sort()

const value = (label: string): Suggestion => ({ label, kind: 'value' })
const byId = ({ id, name }: Known): Suggestion => ({ label: id, detail: name, kind: 'value' })

/** The index behind the field that a string after these tokens is compared with. */
function endOfField(tokens: Tokens): number | undefined {
  const last = tokens.length - 1
  if (isSymbol(tokens[last], '==') || isSymbol(tokens[last], '!=')) return last
  const method = tokens[last - 1]
  if (isSymbol(tokens[last], '(') && method?.kind === 'name' && method.name === 'contains') return last - 2
  let open = last
  while (isSymbol(tokens[open], ',') || tokens[open]?.kind === 'string') open -= 1
  const word = tokens[open - 1]
  return isSymbol(tokens[open], '[') && word?.kind === 'name' && word.name === 'in' ? open - 1 : undefined
}

function typeName(type: Type): string {
  return type.kind === 'list' || type.kind === 'map' ? `${type.kind}<${type.item.kind}>` : type.kind
}
