import { onceFor } from '../../protocol/tools/once_for.ts'
import { withoutVersion } from '../language/names/activity_types.ts'
import { type Amount, sumOf } from '../spending.ts'
import { type Asset, parseAsset } from './assets.ts'
import { type Signed, transfersOf } from './transfers.ts'

export const aggregationMethods = [
  'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
  'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT',
] as const
export const aggregationOperators = [
  'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN',
  'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
  'VELOCITY_CONTROL_AGGREGATION_OPERATOR_EQUAL',
  'VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN_OR_EQUAL',
  'VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN',
] as const

/** The events of `activityExecution`. Without a unit, they are activities. */
export const activityUnits = ['VELOCITY_CONTROL_UNIT_ACTIVITY', 'VELOCITY_CONTROL_UNIT_SIGNATURE'] as const

type Filter = { readonly activity?: { readonly activityType: string }[] }
type Empty = Readonly<Record<never, never>>

/** The events that a control counts. Exactly one member is there. */
export type DataSource = {
  /** Transfers of these assets in signed transactions. `decimals`: those of the unit in which the threshold is given. */
  readonly chainAssetTransfer?: {
    readonly definition: { readonly caip19: string; readonly decimals: string }[]
    readonly filter?: Filter
    readonly phase?: { readonly signature?: Empty; readonly submission?: Empty }
  }
  /** Executed activities, or the payloads and transactions that they sign. `unit` is Claviger's own. */
  readonly activityExecution?: { readonly filter?: Filter; readonly unit?: (typeof activityUnits)[number] }
}

/** How a control counts, and the comparison that is its value in policies. */
export type Aggregation = {
  readonly method: (typeof aggregationMethods)[number]
  readonly operator: (typeof aggregationOperators)[number]
  /** A decimal, in the unit of the assets, in activities or in signatures. */
  readonly threshold: string
  /** `duration` in seconds. */
  readonly window: { readonly rolling?: { readonly duration: string }; readonly infinite?: Empty }
  readonly groupBy: { readonly organization?: Empty; readonly user?: Empty; readonly wallet?: Empty }
}

/** A counter with a comparison. Policies name it `controls.<identifier>`. */
export type VelocityRule = { readonly dataSource: DataSource; readonly aggregation: Aggregation }

/** Amounts are counted in 10^-18 of the unit: a threshold has no more digits. */
export const fractionDigits = 18
const one = 10n ** BigInt(fractionDigits)

type NamedAsset = Asset & { readonly decimals: number }

const compiledOf = onceFor(({ dataSource: { chainAssetTransfer, activityExecution }, aggregation }: VelocityRule) => {
  const { threshold, window, groupBy } = aggregation
  const filter = (chainAssetTransfer ?? activityExecution)?.filter
  return {
    assets: chainAssetTransfer?.definition.map(namedAsset),
    activityTypes: filter?.activity && new Set(filter.activity.map(({ activityType }) => withoutVersion(activityType))),
    threshold: amountOf(threshold),
    windowMs: window.rolling === undefined ? Infinity : Number(window.rolling.duration) * 1000,
    groupBy: groupBy.user ? ('user' as const) : groupBy.wallet ? ('wallet' as const) : ('organization' as const),
  }
})

function namedAsset({ caip19, decimals }: { readonly caip19: string; readonly decimals: string }): NamedAsset {
  const asset = parseAsset(caip19)
  if (asset === undefined) throw new Error(`${caip19} was stored and is no asset`)
  return { ...asset, decimals: Number(decimals) }
}

/** The length of the window; `Infinity` if it has no end. */
export function windowMsOf(control: VelocityRule): number {
  return compiledOf(control).windowMs
}

/** Says whether the organization has one amount, or each user, or each wallet. */
export function groupingOf(control: VelocityRule): 'organization' | 'user' | 'wallet' {
  return compiledOf(control).groupBy
}

/** Whether a control counts each payload and each transaction that is signed. */
export function countsSignatures({ dataSource }: Pick<VelocityRule, 'dataSource'>): boolean {
  return dataSource.activityExecution?.unit === 'VELOCITY_CONTROL_UNIT_SIGNATURE'
}

/**
 * Whether a control is about an operation. Those that count transfers or signatures are about operations that sign.
 * `type`: any of its activity types, also without version. A filter with one of them has all of them.
 */
export function isAbout(
  control: VelocityRule,
  { type, signs }: { readonly type: string; readonly signs: boolean },
): boolean {
  const { assets, activityTypes } = compiledOf(control)
  if ((assets !== undefined || countsSignatures(control)) && !signs) return false
  return activityTypes === undefined || activityTypes.has(withoutVersion(type))
}

/**
 * Returns the amount that an activity adds to a control that is about it. Undefined if what is signed cannot be read:
 * it may then be any amount.
 */
export function amountIn(
  control: VelocityRule,
  signed: Signed & { readonly signaturesCount: number },
): bigint | undefined {
  const { assets } = compiledOf(control)
  if (assets === undefined) return countsSignatures(control) ? BigInt(signed.signaturesCount) * one : one
  const transfers = transfersOf(signed, assets)
  if (control.aggregation.method === 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT') {
    return transfers && BigInt(transfers.length) * one
  }
  return transfers?.reduce((sum, { asset, amount }) => sum + inUnits(amount, asset), 0n)
}

/** More activities, signatures or transfers than anybody makes. */
const eventsMax = 10n ** 9n * one

/**
 * The totals of a control where somebody takes all that there is of its assets. One event that is counted may take
 * everything: the first, the one that reaches the threshold, or the last of very many.
 */
export function greatestTotals(control: VelocityRule, greatestOf: (asset: Asset) => bigint): readonly bigint[] {
  const { assets, threshold } = compiledOf(control)
  if (assets === undefined || control.aggregation.method === 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT') {
    const isReached = threshold >= one && threshold <= eventsMax && threshold % one === 0n
    return [one, ...(isReached ? [threshold] : []), eventsMax]
  }
  const amounts = assets.map((asset) => inUnits(greatestOf(asset), asset))
  return amounts.toSorted((one, other) => (one > other ? -1 : 1)).slice(0, 1)
}

/** Rounds up, so that no amount is lost. */
function inUnits(amount: bigint, { decimals }: NamedAsset): bigint {
  const divisor = 10n ** BigInt(decimals)
  return (amount * one + divisor - 1n) / divisor
}

/** Returns the value of `controls.<identifier>`. `total` is undefined if it may be any amount: that exceeds every limit. */
export function holds(control: VelocityRule, total: bigint | undefined): boolean {
  const { operator } = control.aggregation
  const { threshold } = compiledOf(control)
  if (total === undefined) return operator.includes('_GREATER_THAN')
  switch (operator) {
    case 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN':
      return total < threshold
    case 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL':
      return total <= threshold
    case 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_EQUAL':
      return total === threshold
    case 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN_OR_EQUAL':
      return total >= threshold
    case 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN':
      return total > threshold
  }
}

/** The amounts of one bucket: those that the database has, and those that the vault has counted. */
export type Counted = { readonly stored: readonly Amount[]; readonly booked: readonly Amount[] }

/** The greater sum holds: the database has the counts of all nodes, the books those that the database may have lost. */
export function totalOf(control: VelocityRule, { stored, booked }: Counted, nowMs: number): bigint {
  const window = { nowMs, durationMs: windowMsOf(control) }
  const [inStore, onBooks] = [sumOf(stored, window), sumOf(booked, window)]
  if (inStore > onBooks) return inStore
  return onBooks
}

/** Reads a decimal of at most 18 fractional digits. */
function amountOf(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(fractionDigits, '0'))
}
