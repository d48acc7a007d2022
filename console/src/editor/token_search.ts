import { type Symbols, type Token, tokensOf } from '../../../src/policy/language/reading/tokens.ts'

/** The tokens of a text without its end. Throws `Problem`. */
export function tokensIn(text: string): readonly Token[] {
  return tokensOf(text).slice(0, -1)
}

export function isSymbol(token: Token | undefined, symbol: Symbols): boolean {
  return token?.kind === 'symbol' && token.symbol === symbol
}

/** The index of the parenthesis or bracket that the one at `close` closes; -1 if there is none. */
export function openingOf(tokens: readonly Token[], close: number): number {
  let depth = 0
  for (let index = close; index >= 0; index--) {
    if (isSymbol(tokens[index], ')') || isSymbol(tokens[index], ']')) depth += 1
    if (isSymbol(tokens[index], '(') || isSymbol(tokens[index], '[')) depth -= 1
    if (depth === 0) return index
  }
  return -1
}
