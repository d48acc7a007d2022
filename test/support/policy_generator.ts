import fc from 'fast-check'
import type { Struct, Value } from '../../src/policy/language/expression_values.ts'
import { type ExpressionKind, functions, keywords } from '../../src/policy/language/names/keywords.ts'
import type { Type } from '../../src/policy/language/names/types.ts'
import type { Environment } from '../../src/policy/language/running/evaluate.ts'
import type { Expression } from '../../src/policy/language/syntax.ts'
import { parseCronSpan } from '../../src/policy/language/time/cron_span.ts'
import { parseDuration } from '../../src/policy/language/time/durations.ts'

/**
 * Generates well-typed expressions, and environments that have most of the values that expressions read. The pools of
 * values are small, so that values are often equal.
 */
export type Pick = ReturnType<typeof fc.gen> extends fc.Arbitrary<infer P> ? P : never

/** The place of a generated expression, which only the parser can know. */
const nowhere = { start: 0, end: 0 }
const depthMax = 5
const limits = [-(2n ** 127n), 2n ** 127n, 2n ** 256n - 1n]
const integers = [0n, 1n, 2n, 3n, 5n, -1n, 10n ** 18n, ...limits]
const strings = [
  '',
  'a',
  'b',
  'abc',
  "it's",
  'back\\slash',
  '0xAb',
  '0xaB',
  '0x',
  '0xg',
  'ß😀',
  'SIGN',
  'LEGACY',
  '__proto__',
]
const keys = ['a', 'b', '__proto__', "it's", 'constructor']
const times = [
  '2026-03-01T00:00:00Z',
  '2026-03-29T01:30:00.5z',
  '2026-10-25T00:59:59.999+00:00',
  '1969-12-31T23:59:59-00:00',
]
const crons = ['0 9 * * 1-5', '30 2 * * *', '0 22 * * *', '15 1 1,29 * 0', '* * * * *', '0 0 29 2 *']
const durations = ['1m', '8h', '90m', '1d12h', '7d']
export const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Pacific/Apia']
/** Instants around the clock changes of these zones. */
const instants = [
  '2026-03-29T01:00:00Z',
  '2026-10-25T01:00:00Z',
  '2026-03-08T07:00:00Z',
  '2026-11-01T06:00:00Z',
  '2026-04-04T15:00:00Z',
  '2028-02-29T12:00:00Z',
]

type Wanted = 'bool' | 'integer' | 'string' | 'timestamp' | 'list'
type Scope = { readonly kind: ExpressionKind; readonly sources: readonly Source[]; readonly pick: Pick }
/** A readable expression with its type. */
type Source = { readonly expression: Expression; readonly type: Type }

export function generatedExpression(pick: Pick, kind: ExpressionKind): Expression {
  const sources = [...keywords[kind]].flatMap(([name, type]) =>
    reachable({ expression: { kind: 'name', name, ...nowhere }, type }),
  )
  return generated('bool', depthMax, { kind, sources, pick })
}

/** The fields that dots reach. */
function reachable({ expression, type }: Source): readonly Source[] {
  if (type.kind !== 'struct') return [{ expression, type }]
  return [...type.fields].flatMap(([name, field]) =>
    reachable({ expression: { kind: 'field', of: expression, name, ...nowhere }, type: field }),
  )
}

function generated(wanted: Wanted, depth: number, scope: Scope): Expression {
  const { pick } = scope
  const isLeaf = depth <= 0 || pick(fc.integer, { min: 0, max: 9 }) < 2
  if (isLeaf) return leaf(wanted, scope)
  switch (wanted) {
    case 'bool':
      return generatedBoolean(depth, scope)
    case 'integer':
      return generatedInteger(depth, scope)
    case 'string':
      return accessed(wanted, depth, scope)
    case 'timestamp':
      return leaf(wanted, scope)
    case 'list':
      return generatedList(depth, scope).expression
  }
}

function generatedBoolean(depth: number, scope: Scope): Expression {
  const { pick } = scope
  const below = (wanted: Wanted) => generated(wanted, depth - 1, scope)
  switch (
    oneOf(pick, [
      'chain',
      'chain',
      'not',
      'compare',
      'compare',
      'compare',
      'order',
      'in',
      'contains',
      'predicate',
      'access',
    ])
  ) {
    case 'chain': {
      const count = pick(fc.integer, { min: 2, max: 4 })
      const operands = Array.from({ length: count }, () => below('bool'))
      return { kind: oneOf(pick, ['and', 'or']), operands, ...nowhere }
    }
    case 'not':
      return { kind: 'not', operand: below('bool'), ...nowhere }
    case 'compare': {
      const wanted = oneOf(pick, ['bool', 'integer', 'integer', 'string', 'string']) satisfies Wanted
      return comparison(oneOf(pick, ['==', '!=']), below(wanted), below(wanted))
    }
    case 'order': {
      const wanted = scope.kind === 'time' ? oneOf(pick, ['integer', 'timestamp']) : 'integer'
      return comparison(oneOf(pick, ['<', '<=', '>', '>=', '==', '!=']), below(wanted), below(wanted))
    }
    case 'in':
    case 'contains': {
      const { item, expression } = scalarList(depth, scope)
      const value = below(item)
      return pick(fc.boolean)
        ? comparison('in', value, expression)
        : { kind: 'contains', of: expression, item: value, ...nowhere }
    }
    case 'predicate':
      return predicate(oneOf(pick, ['all', 'any']), depth, scope).expression
    default:
      return accessed('bool', depth, scope)
  }
}

function generatedInteger(depth: number, scope: Scope): Expression {
  const { pick } = scope
  switch (oneOf(pick, ['sum', 'count', 'spent', 'access'])) {
    case 'sum': {
      const count = pick(fc.integer, { min: 2, max: 3 })
      const operands = Array.from({ length: count }, () => generated('integer', depth - 1, scope))
      return { kind: 'sum', operands, ...nowhere }
    }
    case 'count':
      return { kind: 'count', of: generated('list', depth - 1, scope), ...nowhere }
    case 'spent': {
      if (!functions[scope.kind].includes('spent')) return leaf('integer', scope)
      const duration = oneOf(pick, durations)
      const path = oneOf(pick, ['eth.tx.value', 'bitcoin.tx.fee'])
      return { kind: 'spent', path, duration, durationMs: parseDuration(duration) ?? 0, ...nowhere }
    }
    default:
      return accessed('integer', depth, scope)
  }
}

/** An item of a list, a value of a map, a part of a string. */
function accessed(wanted: 'bool' | 'integer' | 'string', depth: number, scope: Scope): Expression {
  const { pick } = scope
  const index = () => smallInteger(depth, scope)
  switch (oneOf(pick, ['item', 'key', 'part', 'slice'])) {
    case 'item': {
      const items = Array.from({ length: pick(fc.integer, { min: 1, max: 3 }) }, () =>
        generated(wanted, depth - 2, scope),
      )
      return { kind: 'index', of: { kind: 'list', items, ...nowhere }, index: index(), ...nowhere }
    }
    case 'key': {
      const maps = scope.sources.filter(({ type }) => type.kind === 'map' && fits(type.item, wanted))
      if (maps.length === 0) return leaf(wanted, scope)
      const key: Expression = { kind: 'string', value: oneOf(pick, keys), ...nowhere }
      return { kind: 'index', of: oneOf(pick, maps).expression, index: key, ...nowhere }
    }
    default: {
      if (wanted !== 'string') return leaf(wanted, scope)
      const of = generated('string', depth - 1, scope)
      if (pick(fc.boolean)) return { kind: 'index', of, index: index(), ...nowhere }
      return { kind: 'slice', of, from: index(), to: index(), ...nowhere }
    }
  }
}

function smallInteger(depth: number, scope: Scope): Expression {
  const value = oneOf(scope.pick, [0n, 0n, 1n, 2n, 3n, -1n])
  return scope.pick(fc.integer, { min: 0, max: 5 }) > 0
    ? { kind: 'integer', value, ...nowhere }
    : generated('integer', depth - 2, scope)
}

function scalarList(depth: number, scope: Scope): { item: 'bool' | 'integer' | 'string'; expression: Expression } {
  const { pick } = scope
  const item = oneOf(pick, ['integer', 'string', 'string', 'bool'])
  const length = pick(fc.integer, { min: 0, max: 4 })
  const items = Array.from({ length }, () => generated(item, depth - 2, scope))
  const list: Expression = { kind: 'list', items, ...nowhere }
  if (pick(fc.integer, { min: 0, max: 3 }) > 0) return { item, expression: list }
  return {
    item,
    expression: {
      kind: 'slice',
      of: list,
      from: smallInteger(depth, scope),
      to: smallInteger(depth, scope),
      ...nowhere,
    },
  }
}

/**
 * Picks a number, not the item. `fc.gen` compares the arguments of each pick with those of all before, which takes long
 * for expressions.
 */
function oneOf<const Item>(pick: Pick, items: readonly Item[]): Item {
  if (items.length === 0) throw new Error('there is nothing to pick from')
  return items[pick(anyNumber) % items.length] as Item
}

/** Each number is as likely as any other. By itself `fc.nat` prefers the first and the last ones. */
const anyNumber = () => fc.noBias(fc.nat())

function generatedList(depth: number, scope: Scope): Source {
  return scope.pick(fc.boolean) ? predicate('filter', depth, scope) : listSource(depth, scope)
}

/** A list of any items, with its type. */
function listSource(depth: number, scope: Scope): Source {
  const known = scope.sources.filter(({ type }) => type.kind === 'list')
  if (known.length > 0 && scope.pick(fc.boolean)) return oneOf(scope.pick, known)
  const { item, expression } = scalarList(depth, scope)
  const isEmpty = expression.kind === 'list' && expression.items.length === 0
  const kind = isEmpty ? 'any' : item === 'integer' ? 'int' : item
  return { expression, type: { kind: 'list', item: { kind } } }
}

function predicate(method: 'all' | 'any' | 'filter', depth: number, scope: Scope): Source {
  const { expression: of, type } =
    depth > 2 && scope.pick(fc.boolean) ? predicate('filter', depth - 2, scope) : listSource(depth, scope)
  const item: Type = type.kind === 'list' ? type.item : { kind: 'any' }
  const variable = `v${scope.sources.length}`
  const inner = reachable({ expression: { kind: 'name', name: variable, ...nowhere }, type: item })
  // The variable is among the sources 40 times, so that bodies often read it.
  const body = generated('bool', depth - 2, {
    ...scope,
    sources: [...scope.sources, ...Array.from({ length: 40 }, () => inner).flat()],
  })
  return { expression: { kind: 'predicate', of, method, variable, body, ...nowhere }, type: { kind: 'list', item } }
}

function leaf(wanted: Wanted, { kind, sources, pick }: Scope): Expression {
  const known = sources.filter(({ type }) => fits(type, wanted))
  if (known.length > 0 && pick(fc.integer, { min: 0, max: 2 }) > 0) {
    return oneOf(pick, known).expression
  }
  switch (wanted) {
    case 'bool': {
      if (kind === 'time' && pick(fc.boolean)) return cronSpan(pick)
      return { kind: 'boolean', value: pick(fc.boolean), ...nowhere }
    }
    case 'integer':
      return { kind: 'integer', value: oneOf(pick, integers), ...nowhere }
    case 'string':
      return { kind: 'string', value: oneOf(pick, strings), ...nowhere }
    case 'timestamp': {
      const text = oneOf(pick, times)
      return {
        kind: 'timestamp',
        text,
        timeMs: BigInt(Date.parse(text.toUpperCase().replace('-00:00', 'Z'))),
        ...nowhere,
      }
    }
    default:
      return { kind: 'list', items: [], ...nowhere }
  }
}

function cronSpan(pick: Pick): Expression {
  const texts = [oneOf(pick, crons), oneOf(pick, durations), oneOf(pick, zones)] as const
  const span = parseCronSpan(texts)
  if ('wrong' in span) throw new Error(`the generator's own ${texts.join(' ')} is refused`)
  return { kind: 'cron_span', texts, span, ...nowhere }
}

/** Whether the type fits. Fields that have only certain values are left to the tests of the checker. */
function fits(type: Type, wanted: Wanted): boolean {
  if (type.kind === 'string') return wanted === 'string' && type.oneOf === undefined
  if (type.kind === 'any') return ['bool', 'integer', 'string'].includes(wanted)
  return type.kind === (wanted === 'integer' ? 'int' : wanted) || (type.kind === 'uint' && wanted === 'integer')
}

function comparison(
  operator: (Expression & { kind: 'comparison' })['operator'],
  left: Expression,
  right: Expression,
): Expression {
  return { kind: 'comparison', operator, left, right, ...nowhere }
}

/** Makes the values that the expression reads. At times a field is missing, out of range or of another type. */
export function generatedEnvironment(pick: Pick, kind: ExpressionKind, text: string): Environment {
  const used = new Set(text.match(/\w+/g))
  const values = [...keywords[kind]]
    .filter(([name]) => used.has(name))
    .map(([name, type]) => [name, generatedValue(pick, type, used)])
  const sum = oneOf(pick, [...integers, undefined])
  const time = kind === 'time' ? [['time', { now: BigInt(instant(pick)) }]] : []
  return { keywords: Object.fromEntries([...values, ...time]), spent: () => sum }
}

export function instant(pick: Pick): number {
  const aroundMs = Date.parse(oneOf(pick, instants))
  const hours = pick(fc.integer, { min: -30, max: 30 })
  return aroundMs + hours * 900_000 + oneOf(pick, [0, -1, 1])
}

function generatedValue(pick: Pick, type: Type, used: ReadonlySet<string>): Value | undefined {
  const chance = pick(fc.integer, { min: 0, max: 60 })
  if (chance === 0) return undefined
  if (chance === 1) return oneOf<Value>(pick, ['other', 7n, true, [], new Map(), {}, 2n ** 256n, -(2n ** 127n) - 1n])
  switch (type.kind) {
    case 'bool':
      return pick(fc.boolean)
    case 'int':
    case 'uint':
    case 'timestamp':
      return oneOf(pick, integers)
    case 'string':
      return oneOf(pick, strings)
    case 'any':
      return oneOf<Value>(pick, [1n, 2n, 'a', 'b', true, ['a', 'b'], new Map([['a', 1n]])])
    case 'list': {
      const length = pick(fc.integer, { min: 0, max: 3 })
      return Array.from({ length }, () => generatedValue(pick, type.item, used)).filter((item) => item !== undefined)
    }
    case 'map': {
      const entries = keys.slice(0, 3).flatMap((key) => {
        const value = generatedValue(pick, type.item, used)
        return value === undefined ? [] : [[key, value] as const]
      })
      return new Map(entries)
    }
    case 'struct':
      return Object.fromEntries(
        [...type.fields]
          .filter(([name]) => used.has(name))
          .map(([name, field]) => [name, generatedValue(pick, field, used)]),
      ) satisfies Struct
  }
}
