import type { Row, Value } from '../../../contract/explanation/explanation.ts'
import { code, duration, list, listed, number, rowsOf, text, tree } from '../../../contract/explanation/shown_values.ts'
import type { VelocityControl } from '../../../contract/records/records.ts'
import { countsSignatures } from '../../../policy/velocity/velocity_control.ts'

type Control = Pick<VelocityControl, 'name' | 'identifier' | 'dataSource' | 'aggregation'>

/** Shows a velocity control: what it counts, for whom, within which time, and its comparison. */
export function controlRows({ name, identifier, dataSource, aggregation }: Control): readonly Row[] {
  const { chainAssetTransfer, activityExecution } = dataSource
  const { method, operator, threshold, window, groupBy } = aggregation
  const types = (chainAssetTransfer ?? activityExecution)?.filter?.activity
  return rowsOf({
    name: text(name),
    identifier: text(identifier),
    counts: code(eventsOf(dataSource)),
    assets:
      chainAssetTransfer === undefined
        ? undefined
        : list(
            listed(chainAssetTransfer.definition, ({ caip19, decimals }) =>
              tree({ caip19: text(caip19), decimals: number(BigInt(decimals)) }),
            ),
          ),
    activityTypes: types === undefined ? undefined : list(listed(types, ({ activityType }) => code(activityType))),
    method: code(method),
    operator: code(operator),
    threshold: text(threshold),
    countedFor: groupValue(groupBy),
    countedWithin: window.rolling === undefined ? code('withoutEnd') : duration(window.rolling.duration),
  })
}

function eventsOf(dataSource: Control['dataSource']): string {
  if (countsSignatures({ dataSource })) return 'eachSignature'
  return dataSource.chainAssetTransfer === undefined ? 'wholeActivities' : 'transfers'
}

function groupValue({ user, wallet }: Control['aggregation']['groupBy']): Value {
  return code(user !== undefined ? 'eachUser' : wallet !== undefined ? 'eachWallet' : 'organization')
}
