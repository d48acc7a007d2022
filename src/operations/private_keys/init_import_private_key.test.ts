import { expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { organizationId, rootUserId, submit, done } = await startOrganization()

const dataOf = (importBundle: string) => JSON.parse(Buffer.from(JSON.parse(importBundle).data, 'hex').toString())

test('every target is a new key, bound to organization and user', async () => {
  const [first, second] = [1, 2].map(() => done('init_import_private_key', { userId: rootUserId }))
  const bundles = [dataOf((await first).importBundle), dataOf((await second).importBundle)]
  for (const bundle of bundles) {
    expect(bundle).toEqual({
      organizationId,
      userId: rootUserId,
      targetPublic: expect.stringMatching(/^04[0-9a-f]{128}$/),
    })
  }
  expect(bundles[0].targetPublic).not.toBe(bundles[1].targetPublic)
})

test('an unknown user gets no target', async () => {
  expectRefused(await submit('init_import_private_key', { userId: absentId }), 404)
})
