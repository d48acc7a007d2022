import { expect, test } from 'vitest'
import { breakExplanation, brokenText, explaining, warningsOf } from '../support/explanations.ts'
import { newPrivateKey, startOrganization } from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

test('a list of IP ranges for a key that nobody has is explained, and logs no bug', async () => {
  const organization = await startOrganization()
  const { publicKey } = generateApiKey()
  const given = { publicKey, rules: [{ cidr: '203.0.113.0/24' }], allowLockout: true }
  const second = await organization.anotherUser('Second')
  await organization.done('update_root_quorum', { threshold: 2, userIds: [organization.rootUserId, second.userId] })
  for (const [name, parameters] of [
    ['set_ip_allowlist', given],
    ['remove_ip_allowlist', { publicKey }],
  ] as const) {
    const { explanation, lines } = await explaining(organization)(name, parameters)
    expect(warningsOf(explanation)).toEqual(['unreadable'])
    expect(lines[0]).toContain(publicKey)
  }
  expect(organization.server.incidents).toEqual([])
})

test('a bug in an explanation is shown as a warning, and logged without a word of the request', async () => {
  const organization = await startOrganization()
  breakExplanation('ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2')
  const { explanation, lines } = await explaining(organization)('create_private_keys', {
    privateKeys: [newPrivateKey()],
  })
  expect(warningsOf(explanation)).toEqual(['notExplained'])
  expect(lines[0]).toMatch(
    /^WARNING: this request could not be explained\. Create private keys: activity [0-9a-f-]{36}$/,
  )
  const { incidents } = organization.server
  const logged = JSON.stringify(incidents)
  expect(logged).toContain(explanation.activityId)
  expect(logged).toContain('test/support/explanations.ts')
  expect(logged).not.toContain(brokenText)
  incidents.length = 0
})
