import { isIntegerInRange } from '../expression_values.ts'
import { type Message, message } from '../message.ts'
import { Problem } from '../problem.ts'

/** A piece of the text from `start` to before `end`, in UTF-16 units. `end` of the text is a token too. */
export type Token = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'symbol'; readonly symbol: Symbols }
  | { readonly kind: 'end' }
)

/** The longest first: `<=` is not `<` and `=`. */
const symbols = ['&&', '||', '==', '!=', '<=', '>=', '..', '<', '>', '!', '+', '.', ',', '(', ')', '[', ']'] as const
export type Symbols = (typeof symbols)[number]

/** Characters that people write for something that the language writes differently or lacks. */
const mistakes: readonly (readonly [string, Message])[] = [
  ['=', message`compare with ==`],
  ['&', message`and is written &&`],
  ['|', message`or is written ||`],
  ['"', message`strings stand in single quotes: 'like this'`],
  ['`', message`strings stand in single quotes: 'like this'`],
  ['‘', message`strings stand in straight single quotes: 'like this'`],
  ['’', message`strings stand in straight single quotes: 'like this'`],
  ['“', message`strings stand in straight single quotes: 'like this'`],
  ['”', message`strings stand in straight single quotes: 'like this'`],
  ['-', message`there is no subtraction; add the term on the other side of the comparison`],
  ['*', message`there is no multiplication`],
  ['/', message`there is no division`],
  ['%', message`there is no remainder`],
  ['{', message`there are no structs to write, only to read`],
  ['?', message`there is no conditional operator; use && and ||`],
  [';', message`a text holds one expression`],
]

/** u256 has up to 78 digits, and a minus may precede the digits of an integer. */
const integerCharactersMax = 79

/** Splits a text into tokens. Throws `Problem` where no token begins. */
export function tokensOf(text: string): readonly Token[] {
  return [...readTokens(text)]
}

/** The same tokens one by one, so that those before a problem are known. */
export function* readTokens(text: string): Generator<Token> {
  let before: Token | undefined
  for (let offset = afterSpace(text, 0); offset < text.length; offset = afterSpace(text, before.end)) {
    before = tokenAt(text, offset, before)
    yield before
  }
  yield { kind: 'end', start: text.length, end: text.length }
}

function tokenAt(text: string, start: number, before: Token | undefined): Token {
  const character = text.charAt(start)
  if (character === "'") return stringAt(text, start)
  if (isDigit(character)) return integerAt(text, start)
  // After an operand a minus can only mean a subtraction.
  if (character === '-' && !endsOperand(before) && isDigit(text.charAt(start + 1))) return integerAt(text, start)
  if (isLetter(character)) {
    const end = afterAll(text, start, (other) => isLetter(other) || isDigit(other))
    return { kind: 'name', name: text.slice(start, end), start, end }
  }
  const symbol = symbols.find((candidate) => text.startsWith(candidate, start))
  if (symbol !== undefined) return { kind: 'symbol', symbol, start, end: start + symbol.length }
  const [, hint] = mistakes.find(([written]) => written === character) ?? []
  const found = JSON.stringify(character)
  throw new Problem(start, hint === undefined ? message`found ${found}` : message`found ${found}; ${hint}`)
}

/** Reads a string in single quotes. `\'` is a quote and `\\` a backslash. */
function stringAt(text: string, start: number): Token {
  let value = ''
  for (let offset = start + 1; offset < text.length; offset++) {
    const character = text.charAt(offset)
    if (character === "'") return { kind: 'string', value, start, end: offset + 1 }
    if (character < ' ') throw new Problem(offset, message`a string holds no line breaks and no control characters`)
    if (character !== '\\') {
      value += character
      continue
    }
    offset += 1
    const escaped = text.charAt(offset)
    if (escaped !== "'" && escaped !== '\\') {
      throw new Problem(offset - 1, message`after a backslash a string has ' or another backslash, nothing else`)
    }
    value += escaped
  }
  throw new Problem(start, message`this string has no closing '; inside a string a quote is written \\'`)
}

function integerAt(text: string, start: number): Token {
  const digits = text.charAt(start) === '-' ? start + 1 : start
  const end = afterAll(text, digits, isDigit)
  if (isLetter(text.charAt(end))) {
    throw new Problem(start, message`an integer is written in decimal digits alone: no 0x, no exponent, no underscore`)
  }
  if (text.charAt(end) === '.' && isDigit(text.charAt(end + 1))) {
    throw new Problem(start, message`there are no fractions; amounts are in the smallest unit, such as wei`)
  }
  if (text.charAt(digits) === '0' && end > digits + 1) {
    throw new Problem(start, message`an integer does not begin with 0; without quotes it is a number, not an address`)
  }
  const value = end - start > integerCharactersMax ? undefined : BigInt(text.slice(start, end))
  if (value === undefined || !isIntegerInRange(value)) {
    throw new Problem(start, message`an integer is between -2^127 and 2^256 - 1`)
  }
  return { kind: 'integer', value, start, end }
}

function endsOperand(token: Token | undefined): boolean {
  if (token === undefined) return false
  if (token.kind === 'symbol') return token.symbol === ')' || token.symbol === ']'
  return token.kind !== 'name' || token.name !== 'in'
}

function afterSpace(text: string, start: number): number {
  return afterAll(text, start, (character) => [' ', '\t', '\n', '\r'].includes(character))
}

function afterAll(text: string, start: number, belongs: (character: string) => boolean): number {
  let offset = start
  while (offset < text.length && belongs(text.charAt(offset))) offset += 1
  return offset
}

function isDigit(character: string): boolean {
  return /^[0-9]$/.test(character)
}

function isLetter(character: string): boolean {
  return /^[A-Za-z_]$/.test(character)
}
