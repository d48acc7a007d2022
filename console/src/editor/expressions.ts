import { check } from '../../../src/policy/language/checking/check.ts'
import { message, type Translations, textOf } from '../../../src/policy/language/message.ts'
import { type ExpressionKind, functions, keywords } from '../../../src/policy/language/names/keywords.ts'
import { Problem } from '../../../src/policy/language/problem.ts'
import { parse } from '../../../src/policy/language/reading/parse.ts'
import { readTokens, type Token } from '../../../src/policy/language/reading/tokens.ts'
import { everyPart, predicateMethods } from '../../../src/policy/language/syntax.ts'

/** The longest text that the server takes. */
export const expressionCharactersMax = 5_000

/** Why a text is no expression of its kind. The place is in UTF-16 units from 0, `end` is exclusive. */
export type ExpressionProblem = { readonly start: number; readonly end: number; readonly message: string }

export type ExpressionRules = {
  readonly kind: ExpressionKind
  /** Conditions of MFA policies have no sums and no velocity controls. */
  readonly isStateless?: true
}

/** Checks a text as the server does. The empty text is always true. The message is English without translations. */
export function problemIn(
  text: string,
  { kind, isStateless }: ExpressionRules,
  translations?: Translations,
): ExpressionProblem | undefined {
  if (text === '') return undefined
  try {
    if (text.length > expressionCharactersMax) {
      throw new Problem(
        expressionCharactersMax,
        message`an expression has at most ${expressionCharactersMax} characters`,
      )
    }
    const expression = parse(text)
    const [never] = check(expression, kind, text).neverEqual
    if (never !== undefined) throw never
    if (isStateless) {
      for (const { kind: part, start, ...rest } of everyPart(expression)) {
        const isCounted = part === 'spent' || (part === 'name' && 'name' in rest && rest.name === 'controls')
        if (isCounted) throw new Problem(start, message`spending limits and velocity controls are for policies`)
      }
    }
    return undefined
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { start: error.offset, end: endOfWord(text, error.offset), message: textOf(error.reason, translations) }
  }
}

/** The word, the string or the one character at the offset. */
function endOfWord(text: string, offset: number): number {
  const [word = ''] = /^(\w+|'(\\.|[^'\\\n])*'?|&&|\|\||[\s\S])/.exec(text.slice(offset)) ?? []
  return offset + word.length
}

/** A piece of an expression that is shown in a colour of its own. */
export type CodePart = {
  readonly start: number
  readonly end: number
  readonly kind: 'string' | 'number' | 'word' | 'root' | 'method' | 'operator'
}

/** The pieces up to the first character that no token begins with. */
export function codeParts(text: string, kind: ExpressionKind): readonly CodePart[] {
  const parts: CodePart[] = []
  let before: Token | undefined
  for (const token of knownTokens(text)) {
    const shownAs = kindOf(token, { before, kind })
    if (shownAs !== undefined) parts.push({ start: token.start, end: token.end, kind: shownAs })
    before = token
  }
  return parts
}

function* knownTokens(text: string): Generator<Token> {
  try {
    yield* readTokens(text)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
  }
}

const symbolsOfOperators = ['&&', '||', '==', '!=', '<=', '>=', '<', '>', '!', '+']
const words = ['true', 'false', 'in']
const methods: readonly string[] = [...predicateMethods, 'contains', 'count']

type Place = { readonly before: Token | undefined; readonly kind: ExpressionKind }

function kindOf(token: Token, { before, kind }: Place): CodePart['kind'] | undefined {
  switch (token.kind) {
    case 'string':
      return 'string'
    case 'integer':
      return 'number'
    case 'symbol':
      return symbolsOfOperators.includes(token.symbol) ? 'operator' : undefined
    case 'end':
      return undefined
    case 'name': {
      const { name } = token
      if (before?.kind === 'symbol' && before.symbol === '.') return methods.includes(name) ? 'method' : undefined
      if (words.includes(name)) return 'word'
      if (functions[kind].includes(name)) return 'method'
      return keywords[kind].has(name) ? 'root' : undefined
    }
  }
}
