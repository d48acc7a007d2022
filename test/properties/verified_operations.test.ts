import { expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import { clientOf } from '../support/client.ts'
import { publishing, settledSize } from '../support/log_proofs.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { historyOf, verifiedHistory } from '../support/recorded_history.ts'
import { prepareRequests } from '../support/valid_requests.ts'

/** An honest server that has done everything once: `claviger log verify` runs each operation again, and finds the same. */

const organization = await startOrganizationWithIssuer()
const { server, clock, organizationId, rootKey } = organization
const requests = await prepareRequests(organization)

test('the changes of every operation are those that it makes again from the export', async () => {
  for (const { name, path, kind, types } of operations.flatMap((one) => (one.kind === 'activity' ? [one] : []))) {
    if (!requests.names.includes(name)) continue
    clock.nowMs += 1_000
    const parameters = requests.parametersOf(name)
    const body = { type: types[0]?.type, timestampMs: String(clock.nowMs), organizationId, parameters }
    const { status } = await server.post(path, JSON.stringify(body), requests.signerOf(name))
    expect([name, kind, status]).toEqual([name, 'activity', 200])
    await requests.renew(name)
  }
  publishing(server)
  const size = await settledSize(server)
  const told = await historyOf(server, clientOf(server, { organizationId, apiKey: rootKey }), size)
  const { changes, rules } = await verifiedHistory(told)
  expect([rules.findings, changes.findings]).toEqual([[], []])
  const { 'changes that rest on events of webhooks': ofWebhooks, ...others } = changes.notChecked
  expect([ofWebhooks, Object.keys(others)]).toEqual([1, ['changes by activities that could not be decided again']])
  expect(changes.checked).toBeGreaterThan(100)
}, 120_000)
