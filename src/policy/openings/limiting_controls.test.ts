import { expect, test } from 'vitest'
import { finished } from '../../protocol/tools/steps.ts'
import { compileCondition } from '../decision/policy_expressions.ts'
import type { VelocityRule } from '../velocity/velocity_control.ts'
import { openedDeeds } from './opened_deeds.ts'

const ether = { caip19: 'eip155:1/slip44:60', decimals: '18' }
const usdc = { caip19: 'eip155:1/erc20:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', decimals: '6' }
const sol = { caip19: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501', decimals: '9' }
const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const splToken = { caip19: `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:${mint}`, decimals: '6' }
const trx = { caip19: 'tron:0x2b6653dc/slip44:195', decimals: '6' }
const bitcoin = { caip19: 'bip122:000000000019d6689c085ae165831e93/slip44:0', decimals: '8' }

type Assets = readonly (typeof ether)[]
type Comparison = 'LESS_THAN' | 'LESS_THAN_OR_EQUAL' | 'EQUAL' | 'GREATER_THAN_OR_EQUAL' | 'GREATER_THAN'

function sumOf(assets: Assets, comparison: Comparison, threshold: string): VelocityRule {
  return {
    dataSource: { chainAssetTransfer: { definition: [...assets] } },
    aggregation: {
      method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
      operator: `VELOCITY_CONTROL_AGGREGATION_OPERATOR_${comparison}`,
      threshold,
      window: { rolling: { duration: '86400' } },
      groupBy: { organization: {} },
    },
  }
}

function countOf(comparison: Comparison, threshold: string): VelocityRule {
  const { aggregation } = sumOf([], comparison, threshold)
  const method = 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT'
  return { dataSource: { activityExecution: {} }, aggregation: { ...aggregation, method } }
}

function signaturesOf(comparison: Comparison, threshold: string): VelocityRule {
  const dataSource = { activityExecution: { unit: 'VELOCITY_CONTROL_UNIT_SIGNATURE' as const } }
  return { ...countOf(comparison, threshold), dataSource }
}

function openedWith(control: VelocityRule, condition: string) {
  const own = { wallets: [], privateKeys: [], controls: new Map([['daily', control]]) }
  return finished(openedDeeds(compileCondition(condition), own))
}

const ofEther = "activity.kind == 'SIGN_TRANSACTION' && eth.tx.chain_id == 1 && eth.tx.data == '0x' && controls.daily"

test.each([
  ['LESS_THAN', '5', true],
  ['LESS_THAN_OR_EQUAL', '1000', true],
  ['EQUAL', '1', true],
  ['LESS_THAN_OR_EQUAL', '1000000000000', false],
  ['GREATER_THAN_OR_EQUAL', '0', false],
  ['GREATER_THAN', '5', false],
] as const)('a sum of ether that is %s %s limits: %s', (comparison, threshold, isLimit) => {
  expect(openedWith(sumOf([ether], comparison, threshold), ofEther)).toEqual(isLimit ? [] : ['signatures'])
})

test.each([
  ['1', false],
  ['3599', false],
  ['3600', true],
] as const)('a window of %s seconds limits: %s', (duration, isLimit) => {
  const control = sumOf([ether], 'LESS_THAN', '5')
  const window = { rolling: { duration } }
  const short = { ...control, aggregation: { ...control.aggregation, window } }
  expect(openedWith(short, ofEther)).toEqual(isLimit ? [] : ['signatures'])
})

test.each([
  ['GREATER_THAN', '5', true],
  ['GREATER_THAN_OR_EQUAL', '0', true],
  ['GREATER_THAN', '1000000000000', false],
  ['LESS_THAN', '5', false],
] as const)('that a sum of ether is not %s %s limits: %s', (comparison, threshold, isLimit) => {
  const condition = ofEther.replace('controls', '!controls')
  expect(openedWith(sumOf([ether], comparison, threshold), condition)).toEqual(isLimit ? [] : ['signatures'])
})

const deedsByKind = [
  ['EXPORT_WALLET', ['keyExports']],
  ['SIGN_RAW_PAYLOAD', ['signatures']],
  ['DELETE_WALLETS', ['keyDeletions']],
] as const

test.each([
  ['controls', 'LESS_THAN_OR_EQUAL', '10', false],
  ['controls', 'LESS_THAN_OR_EQUAL', '1', false],
  ['controls', 'LESS_THAN', '2', false],
  ['controls', 'EQUAL', '1', false],
  ['controls', 'EQUAL', '7', false],
  ['controls', 'GREATER_THAN', '7', false],
  ['controls', 'GREATER_THAN_OR_EQUAL', '0', false],
  ['!controls', 'LESS_THAN_OR_EQUAL', '10', false],
  ['!controls', 'GREATER_THAN_OR_EQUAL', '2', false],
  // None is ever allowed.
  ['controls', 'LESS_THAN_OR_EQUAL', '0', true],
  ['controls', 'LESS_THAN', '1', true],
  ['controls', 'EQUAL', '0', true],
  ['controls', 'EQUAL', '0.5', true],
  ['!controls', 'GREATER_THAN_OR_EQUAL', '1', true],
] as const)(
  'as one event may take everything, %s whose count is %s %s limits: %s',
  (named, comparison, threshold, isLimit) => {
    for (const control of [countOf(comparison, threshold), signaturesOf(comparison, threshold)]) {
      for (const [kind, deeds] of deedsByKind) {
        if (control.dataSource.activityExecution?.unit !== undefined && kind !== 'SIGN_RAW_PAYLOAD') continue
        const condition = `activity.kind == '${kind}' && ${named}.daily`
        expect(openedWith(control, condition), condition).toEqual(isLimit ? [] : deeds)
      }
    }
  },
)

test.each([
  ['LESS_THAN_OR_EQUAL', '5', false],
  ['EQUAL', '3', false],
  ['LESS_THAN', '1', true],
] as const)('a count of transfers of ether that is %s %s limits: %s', (comparison, threshold, isLimit) => {
  const { aggregation } = countOf(comparison, threshold)
  expect(openedWith({ ...sumOf([ether], comparison, threshold), aggregation }, ofEther)).toEqual(
    isLimit ? [] : ['signatures'],
  )
})

test.each([
  ["activity.kind == 'EXPORT_WALLET' && wallet.id == '6f0c3ba4-9c5f-4c1c-8f0e-0f3c3b5f3a10'"],
  ["activity.kind == 'SIGN_TRANSACTION' && eth.tx.data == '0x' && eth.tx.value < 1000"],
  [
    "activity.kind == 'SIGN_TRANSACTION' && eth.tx.data == '0x' && eth.tx.to == '0x1f9090aaE28b8a3dCeaDf281B0F12828e676c326'",
  ],
])('a count takes nothing from the limit of %s', (condition) => {
  expect(openedWith(countOf('LESS_THAN_OR_EQUAL', '5'), `${condition} && controls.daily`)).toEqual([])
})

test('a control opens nothing that it does not count: it is missing there', () => {
  const filter = { activity: [{ activityType: 'ACTIVITY_TYPE_EXPORT_WALLET' }] }
  const exports = { ...countOf('LESS_THAN_OR_EQUAL', '5'), dataSource: { activityExecution: { filter } } }
  const deeds = openedWith(exports, 'controls.daily')
  expect(deeds).toContain('keyExports')
  expect(deeds).not.toContain('signatures')
  expect(deeds).not.toContain('keyDeletions')
  expect(openedWith(signaturesOf('LESS_THAN_OR_EQUAL', '5'), 'controls.daily')).not.toContain('keyExports')
})

const signing = "activity.kind == 'SIGN_TRANSACTION'"
const onEthereum = `${signing} && eth.tx.chain_id == 1`
const onlyLamports = 'solana.tx.instructions.count() == 1 && solana.tx.transfers.count() == 1 && controls.daily'
const onlyTokens = `solana.tx.instructions.count() == 1 && solana.tx.spl_transfers.count() == 1 && controls.daily`

test.each([
  ['the tokens of Ethereum', ether, `${onEthereum} && controls.daily`],
  ['coins of a call', usdc, `${onEthereum} && controls.daily`],
  ['other chains of the EVM', ether, `${signing} && eth.tx.data == '0x' && controls.daily`],
  [
    'another of two chains',
    ether,
    `${signing} && eth.tx.chain_id in [1, 137] && eth.tx.data == '0x' && controls.daily`,
  ],
  ['other chains', bitcoin, `${signing} && controls.daily`],
  ['every chain, with one word', ether, 'controls.daily'],
  ['lamports', splToken, onlyLamports],
  ['other tokens of Solana', splToken, onlyTokens],
  ['calls of Tron', trx, `${signing} && tron.tx.fee_limit < 100 && controls.daily`],
])('a sum does not limit %s that it does not count', (_, asset, condition) => {
  expect(openedWith(sumOf([asset], 'LESS_THAN', '5'), condition)).toContain('signatures')
})

test.each([
  [sol, onlyLamports],
  [splToken, `${onlyTokens} && solana.tx.spl_transfers.all(t, t.token_mint == '${mint}')`],
  [trx, "tron.tx.contract.all(c, c.type == 'TransferContract') && controls.daily"],
  [bitcoin, `${signing} && bitcoin.tx.outputs.count() > 0 && controls.daily`],
  [usdc, `${onEthereum} && eth.tx.to == '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' && controls.daily`],
])('a sum of all that may leave is a limit', (asset, condition) => {
  expect(openedWith(sumOf([asset], 'LESS_THAN', '5'), condition)).toEqual([])
})

test('a control that is not known is a limit', () => {
  expect(openedWith(countOf('GREATER_THAN_OR_EQUAL', '0'), "activity.action == 'EXPORT' && controls.other")).toEqual([])
})
