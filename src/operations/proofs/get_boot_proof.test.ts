import { expect, test } from 'vitest'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const { query } = await startOrganization()

test('there is no boot proof, and the answer says why', async () => {
  const answer = await query('get_boot_proof', { ephemeralKey: '04'.repeat(130) })
  expectRefused(answer, 404, 'not found: boot proofs need AWS Nitro hardware', '/.well-known/claviger-keys.json')
})

test('the caller is identified and the request checked first', async () => {
  expectRefused(await query('get_boot_proof', { ephemeralKey: '04'.repeat(130) }, { apiKey: generateApiKey() }), 401)
  for (const ephemeralKey of ['', 'x'.repeat(521), 7]) {
    expectRefused(await query('get_boot_proof', { ephemeralKey }), 400, 'ephemeralKey must be a public key in hex')
  }
  expect((await query('get_boot_proof', { ephemeralKey: 'x'.repeat(520) })).status).toBe(404)
})
