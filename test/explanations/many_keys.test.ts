import { expect, test } from 'vitest'
import { explaining } from '../support/explanations.ts'
import { newPolicy, newPrivateKey, repeated, startOrganization } from '../support/organization.ts'

test('a policy that covers every private key by a tag says so, also where there are more than are tried', async () => {
  const organization = await startOrganization()
  const { done, anotherUser, rootUserId } = organization
  const { privateKeyTagId } = await done('create_private_key_tag', { privateKeyTagName: 'hot', privateKeyIds: [] })
  const tagged = (index: number) => newPrivateKey({ privateKeyName: `key ${index}`, privateKeyTags: [privateKeyTagId] })
  for (const start of [0, 50, 100, 150, 200, 250, 300])
    await done('create_private_keys', { privateKeys: repeated(50, (index) => tagged(start + index)) })
  const { userId } = await anotherUser('Carol')
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] })
  const condition = `activity.action == 'SIGN' && private_key.tags.contains('${privateKeyTagId}')`
  const policy = newPolicy({ policyName: 'Hot', effect: 'EFFECT_ALLOW', condition })
  const { lines } = await explaining(organization)('create_policy', policy)
  expect(lines[0]).toMatch(/^WARNING: “Hot” opens signatures to every user\. /)
})
