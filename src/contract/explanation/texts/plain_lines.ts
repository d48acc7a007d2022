import { visibleText } from '../../../protocol/tools/visible_text.ts'
import type { Explanation, Row, Title, Value } from '../explanation.ts'
import { durationText } from './durations.ts'
import { englishTexts, inWords, noteParts, titleParts } from './label_texts.ts'
import { quoted } from './quoted.ts'
import { runsOf } from './runs.ts'

/** The rows of one label, or the items of one list, that lines have. The console shows what else the explanation has. */
const linesMax = 100

/** Renders an explanation as lines of English. Texts that somebody set stand in “ ”, with all that could mislead visible. */
export function plainLines({ title, sections }: Explanation): readonly string[] {
  return [
    titleLine(title),
    ...sections.flatMap(({ kind, rows }) => ['', englishTexts.sections[kind], ...rowsLines(rows, 1)]),
  ]
}

/** The title as one line. */
export function titleLine(title: Title): string {
  return sentence(titleParts(title))
}

function sentence(parts: ReturnType<typeof titleParts>): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : inline(part)))
    .join('')
    .trimEnd()
}

/** Shows the first of many rows with one label. */
function rowsLines(rows: readonly Row[], depth: number): readonly string[] {
  return runsOf(rows).flatMap((run) => {
    const { shown, more, leftOut } = firstOf(run, ({ value }) => value)
    return [
      ...shown.flatMap((each) => rowLines(each, depth)),
      ...more.map((text) => `${'  '.repeat(depth)}${text}`),
      ...leftOut.flatMap((each) => rowLines(each, depth)),
    ]
  })
}

/** The first items, how many more the console shows, and what says that nothing shows the others. */
function firstOf<T>(items: readonly T[], toValue: (item: T) => Value) {
  const isLeftOut = (item: T) => toValue(item).kind === 'leftOut'
  const there = items.filter((item) => !isLeftOut(item))
  const moreCount = Math.max(0, there.length - linesMax)
  return {
    shown: there.slice(0, linesMax),
    more: moreCount === 0 ? [] : [`${moreCount} more, which the console shows`],
    leftOut: items.filter(isLeftOut),
  }
}

function rowLines(each: Row, depth: number): readonly string[] {
  const label = 'label' in each ? inWords(each.label) : quoted(each.name)
  return valueLines(label, each.value, depth)
}

function valueLines(label: string, value: Value, depth: number): readonly string[] {
  const indent = '  '.repeat(depth)
  switch (value.kind) {
    case 'tree':
      return [`${indent}${label}:`, ...rowsLines(value.rows, depth + 1)]
    case 'list': {
      if (value.items.every(isPlain)) return [`${indent}${label}: ${listText(value.items)}`]
      const { shown, more, leftOut } = firstOf(value.items, (item) => item)
      return [
        `${indent}${label}:`,
        ...shown.flatMap((item, index) => valueLines(String(index + 1), item, depth + 1)),
        ...[...more, ...leftOut.map(inline)].map((text) => `${indent}  ${text}`),
      ]
    }
    case 'change':
      return isPlain(value.from) && isPlain(value.to)
        ? [`${indent}${label}: ${inline(value.from)} → ${inline(value.to)}`]
        : [`${indent}${label}:`, ...valueLines('from', value.from, depth + 1), ...valueLines('to', value.to, depth + 1)]
    default:
      return [`${indent}${label}: ${inline(value)}`]
  }
}

function isPlain({ kind }: Value): boolean {
  return kind !== 'tree' && kind !== 'list'
}

/** A value on one line. */
export function inline(value: Value): string {
  switch (value.kind) {
    case 'text':
      return value.characters === undefined
        ? quoted(value.text)
        : `${quoted(value.text)} (the beginning of ${value.characters} characters)`
    case 'code':
      return inWords(value.code)
    case 'number':
      return value.number
    case 'amount':
      return amountText(value)
    case 'chain':
      return [value.name, value.caip2 === undefined ? undefined : `(${value.caip2})`].filter(Boolean).join(' ')
    case 'address':
      return named(visibleText(value.address).text, value.name, value.account)
    case 'id':
      return named(`${value.of === undefined ? '' : `${inWords(value.of)} `}${value.id}`, value.name)
    case 'time':
      return value.at
    case 'duration':
      return durationText(value.seconds)
    case 'hex':
      return `${value.hex}${value.isCut === true ? '…' : ''} (${value.bytes} bytes)`
    case 'note':
      return `[${sentence(noteParts(value))}${value.detail === undefined ? '' : `: ${quoted(value.detail)}`}]`
    case 'leftOut':
      return `${value.count} more${value.sum === undefined ? '' : `, together ${inline(value.sum)}`}, which nothing shows`
    case 'list':
      return listText(value.items)
    case 'tree':
      return value.rows
        .map((each) => `${'label' in each ? inWords(each.label) : quoted(each.name)} ${inline(each.value)}`)
        .join('; ')
    case 'change':
      return `${inline(value.from)} → ${inline(value.to)}`
  }
}

function listText(items: readonly Value[]): string {
  const { shown, more, leftOut } = firstOf(items, (item) => item)
  return [...shown.map(inline), ...more, ...leftOut.map(inline)].join(', ')
}

function amountText({ smallest, smallestUnit, units, unit, token }: Extract<Value, { kind: 'amount' }>): string {
  const least = `${grouped(smallest)} ${smallestUnit ?? 'of the smallest unit'}`
  if (units !== undefined && unit !== undefined) return `${units} ${unit} (${least})`
  return token === undefined ? least : `${least} of the token ${visibleText(token).text}`
}

/** Digits in groups of three, with blanks that do not break. */
function grouped(digits: string): string {
  return BigInt(digits).toLocaleString('en').replaceAll(',', '\u00a0')
}

/** The quotes keep the name of a wallet from looking like that of a wallet and an account. */
function named(text: string, ...names: readonly (string | undefined)[]): string {
  const given = names.flatMap((name) => (name === undefined ? [] : [quoted(name)]))
  return given.length === 0 ? text : `${given.join(' ')} (${text})`
}
