import { expect, test } from 'vitest'
import { expectRefused, newVelocityControl, startOrganization, uuid } from '../../../test/support/organization.ts'

const { submit, found, done, anotherUser } = await startOrganization({ limits: { velocityControlsMax: 6 } })
const refused = async (change: Parameters<typeof newVelocityControl>[0], text: string) =>
  expectRefused(await submit('create_velocity_control', newVelocityControl(change)), 400, text)

const transfers = (caip19: string, more: object = {}) => ({
  chainAssetTransfer: { definition: [{ caip19, decimals: '18' }], ...more },
})
const token = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const solanaToken = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

test('a control is kept as it was given', async () => {
  const given = newVelocityControl({
    dataSource: {
      chainAssetTransfer: {
        definition: [
          { caip19: `eip155:1/erc20:${token}`, decimals: '6' },
          { caip19: `${solana}/token:${solanaToken}`, decimals: '6' },
          { caip19: `${solana}/slip44:501`, decimals: '9' },
          { caip19: 'tron:0x2b6653dc/trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: '6' },
          { caip19: 'tron:0x2b6653dc/slip44:195', decimals: '6' },
          { caip19: 'bip122:000000000019d6689c085ae165831e93/slip44:0', decimals: '8' },
        ],
        filter: { activity: [{ activityType: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' }] },
        phase: { signature: {} },
      },
    },
    aggregation: { groupBy: { wallet: {} }, window: { infinite: {} }, threshold: '1000000.000000000000000001' },
  })
  const { velocityControlId } = await done('create_velocity_control', given)
  expect(velocityControlId).toEqual(uuid)
  expect((await found('get_velocity_control', { velocityControlId })).velocityControl).toMatchObject(given)
  await refused({}, 'parameters.identifier must be one that no other velocity control of this organization has')
})

test('invalid controls are refused with the field and the remedy', async () => {
  const identifier = 'another'
  for (const text of ['', 'a b', '1a', 'count', 'x'.repeat(65), 'a-b']) {
    await refused({ identifier: text }, 'parameters.identifier must be a name of 1 to 64 letters')
  }
  for (const threshold of [
    '',
    '-1',
    '1.',
    '01',
    '1e3',
    '0.0000000000000000001',
    '1'.repeat(39),
    `${'1'.repeat(38)}.1`,
  ]) {
    await refused({ identifier, aggregation: { threshold } }, 'parameters.aggregation.threshold must be a decimal')
  }
  for (const caip19 of ['', 'ETH', 'eip155:1', 'eip155:01/slip44:60', 'eip155:1/erc721:0x00', 'cosmos:x/slip44:118']) {
    await refused({ identifier, dataSource: transfers(caip19) }, 'definition[0].caip19 must be a CAIP-19 name such as')
  }
  for (const [mistyped, text] of [
    [`eip155:1/erc20:${token.replace('A', 'a')}`, 'EIP-55'],
    [`${solana}/token:${'z'.repeat(44)}`, '32 bytes'],
    [`${solana}/token:${solanaToken.slice(0, -4)}`, '32 bytes'],
    ['tron:0x2b6653dc/trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', 'checksum'],
  ]) {
    const dataSource = transfers(String(mistyped))
    await refused({ identifier, dataSource }, `definition[0].caip19 must be the name of a token whose address is right`)
    await refused({ identifier, dataSource }, String(text))
  }
  for (const decimals of ['-1', '256', '1.5', '']) {
    const dataSource = { chainAssetTransfer: { definition: [{ caip19: 'eip155:1/slip44:60', decimals }] } }
    await refused({ identifier, dataSource }, 'definition[0].decimals must be a whole number from 0 to 255')
  }
  for (const [caip19, decimals, right] of [
    ['eip155:137/slip44:966', '6', '18'],
    [`${solana}/slip44:501`, '0', '9'],
    ['tron:0x2b6653dc/slip44:195', '18', '6'],
    ['bip122:000000000019d6689c085ae165831e93/slip44:0', '0', '8'],
  ] as const) {
    const dataSource = { chainAssetTransfer: { definition: [{ caip19, decimals }] } }
    await refused({ identifier, dataSource }, `definition[0].decimals must be '${right}', the decimals of this coin`)
  }
  for (const [change, text] of [
    [{ dataSource: {} }, 'parameters.dataSource must be an object with exactly one of its members'],
    [{ aggregation: { window: {} } }, 'parameters.aggregation.window must be an object with exactly one'],
    [{ aggregation: { groupBy: { user: {}, wallet: {} } } }, 'parameters.aggregation.groupBy must be an object with'],
    [{ aggregation: { window: { rolling: { duration: '2678401' } } } }, 'duration must be at most 2678400 seconds'],
    [{ aggregation: { window: { rolling: { duration: '0' } } } }, 'duration must be a number of seconds from 1'],
    [{ dataSource: { activityExecution: {} } }, 'method must be VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT'],
    [
      { dataSource: transfers('eip155:1/slip44:60', { phase: { submission: {} } }) },
      '.phase must be {"signature": {}}',
    ],
  ] as const) {
    await refused({ identifier, ...change }, text)
  }
  const definition = [token, token.toLowerCase()].map((each) => ({ caip19: `eip155:1/erc20:${each}`, decimals: '6' }))
  await refused(
    { identifier, dataSource: { chainAssetTransfer: { definition } } },
    'definition[1].caip19 must be an asset',
  )
})

test('what counts nothing, or is always or never true, is refused', async () => {
  for (const [caip19, decimals] of [
    ['eip155:1/erc20:0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', '18'],
    [`eip155:1/erc20:0x${'0'.repeat(40)}`, '18'],
    [`${solana}/token:11111111111111111111111111111111`, '9'],
    ['tron:0x2b6653dc/trc20:T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', '6'],
  ]) {
    const dataSource = { chainAssetTransfer: { definition: [{ caip19, decimals }] } }
    await refused({ identifier: 'coin', dataSource }, 'the coin of a chain is')
  }
  const by = (operator: string, threshold: string, more: object = {}) => ({
    identifier: 'zero',
    aggregation: { operator: `VELOCITY_CONTROL_AGGREGATION_OPERATOR_${operator}`, threshold, ...more },
  })
  await refused(by('LESS_THAN', '0'), 'parameters.aggregation.threshold must be above 0')
  await refused(by('GREATER_THAN_OR_EQUAL', '0.00'), 'parameters.aggregation.threshold must be above 0')
  const method = 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT'
  await refused(by('EQUAL', '1.5', { method }), 'parameters.aggregation.threshold must be a whole number')
})

test('a filter names activities that are counted', async () => {
  const aggregation = { method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT' }
  const filtered = (activityType: string) => ({ filter: { activity: [{ activityType }] } })
  for (const [dataSource, text] of [
    [transfers('eip155:1/slip44:60', filtered('ACTIVITY_TYPE_CREATE_WALLET')), 'an activity that signs'],
    [{ activityExecution: filtered('ACTIVITY_TYPE_APPROVE_ACTIVITY') }, 'an activity that is not a vote'],
    [{ activityExecution: filtered('ACTIVITY_TYPE_NO_SUCH') }, 'an activity that is not a vote'],
  ] as const) {
    await refused(
      { identifier: 'other', dataSource, aggregation },
      `filter.activity[0].activityType must be the type of ${text}`,
    )
  }
  for (const type of ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS']) {
    await refused(
      { identifier: 'other', dataSource: transfers('eip155:1/slip44:60', filtered(type)), aggregation },
      'chainAssetTransfer.filter.activity must be a list with the type of an activity that signs transactions',
    )
  }
  const unit = 'VELOCITY_CONTROL_UNIT_SIGNATURE'
  await refused(
    {
      identifier: 'other',
      dataSource: { activityExecution: { ...filtered('ACTIVITY_TYPE_CREATE_WALLET'), unit } },
      aggregation,
    },
    'activityExecution.filter.activity[0].activityType must be the type of an activity that signs',
  )
  await refused(
    { identifier: 'other', dataSource: { activityExecution: { unit: 'SIGNATURES' } }, aggregation },
    'activityExecution.unit must be one of VELOCITY_CONTROL_UNIT_ACTIVITY, VELOCITY_CONTROL_UNIT_SIGNATURE',
  )
  const dataSource = { activityExecution: filtered('ACTIVITY_TYPE_CREATE_WALLET') }
  await done('create_velocity_control', newVelocityControl({ identifier: 'wallets', dataSource, aggregation }))
})

test('only whom the rules allow creates a control, and only up to the limit', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('create_velocity_control', newVelocityControl({ identifier: 'x' }), { apiKey }), 403)
  for (let index = 0; index < 4; index += 1) {
    await done('create_velocity_control', newVelocityControl({ identifier: `c${index}` }))
  }
  const answer = await submit('create_velocity_control', newVelocityControl({ identifier: 'more' }))
  expectRefused(answer, 429, 'an organization has at most 6 velocity controls')
})
