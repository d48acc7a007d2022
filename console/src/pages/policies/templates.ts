import type { ExpressionKind } from '../../../../src/policy/language/names/keywords.ts'
import { Problem } from '../../../../src/policy/language/problem.ts'
import { parse } from '../../../../src/policy/language/reading/parse.ts'
import { quoted } from '../../../../src/policy/language/reading/print.ts'
import { findTimeZone } from '../../../../src/policy/language/time/cron_span.ts'

/** Each template with what it asks for, in order. */
export const templates = {
  approvals: ['count', 'tag'],
  daily: ['ether', 'chainId'],
  recipient: ['address', 'chainId'],
  contracts: ['addresses', 'chainId'],
  hours: ['days', 'from', 'to', 'zone'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type Template = keyof typeof templates
export type TemplateField = (typeof templates)[Template][number]
export type TemplateValues = Readonly<Record<TemplateField, string>>

/** The clauses that a template adds to each expression, all of which must hold. */
export type Clauses = Readonly<Partial<Record<ExpressionKind, readonly string[]>>>

/** The clauses, or the first field that is not filled in as it must be. */
export function clausesOf(template: Template, values: TemplateValues): Clauses | { readonly wrong: TemplateField } {
  const wrong = templates[template].find((field) => !forms[field](values[field].trim()))
  return wrong === undefined ? builders[template](values) : { wrong }
}

const etherDecimals = 18
const address = /^0x[0-9a-fA-F]{40}$/
const addressesMax = 100
const timeOfDay = /^([01]\d|2[0-3]):([0-5]\d)$/

const forms: Readonly<Record<TemplateField, (text: string) => boolean>> = {
  count: (text) => /^[1-9]\d?$|^100$/.test(text),
  tag: (text) => text !== '',
  ether: (text) => /^\d{1,12}(\.\d{1,18})?$/.test(text) && /[1-9]/.test(text),
  chainId: (text) => /^[1-9]\d{0,17}$/.test(text),
  address: (text) => address.test(text),
  addresses: (text) => {
    const lines = linesOf(text)
    return lines.length > 0 && lines.length <= addressesMax && lines.every((line) => address.test(line))
  },
  days: (text) => Object.hasOwn(cronDays, text),
  from: (text) => timeOfDay.test(text),
  to: (text) => timeOfDay.test(text),
  zone: (text) => findTimeZone(text) !== undefined,
}

export const cronDays = { weekdays: '1-5', everyDay: '*' } as const

const signs = "activity.kind == 'SIGN_TRANSACTION'"
/** A transaction without data calls no contract, so it moves no tokens. */
const callsNothing = "eth.tx.data == '0x'"
const onChain = (chainId: string) => `eth.tx.chain_id == ${chainId.trim()}`

const builders: Readonly<Record<Template, (values: TemplateValues) => Clauses>> = {
  approvals: ({ count, tag }) => ({
    consensus: [`approvers.filter(user, user.tags.contains(${quoted(tag)})).count() >= ${count.trim()}`],
  }),
  daily: ({ ether, chainId }) => ({
    condition: [
      signs,
      onChain(chainId),
      callsNothing,
      `spent('eth.tx.value', '24h') + eth.tx.value <= ${weiOf(ether.trim())}`,
    ],
  }),
  recipient: ({ address: to, chainId }) => ({
    condition: [signs, onChain(chainId), callsNothing, `eth.tx.to == ${quoted(to.trim())}`],
  }),
  contracts: ({ addresses, chainId }) => ({
    condition: [signs, onChain(chainId), `eth.tx.to in [${linesOf(addresses).map(quoted).join(', ')}]`],
  }),
  hours: ({ days, from, to, zone }) => {
    const [startMinutes, endMinutes] = [minutesOf(from), minutesOf(to)]
    const minutes = (endMinutes - startMinutes + minutesPerDay) % minutesPerDay || minutesPerDay
    const cron = `${startMinutes % 60} ${Math.floor(startMinutes / 60)} * * ${days === 'weekdays' ? cronDays.weekdays : cronDays.everyDay}`
    return { time: [`CronSpan(${[cron, durationText(minutes), zone.trim()].map(quoted).join(', ')})`] }
  },
}

const minutesPerDay = 24 * 60

function minutesOf(text: string): number {
  const [, hours = '0', minutes = '0'] = timeOfDay.exec(text.trim()) ?? []
  return Number(hours) * 60 + Number(minutes)
}

function durationText(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return `${hours === 0 ? '' : `${hours}h`}${rest === 0 ? '' : `${rest}m`}`
}

function weiOf(ether: string): bigint {
  const [whole = '', fraction = ''] = ether.split('.')
  return BigInt(whole + fraction.padEnd(etherDecimals, '0'))
}

function linesOf(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((line) => line !== ''))]
}

/**
 * Adds clauses to an expression. A clause that stands there already is not added again. Undefined if the expression has
 * a mistake: nobody knows what would belong together once it is mended.
 */
export function withClauses(text: string, clauses: readonly string[]): string | undefined {
  const existing = text.trim()
  if (existing === '') return clauses.join(' &&\n')
  try {
    const root = parse(existing)
    const operands = root.kind === 'and' ? root.operands : [root]
    const known = operands.map(({ start, end }) => existing.slice(start, end))
    const added = clauses.filter((clause) => !known.includes(clause))
    return [root.kind === 'or' ? `(${existing})` : existing, ...added].join(' &&\n')
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
