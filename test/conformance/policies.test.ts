import type { TurnkeyApiClient } from '@turnkey/sdk-server'
import { beforeAll, describe, expect, test } from 'vitest'
import { dialects, httpClient, serverClient } from '../support/clients.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

/** Policies as programs manage them; what they decide is tested elsewhere. */

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

describe.each(dialects)('@turnkey/sdk-server against the dialect %s', (dialect) => {
  let client: TurnkeyApiClient
  beforeAll(() => {
    client = serverClient(server, dialect)
  })

  const newPolicy = (policyName: string) =>
    ({
      policyName: `${dialect} ${policyName}`,
      effect: 'EFFECT_ALLOW',
      condition: "activity.resource == 'WALLET' && activity.action == 'CREATE'",
      consensus: `approvers.any(user, user.id == '${server.credentials.userId}')`,
      notes: '',
    }) as const

  test('a policy is made, found, changed and deleted', async () => {
    const given = newPolicy('one')
    const { policyId, activity } = await client.createPolicy(given)
    expect(activity).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED', type: 'ACTIVITY_TYPE_CREATE_POLICY_V3' })
    expect((await client.getPolicy({ policyId })).policy).toMatchObject({ policyId, ...given })
    expect((await client.getPolicies()).policies.map((policy) => policy.policyId)).toContain(policyId)

    const policyName = `${dialect} renamed`
    const time = "CronSpan('0 9 * * 1-5', '8h', 'UTC')"
    const updated = await client.updatePolicy({ policyId, policyName, policyConsensus: '', time })
    expect(updated.policyId).toBe(policyId)
    expect((await client.getPolicy({ policyId })).policy).toMatchObject({ ...given, policyName, consensus: '', time })
    expect((await client.getPolicyEvaluations({ activityId: activity.id })).policyEvaluations).toEqual([])

    expect((await client.deletePolicy({ policyId })).policyId).toBe(policyId)
    await expect(client.getPolicy({ policyId })).rejects.toMatchObject({ name: 'TurnkeyRequestError', code: 5 })
  })

  test('several are made and deleted at once', async () => {
    const { policyIds } = await client.createPolicies({ policies: [newPolicy('first'), newPolicy('second')] })
    const { policies } = await client.getPolicies()
    expect(policies.slice(-2).map(({ policyId }) => policyId)).toEqual(policyIds)
    const { organizationId } = server.credentials
    const { organizationData } = await httpClient(server, dialect).getOrganization({ organizationId })
    expect(organizationData.policies).toEqual(policies)
    expect((await client.deletePolicies({ policyIds })).policyIds).toEqual(policyIds)
    expect((await client.getPolicies()).policies).toEqual(policies.slice(0, -2))
  })

  test('what is not of the language is refused as clients expect it', async () => {
    const given = newPolicy('wrong')
    await expect(client.createPolicy({ ...given, condition: 'activity.kind = 1' })).rejects.toMatchObject({
      name: 'TurnkeyRequestError',
      code: 3,
      message: expect.stringContaining('invalid policy condition'),
    })
    await expect(client.createPolicy({ ...given, consensus: 'approver.count() > 1' })).rejects.toThrow(
      'invalid policy consensus',
    )
  })
})

test.each(dialects)('@turnkey/http makes, shows and deletes a velocity control, in the dialect %s', async (dialect) => {
  const client = httpClient(server, dialect)
  const { organizationId } = server.credentials
  const given = {
    name: 'weekly dollars',
    identifier: `weekly_${dialect}`,
    dataSource: {
      chainAssetTransfer: {
        definition: [{ caip19: 'eip155:1/erc20:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', decimals: '6' }],
        filter: { activity: [{ activityType: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' }] },
        phase: { signature: {} },
      },
    },
    aggregation: {
      method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
      operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN',
      threshold: '1000.5',
      window: { rolling: { duration: '604800' } },
      groupBy: { wallet: {} },
    },
  } as const
  const { activity } = await client.createVelocityControl({
    type: 'ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL',
    timestampMs: String(Date.now()),
    organizationId,
    parameters: structuredClone(given) as never,
  })
  const velocityControlId = activity.result.createVelocityControlResult?.velocityControlId ?? ''
  const { velocityControl } = await client.getVelocityControl({ organizationId, velocityControlId })
  expect(velocityControl).toMatchObject({ ...given, velocityControlId, organizationId })
  expect((await client.listVelocityControls({ organizationId })).velocityControls).toContainEqual(velocityControl)
  const deleted = await client.deleteVelocityControl({
    type: 'ACTIVITY_TYPE_DELETE_VELOCITY_CONTROL',
    timestampMs: String(Date.now()),
    organizationId,
    parameters: { velocityControlId },
  })
  expect(deleted.activity.result.deleteVelocityControlResult).toEqual({ velocityControlId })
})
