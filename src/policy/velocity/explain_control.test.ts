import { expect, test } from 'vitest'
import { explainControl } from './explain_control.ts'
import type { Aggregation, DataSource } from './velocity_control.ts'

const one = 10n ** 18n
const ether = { caip19: 'eip155:1/slip44:60', decimals: '18' }
const bitcoin = { caip19: 'bip122:000000000019d6689c085ae165831e93/slip44:0', decimals: '8' }

const explained = (dataSource: DataSource, method: 'SUM' | 'COUNT', threshold: string) => {
  const aggregation: Aggregation = {
    method: `VELOCITY_CONTROL_AGGREGATION_METHOD_${method}`,
    operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
    threshold,
    window: { infinite: {} },
    groupBy: { user: {} },
  }
  const counted = { stored: [{ atMs: 0, amount: 2n * one }], booked: [] }
  return explainControl({ dataSource, aggregation }, { counted, added: one, nowMs: 0 })
}

test.each<readonly [string, DataSource, 'SUM' | 'COUNT', string, string]>([
  [
    'a sum of one asset names it',
    { chainAssetTransfer: { definition: [ether] } },
    'SUM',
    'the sum of the submitter is 2 eip155:1/slip44:60, this request adds 1 eip155:1/slip44:60, the comparison is <= 9.5 eip155:1/slip44:60',
    '9.5',
  ],
  [
    'a sum of several assets says how many they are',
    { chainAssetTransfer: { definition: [ether, bitcoin] } },
    'SUM',
    'the sum of the submitter is 2 units of 2 assets, this request adds 1 units of 2 assets, the comparison is <= 9.5 units of 2 assets',
    '9.5',
  ],
  [
    'a count of transfers',
    { chainAssetTransfer: { definition: [ether] } },
    'COUNT',
    'the count of the submitter is 2 transfers, this request adds 1 transfer, the comparison is <= 9 transfers',
    '9',
  ],
  [
    'a count of activities',
    { activityExecution: {} },
    'COUNT',
    'the count of the submitter is 2 activities, this request adds 1 activity, the comparison is <= 9 activities',
    '9',
  ],
  [
    'a count of signatures',
    { activityExecution: { unit: 'VELOCITY_CONTROL_UNIT_SIGNATURE' } },
    'COUNT',
    'the count of the submitter is 2 signatures, this request adds 1 signature, the comparison is <= 9 signatures',
    '9',
  ],
])('%s', (_name, dataSource, method, text, threshold) => {
  expect(explained(dataSource, method, threshold)).toBe(text)
})
