import { expect, test } from 'vitest'
import { breakExplanation, brokenText, explaining, warningsOf } from '../support/explanations.ts'
import { newPrivateKey, startOrganization } from '../support/organization.ts'

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
