import { withoutEnd } from '../../protocol/tools/without_end.ts'
import { sumOf } from '../spending.ts'
import {
  type aggregationOperators,
  type Counted,
  countsSignatures,
  fractionDigits,
  groupingOf,
  holds,
  totalOf,
  type VelocityRule,
  windowMsOf,
} from './velocity_control.ts'

/** The amounts of a bucket, and the amount that the request adds: `added` is undefined if it cannot be read. */
type Amounts = { readonly counted: Counted; readonly added: bigint | undefined; readonly nowMs: number }

const signs: Readonly<Record<(typeof aggregationOperators)[number], string>> = {
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN: '<',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL: '<=',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_EQUAL: '=',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN_OR_EQUAL: '>=',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN: '>',
}

const ownersOfCounts = { organization: 'the organization', user: 'the submitter', wallet: 'the wallet or private key' }

/**
 * Says how a control came to its value: what is signed, what is reserved beyond it, what the request adds, the
 * comparison, and when there is room again.
 */
export function explainControl(control: VelocityRule, { counted, added, nowMs }: Amounts): string {
  const { method, operator, threshold } = control.aggregation
  const counts = method === 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT' ? 'the count' : 'the sum'
  const before = totalOf(control, counted, nowMs)
  const stored = sumOf(counted.stored, { nowMs, durationMs: windowMsOf(control) })
  const reserved =
    before > stored ? `, of which ${textOf(control, before - stored)} is reserved for requests without an outcome` : ''
  const adds =
    added === undefined
      ? 'what is signed cannot be read, so it may add any amount'
      : `this request adds ${textOf(control, added)}`
  const owner = ownersOfCounts[groupingOf(control)]
  const room = roomText(control, { counted, added, nowMs })
  const limit = withUnit(control, threshold)
  return `${counts} of ${owner} is ${textOf(control, before)}${reserved}, ${adds}, the comparison is ${signs[operator]} ${limit}${room}`
}

function roomText(control: VelocityRule, { counted, added, nowMs }: Amounts): string {
  if (!control.aggregation.operator.includes('_LESS_THAN') || added === undefined) return ''
  if (holds(control, totalOf(control, counted, nowMs) + added)) return ''
  if (!holds(control, added)) return '; this request alone adds too much'
  const windowMs = windowMsOf(control)
  if (windowMs === Infinity) return '; the window has no end, so there will be no room for it'
  const times = [counted.stored, counted.booked].map((amounts) => {
    const within = amounts.filter(({ atMs }) => nowMs - atMs < windowMs).toSorted((one, other) => one.atMs - other.atMs)
    let sum = within.reduce((before, { amount }) => before + amount, added)
    let atMs = nowMs
    for (const amount of within) {
      if (holds(control, sum)) break
      sum -= amount.amount
      atMs = amount.atMs + windowMs
    }
    return atMs
  })
  return `; there is room for it from ${Temporal.Instant.fromEpochMilliseconds(Math.max(...times)).toString()} on`
}

function textOf(control: VelocityRule, amount: bigint): string {
  const digits = String(amount).padStart(fractionDigits + 1, '0')
  const fraction = withoutEnd(digits.slice(-fractionDigits), '0')
  return withUnit(control, digits.slice(0, -fractionDigits) + (fraction === '' ? '' : `.${fraction}`))
}

/** A number with what it counts. */
function withUnit({ dataSource, aggregation }: VelocityRule, decimal: string): string {
  const { chainAssetTransfer } = dataSource
  if (countsSignatures({ dataSource })) return `${decimal} ${decimal === '1' ? 'signature' : 'signatures'}`
  if (chainAssetTransfer === undefined) return `${decimal} ${decimal === '1' ? 'activity' : 'activities'}`
  if (aggregation.method === 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT')
    return `${decimal} ${decimal === '1' ? 'transfer' : 'transfers'}`
  const [asset, ...others] = chainAssetTransfer.definition
  if (others.length > 0) return `${decimal} units of ${others.length + 1} assets`
  return `${decimal} ${asset?.caip19}`
}
