import { describe, expect, test } from 'vitest'
import {
  type By,
  byFault,
  type Fault,
  type StampedRequest,
  sendStamped,
  stampedFaults,
  stampedRequest,
  testOrder,
} from '../support/order_of_checks.ts'
import { expectRefused, organizationOf, startOrganization } from '../support/organization.ts'

/** A deleted organization answers a request with two faults as it answers one: all but its shape is unknown there. */

const parent = await startOrganization()
const child = organizationOf(parent, await parent.subOrganization())
const another = await child.anotherUser()
const keyOf = ({ isOutsider }: By) => (isOutsider ? another.apiKey : child.rootKey)
const send = (request: StampedRequest) => sendStamped(child, request, keyOf)

const deletion = stampedRequest(child, {
  path: '/public/v1/submit/delete_sub_organization',
  type: 'ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION',
  parameters: { deleteWithoutExport: true },
})
const deleted = await send(deletion)
expect(deleted.status, JSON.stringify(deleted.body)).toBe(200)
parent.clock.nowMs += 2 * 3_600_000

const unknown = 'no organization found with the given ID'
const asUnknown = (fault: Fault<StampedRequest>): Fault<StampedRequest> => ({ ...fault, status: 404, text: unknown })
const { path, json, stamps, envelope, signature, key, time } = stampedFaults
const ofAnother = byFault("another user's key", 404, unknown, { isOutsider: true })
const later = [...key, ...signature, ofAnother].map(asUnknown)

describe('a new request', () => {
  const valid = () =>
    stampedRequest(child, {
      path: '/public/v1/submit/create_wallet',
      type: 'ACTIVITY_TYPE_CREATE_WALLET',
      parameters: { walletName: 'wallet', accounts: [] },
    })
  const sound: Fault<StampedRequest> = {
    name: 'a sound request',
    status: 404,
    text: unknown,
    apply: (request) => request,
  }
  const shape = envelope.filter(({ name }) => name === 'an unknown field in the envelope')
  testOrder<StampedRequest>([path, json, stamps, shape, [sound], [...later, ...time.map(asUnknown)]], { valid, send })
})

test('the bytes of the deletion are shown, however old, to the key that stamped them', async () => {
  const shown = await send(deletion)
  expect([shown.status, shown.body.activity?.fingerprint]).toEqual([200, deleted.body.activity.fingerprint])
  for (const fault of later) expectRefused(await send(fault.apply(deletion)), 404, unknown)
})
