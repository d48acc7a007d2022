import { expect, test } from 'vitest'
import { isAbout, type VelocityRule } from '../../velocity/velocity_control.ts'
import { check } from '../checking/check.ts'
import { parse } from '../reading/parse.ts'
import { controlsNeverTogether, type KnownControls } from './controls_together.ts'

const aggregation = {
  method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT',
  operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN',
  threshold: '5',
  window: { infinite: {} },
  groupBy: { organization: {} },
} as const
const filterOf = (...types: string[]) => ({
  filter: { activity: types.map((type) => ({ activityType: `ACTIVITY_TYPE_${type}` })) },
})
const definition = [{ caip19: 'eip155:1/slip44:60', decimals: '18' }]
const rules: Readonly<Record<string, VelocityRule['dataSource']>> = {
  transfers: { chainAssetTransfer: { definition } },
  transactions: { chainAssetTransfer: { definition, ...filterOf('SIGN_TRANSACTION_V2') } },
  signatures: { activityExecution: { unit: 'VELOCITY_CONTROL_UNIT_SIGNATURE' } },
  payloads: { activityExecution: filterOf('SIGN_RAW_PAYLOADS', 'SIGN_RAW_PAYLOAD') },
  users: { activityExecution: filterOf('CREATE_USERS_V3') },
  receives: { activityExecution: filterOf('SPARK_PREPARE_LIGHTNING_RECEIVE') },
  exports: { activityExecution: filterOf('EXPORT_WALLET', 'EXPORT_PRIVATE_KEY', 'EXPORT_WALLET_ACCOUNT') },
  all: { activityExecution: {} },
}
const controls: KnownControls = new Map(
  Object.entries(rules).map(([name, dataSource]) => [name, (one) => isAbout({ dataSource, aggregation }, one)]),
)

const signing = 'SIGN_RAW_PAYLOAD, SIGN_RAW_PAYLOADS, SIGN_TRANSACTION, SPARK_PREPARE_LIGHTNING_RECEIVE'
const counts = (control: string, kinds: string, beside: string) =>
  `controls.${control} counts ${kinds} only and has no value with ${beside}: leave it out there, or write a rule for each`

function problemsOf(text: string) {
  const { expression, neverEqual } = check(parse(text), 'condition', text)
  expect(neverEqual).toEqual([])
  return controlsNeverTogether(expression, controls).map(({ offset, message }) => `${offset + 1}: ${message}`)
}

test.for([
  [
    "activity.kind == 'CREATE_USERS' && controls.transfers",
    36,
    'transfers',
    signing,
    "activity.kind == 'CREATE_USERS'",
  ],
  ["!controls.signatures && activity.resource == 'USER'", 2, 'signatures', signing, "activity.resource == 'USER'"],
  [
    "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' && !controls.users",
    58,
    'users',
    'CREATE_USERS',
    "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION'",
  ],
  [
    "activity.kind == 'SIGN_RAW_PAYLOAD' && controls.transactions == false",
    40,
    'transactions',
    'SIGN_TRANSACTION',
    "activity.kind == 'SIGN_RAW_PAYLOAD'",
  ],
  ['controls.payloads && eth.tx.value > 5', 1, 'payloads', 'SIGN_RAW_PAYLOAD, SIGN_RAW_PAYLOADS', 'eth.tx.value'],
  [
    "controls.payloads && spent('eth.tx.value', '24h') > 5",
    1,
    'payloads',
    'SIGN_RAW_PAYLOAD, SIGN_RAW_PAYLOADS',
    "spent('eth.tx.value', '24h')",
  ],
  [
    "controls.transfers && activity.params.endpoint_id == '00000000-0000-4000-8000-000000000000'",
    1,
    'transfers',
    signing,
    'activity.params.endpoint_id',
  ],
  ["wallet.label == 'Cold' && controls.users", 27, 'users', 'CREATE_USERS', 'wallet.label'],
  ["wallets.any(w, w.label == 'Cold' && controls.transfers)", 37, 'transfers', signing, 'wallets'],
  ['controls.users && controls.transactions', 19, 'transactions', 'SIGN_TRANSACTION', 'controls.users'],
  ["activity.action != 'SIGN' && controls.transfers", 30, 'transfers', signing, "activity.action != 'SIGN'"],
  ["!(activity.action == 'SIGN') && controls.transfers", 33, 'transfers', signing, "!(activity.action == 'SIGN')"],
  [
    "activity.kind in ['SIGN_TRANSACTION', 'CREATE_USERS'] && !controls.transfers",
    39,
    'transfers',
    signing,
    "activity.kind == 'CREATE_USERS'",
  ],
  [
    "activity.kind == 'DELETE_API_KEYS' && (controls.transfers || activity.params.user_id == '00000000-0000-4000-8000-000000000000')",
    40,
    'transfers',
    signing,
    "activity.kind == 'DELETE_API_KEYS'",
  ],
  [
    "controls.transfers && (activity.kind == 'CREATE_USERS' || eth.tx.value > 5)",
    41,
    'transfers',
    signing,
    "activity.kind == 'CREATE_USERS'",
  ],
  [
    "private_key.label == 'Cold' && activity.action != 'EXPORT' && controls.exports",
    63,
    'exports',
    'EXPORT_PRIVATE_KEY, EXPORT_WALLET, EXPORT_WALLET_ACCOUNT',
    "activity.action != 'EXPORT'",
  ],
] as const)('%s is never true', ([text, column, control, kinds, beside]) => {
  expect(problemsOf(text)).toEqual([`${column}: ${counts(control, kinds, beside)}`])
})

test('several things beside it may leave out the control together', () => {
  const text = "activity.resource == 'PRIVATE_KEY' && activity.kind != 'EXPORT_PRIVATE_KEY' && controls.exports"
  const exports = 'EXPORT_PRIVATE_KEY, EXPORT_WALLET, EXPORT_WALLET_ACCOUNT'
  expect(problemsOf(text)).toEqual([`80: ${counts('exports', exports, 'what is beside it')}`])
})

test.for([
  'controls.transfers',
  "activity.action == 'SIGN' && controls.transfers",
  "activity.kind == 'SIGN_TRANSACTION' && !controls.transactions && controls.signatures",
  "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION' && controls.transactions",
  "activity.type == 'ACTIVITY_TYPE_CREATE_USERS_V2' && controls.users",
  "eth.tx.chain_id == 1 && controls.transfers && spent('eth.tx.value', '24h') < 5",
  'solana.tx.transfers.count() == 1 && controls.transfers',
  "controls.receives && wallet.label == 'Cold'",
  "activity.resource in ['WALLET', 'PRIVATE_KEY'] && activity.action == 'SIGN' && controls.transactions",
  "activity.action != 'EXPORT' && controls.transfers",
  "activity.kind == 'CREATE_USERS' || controls.transfers",
  "activity.kind in ['SIGN_RAW_PAYLOAD', 'CREATE_USERS'] && (controls.payloads || controls.users)",
  "activity.kind == 'ETH_SEND_TRANSACTION' && controls.transfers",
  "activity.resource == 'USER' && controls.all",
  "activity.kind == 'UPDATE_USER' && controls.unknown",
])('%s may be true', (text) => {
  expect(problemsOf(text)).toEqual([])
})
