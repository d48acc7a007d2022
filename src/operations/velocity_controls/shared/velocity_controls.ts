import Type, { type Static } from 'typebox'
import type { ActivityContext, Readers } from '../../../contract/define.ts'
import { ActivityType, fields, Label, list, namedFields, oneOf, optional } from '../../../contract/fields/fields.ts'
import { texts, view } from '../../../contract/fields/named.ts'
import { shown } from '../../../contract/fields/shown.ts'
import { signs } from '../../../contract/operation.ts'
import type { VelocityControl } from '../../../contract/records/records.ts'
import { times, timesView } from '../../../contract/records/views.ts'
import { compileCondition } from '../../../policy/decision/policy_expressions.ts'
import { controlsNeverTogether, type KnownControls } from '../../../policy/language/contradictions/controls_together.ts'
import { textOf } from '../../../policy/language/message.ts'
import { nearest } from '../../../policy/language/nearest.ts'
import {
  assetExpected,
  coinDecimals,
  coinExpected,
  isMistypedToken,
  parseAsset,
  standsForCoin,
  tokenExpected,
} from '../../../policy/velocity/assets.ts'
import { namedControls } from '../../../policy/velocity/named_controls.ts'
import {
  activityUnits,
  aggregationMethods,
  aggregationOperators,
  countsSignatures,
  isAbout,
} from '../../../policy/velocity/velocity_control.ts'
import { Failure, fieldInvalid } from '../../../protocol/wire/failures.ts'

const Nothing = fields({})
const assetsMax = 100
const decimalsMax = 255
const thresholdDigitsMax = 38
/** Thirty-one days. */
const rollingSecondsMax = 31 * 24 * 60 * 60

const Filter = namedFields('VelocityControlFilter', {
  activity: optional(list(fields({ activityType: ActivityType }), { itemsMin: 1, itemsMax: 100 })),
})
const DataSource = namedFields('VelocityControlDataSource', {
  chainAssetTransfer: optional(
    fields({
      definition: list(
        fields({
          caip19: Type.String({ maxLength: 200, expected: assetExpected }),
          decimals: Type.String({
            pattern: '^(0|[1-9][0-9]{0,2})$',
            expected: `a whole number from 0 to ${decimalsMax}, as a string`,
          }),
        }),
        { itemsMin: 1, itemsMax: assetsMax },
      ),
      filter: optional(Filter),
      phase: optional(fields({ signature: optional(Nothing), submission: optional(Nothing) })),
    }),
  ),
  activityExecution: optional(fields({ filter: optional(Filter), unit: optional(oneOf(activityUnits)) })),
})
const Aggregation = namedFields('VelocityControlAggregation', {
  method: oneOf(aggregationMethods),
  operator: oneOf(aggregationOperators),
  threshold: Type.String({
    pattern: `^(?=[0-9.]{1,${thresholdDigitsMax + 1}}$)(0|[1-9][0-9]{0,${thresholdDigitsMax - 1}})(\\.[0-9]{1,18})?$`,
    expected: `a decimal of at most ${thresholdDigitsMax} digits, 18 of them after the point, as a string`,
  }),
  window: fields({
    rolling: optional(
      fields({
        duration: Type.String({
          pattern: '^[1-9][0-9]{0,6}$',
          expected: `a number of seconds from 1 to ${rollingSecondsMax} (31 days), as a string`,
        }),
      }),
    ),
    infinite: optional(Nothing),
  }),
  groupBy: fields({ organization: optional(Nothing), user: optional(Nothing), wallet: optional(Nothing) }),
})

/** A field after a dot, in the policy language. */
const Identifier = Type.String({
  pattern: '^(?!count$)[A-Za-z_][A-Za-z0-9_]{0,63}$',
  expected: 'a name of 1 to 64 letters, digits and underscores that does not begin with a digit and is not `count`',
})

export const NewVelocityControl = fields({
  name: Label,
  dataSource: DataSource,
  aggregation: Aggregation,
  identifier: Identifier,
})
type NewVelocityControl = Static<typeof NewVelocityControl>

/** Checks what the schema cannot express. Throws FIELD_INVALID. */
export function checkVelocityControl({ dataSource, aggregation }: NewVelocityControl): void {
  requireOne(dataSource, 'parameters.dataSource')
  requireOne(aggregation.window, 'parameters.aggregation.window')
  requireOne(aggregation.groupBy, 'parameters.aggregation.groupBy')
  const { window, method } = aggregation
  if (Number(window.rolling?.duration ?? 1) > rollingSecondsMax) {
    throw fieldInvalid(
      'parameters.aggregation.window.rolling.duration',
      `at most ${rollingSecondsMax} seconds (31 days)`,
    )
  }
  const { chainAssetTransfer } = dataSource
  if (chainAssetTransfer !== undefined) checkTransfers(chainAssetTransfer)
  else if (method === 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM')
    throw fieldInvalid(
      'parameters.aggregation.method',
      'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT: activities have no sum',
    )
  checkThreshold(aggregation)
}

const decidedByZero: readonly string[] = [
  'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN',
  'VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN_OR_EQUAL',
]

/** Counts and sums are never below 0. A control that is always true, or never, limits nothing. */
function checkThreshold({ method, operator, threshold }: NewVelocityControl['aggregation']): void {
  const path = 'parameters.aggregation.threshold'
  if (/^[0.]+$/.test(threshold) && decidedByZero.includes(operator)) {
    throw fieldInvalid(path, `above 0 for ${operator}: nothing is below 0, and everything is at least 0`)
  }
  const isCount = method === 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT'
  const isOneNumber = operator === 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_EQUAL'
  if (isCount && isOneNumber && /\.0*[1-9]/.test(threshold)) {
    throw fieldInvalid(path, `a whole number for ${operator} of a count`)
  }
}

function checkTransfers({
  definition,
  phase,
}: NonNullable<NewVelocityControl['dataSource']['chainAssetTransfer']>): void {
  const path = 'parameters.dataSource.chainAssetTransfer'
  const seen = new Set<string>()
  for (const [index, { caip19, decimals }] of definition.entries()) {
    const asset = parseAsset(caip19)
    if (asset === undefined) throw fieldInvalid(`${path}.definition[${index}].caip19`, assetExpected)
    if (standsForCoin(caip19)) throw fieldInvalid(`${path}.definition[${index}].caip19`, coinExpected)
    if (isMistypedToken(caip19)) throw fieldInvalid(`${path}.definition[${index}].caip19`, tokenExpected)
    if (Number(decimals) > decimalsMax) {
      throw fieldInvalid(
        `${path}.definition[${index}].decimals`,
        `a whole number from 0 to ${decimalsMax}, as a string`,
      )
    }
    const ofCoin = coinDecimals(caip19)
    if (ofCoin !== undefined && Number(decimals) !== ofCoin) {
      throw fieldInvalid(`${path}.definition[${index}].decimals`, `'${ofCoin}', the decimals of this coin`)
    }
    const key = JSON.stringify(asset)
    if (seen.has(key)) throw fieldInvalid(`${path}.definition[${index}].caip19`, 'an asset that is named once')
    seen.add(key)
  }
  if (phase === undefined) return
  requireOne(phase, `${path}.phase`)
  if (phase.submission === undefined) return
  throw fieldInvalid(`${path}.phase`, '{"signature": {}}: this server signs transactions and does not see them land')
}

function requireOne(given: object, fieldPath: string): void {
  if (Object.values(given).filter((member) => member !== undefined).length !== 1)
    throw fieldInvalid(fieldPath, 'an object with exactly one of its members')
}

/** Refuses a filter with activity types that would never be counted. Throws FIELD_INVALID. */
export function requireCountedTypes(
  { dataSource }: NewVelocityControl,
  operationOfType: ActivityContext<unknown>['operationOfType'],
): void {
  const { chainAssetTransfer, activityExecution } = dataSource
  const isOfSignatures = chainAssetTransfer !== undefined || countsSignatures({ dataSource })
  const [member, filter] = chainAssetTransfer
    ? ['chainAssetTransfer', chainAssetTransfer.filter]
    : ['activityExecution', activityExecution?.filter]
  for (const [index, { activityType }] of filter?.activity?.entries() ?? []) {
    const operation = operationOfType(activityType)
    const isCounted = operation !== undefined && operation.casts === undefined
    if (isCounted && (!isOfSignatures || signs(operation))) continue
    const expected = isOfSignatures
      ? 'the type of an activity that signs'
      : 'the type of an activity that is not a vote'
    throw fieldInvalid(`parameters.dataSource.${member}.filter.activity[${index}].activityType`, expected)
  }
  if (chainAssetTransfer !== undefined) requireTransactions(chainAssetTransfer.filter, operationOfType)
}

/** Nobody can read an amount in other signatures: a control of these alone would count nothing. */
function requireTransactions(
  filter: Static<typeof Filter> | undefined,
  operationOfType: ActivityContext<unknown>['operationOfType'],
): void {
  const types = filter?.activity
  if (types === undefined) return
  if (types.some(({ activityType }) => operationOfType(activityType)?.name === 'sign_transaction')) return
  throw fieldInvalid(
    'parameters.dataSource.chainAssetTransfer.filter.activity',
    'a list with the type of an activity that signs transactions: no other signature has amounts that are counted',
  )
}

/**
 * Refuses a condition that names a velocity control that does not exist, or that is always missing where it is read: it
 * would never apply. Needs all of the organization's controls if the condition names one.
 */
export function requireNamedControls(
  condition: string | undefined,
  { velocityControls }: Pick<Readers, 'velocityControls'>,
  fieldPath: string,
): void {
  if (!mayNameControls(condition)) return
  const { root } = compileCondition(condition)
  const named = namedControls(root)
  if (named.length === 0) return
  const known = knownControls(velocityControls.all())
  const absent = named.find(({ identifier }) => !known.has(identifier))
  if (absent !== undefined) {
    const { identifier, column } = absent
    const hint = nearest(identifier, [...known.keys()])
    const reason = `there is no velocity control ${identifier} in this organization${hint === undefined ? '' : textOf(hint)}`
    throw new Failure('POLICY_CONDITION_INVALID', { fieldPath, reason: `column ${column}: ${reason}` })
  }
  const [missing] = controlsNeverTogether(root, known)
  if (missing === undefined) return
  const reason = `column ${missing.offset + 1}: ${missing.message}`
  throw new Failure('POLICY_CONDITION_INVALID', { fieldPath, reason })
}

/** The velocity controls of an organization, as its conditions know them. */
export function knownControls(controls: readonly VelocityControl[]): KnownControls {
  return new Map(controls.map((control) => [control.identifier, (activity) => isAbout(control, activity)]))
}

/** Whether a condition may name a velocity control. To compile it takes longer. */
export function mayNameControls(condition: string | undefined): condition is string {
  return condition?.includes('controls') === true
}

export function controlsNamedIn(condition: string | undefined) {
  return mayNameControls(condition) ? namedControls(compileCondition(condition).root) : []
}

export const VelocityControlView = view('VelocityControl', {
  ...texts('velocityControlId', 'organizationId', 'name', 'identifier'),
  dataSource: DataSource,
  aggregation: Aggregation,
  ...times,
})

export function velocityControlView(control: VelocityControl, organizationId: string) {
  return shown(VelocityControlView, { ...control, organizationId, ...timesView(control) })
}
