import { expect, test } from 'vitest'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const { query } = await startOrganization()

test('there is no boot proof, and the answer says why', async () => {
  const answer = await query('get_latest_boot_proof', { appName: 'signer' })
  expectRefused(answer, 404, 'not found: boot proofs need AWS Nitro hardware', '/.well-known/claviger-keys.json')
})

test('the caller is identified and the request checked first', async () => {
  expectRefused(await query('get_latest_boot_proof', { appName: 'signer' }, { apiKey: generateApiKey() }), 401)
  for (const appName of ['', 'x'.repeat(257), 7]) {
    expectRefused(await query('get_latest_boot_proof', { appName }), 400, 'appName must be a name')
  }
  expect((await query('get_latest_boot_proof', { appName: 'x'.repeat(256) })).status).toBe(404)
})
