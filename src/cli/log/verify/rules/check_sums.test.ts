import { serializeTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import { clientOf } from '../../../../../test/support/client.ts'
import {
  newAccount,
  newPolicy,
  newVelocityControl,
  startOrganization,
} from '../../../../../test/support/organization.ts'
import { historyOf, reheaded, type Told, verifiedHistory } from '../../../../../test/support/recorded_history.ts'

/** Real histories under a limit, and lies about them that only a holder of the master seed can bind. */

const effect = 'EFFECT_ALLOW'
const signs = "activity.kind == 'SIGN_TRANSACTION'"
const spent = "spent('eth.tx.value', '24h') + eth.tx.value"
const raised = 9
const beyond = 10

/** The organization, a user, a wallet, a control, two policies, three transactions, a higher limit, and one more. */
async function historyUnder(limit: string, higher: string) {
  const { server, organizationId, rootKey, done, submit, anotherUser } = await startOrganization()
  const ada = await anotherUser('ada')
  const { addresses } = await done('create_wallet', { walletName: 'w', accounts: [newAccount()] })
  const aggregation = { method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT', threshold: '2' }
  const filter = { activity: [{ activityType: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' }] }
  await done(
    'create_velocity_control',
    newVelocityControl({ dataSource: { activityExecution: { filter } }, aggregation }),
  )
  const condition = `${signs} && ${limit}`
  const { policyId } = await done('create_policy', newPolicy({ policyName: 'limit', effect, condition }))
  const consensus = 'approvers.count() >= 2'
  await done('create_policy', newPolicy({ policyName: 'two', effect, condition: signs, consensus }))
  const spend = async (value: number) => {
    const fields = {
      type: 'eip1559',
      chainId: 1,
      nonce: value,
      value: BigInt(value),
      to: `0x${'11'.repeat(20)}`,
    } as const
    const unsignedTransaction = serializeTransaction(fields)
    const parameters = { signWith: addresses[0], unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }
    return (await submit('sign_transaction', parameters, ada)).body.activity.status
  }
  const statuses = [await spend(60), await spend(40), await spend(41)]
  await done('update_policy', { policyId, policyCondition: `${signs} && ${higher}` })
  expect([...statuses, await spend(42)]).toEqual([
    ...['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_CONSENSUS_NEEDED'],
    'ACTIVITY_STATUS_COMPLETED',
  ])
  return historyOf(server, clientOf(server, { organizationId, apiKey: rootKey }), beyond + 1)
}

async function rulesOf(told: readonly Told[]) {
  const { chain, rules } = await verifiedHistory(reheaded(told))
  expect(chain.findings).toEqual([])
  return rules
}

describe.each([
  ['a spending limit', `${spent} <= 100`, `${spent} <= 1000`],
  ['a velocity control', 'controls.daily', 'controls.daily || 1 == 1'],
])('under %s', (_, limit, higher) => {
  const history = historyOnce(() => historyUnder(limit, higher))

  test('an honest history is decided again as it was', async () => {
    expect(await rulesOf(await history())).toEqual({ checked: 10, notChecked: {}, findings: [], findingsCount: 0 })
  })

  test('a signature beyond the limit is found', async () => {
    const { findings } = await rulesOf((await history()).toSpliced(raised, 1))
    const what =
      'it has the status ACTIVITY_STATUS_COMPLETED, and by the rules of that time ACTIVITY_STATUS_CONSENSUS_NEEDED'
    expect(findings).toMatchObject([{ index: raised, what }])
  })

  test('a signature that is not counted is found, and so is one whose entry is left out', async () => {
    const told = await history()
    const what = 'the sums that it leaves to limits are not those of the entries'
    const uncounted = (each: Told, at: number) => (at === 7 ? withoutChanges(each) : each)
    expect((await rulesOf(told.map(uncounted))).findings).toMatchObject([
      { index: 7, what },
      { index: beyond, what },
    ])
    expect((await rulesOf(told.toSpliced(7, 1))).findings).toMatchObject([{ index: beyond - 1, what }])
  })

  test('a decision that more than the entries add up to explains is told', async () => {
    const kept = (await history()).toSpliced(beyond, 1).toSpliced(6, 2)
    const { findings, notChecked } = await rulesOf(kept)
    expect(findings).toEqual([])
    expect(notChecked).toEqual({
      'decisions that rest on more than the entries add up to: what a vault has counted and did not keep': 1,
    })
  })

  test('sums to which a late entry has added are taken as they are, and told', async () => {
    const told = await history()
    const [late] = told.slice(7, 8).map((each) => ({ ...each, entry: { ...each.entry, isLate: true as const } }))
    if (late === undefined) throw new Error('it is there')
    const { checked, findings } = await rulesOf([
      ...told.toSpliced(7, 1).slice(0, beyond - 1),
      late,
      ...told.slice(beyond),
    ])
    expect(findings).toEqual([])
    expect(checked).toBeGreaterThan(told.length - 3)
  })
})

function withoutChanges(told: Told): Told {
  return { ...told, document: told.document && { ...told.document, changes: [] } }
}

function historyOnce(make: () => Promise<readonly Told[]>) {
  let known: Promise<readonly Told[]> | undefined
  return async () => {
    known ??= make()
    return [...(await known)]
  }
}
