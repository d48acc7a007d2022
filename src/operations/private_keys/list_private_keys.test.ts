import { expect, test } from 'vitest'
import { newPrivateKey, startOrganization } from '../../../test/support/organization.ts'

const { found, done } = await startOrganization()

test('an organization without private keys has an empty list', async () => {
  expect(await found('list_private_keys')).toStrictEqual({ privateKeys: [] })
})

test('private keys are listed in order of creation, each as `get_private_key` shows it', async () => {
  const privateKeys: unknown[] = []
  for (const privateKeyName of ['c', 'a', 'b']) {
    const made = await done('create_private_keys', { privateKeys: [newPrivateKey({ privateKeyName })] })
    privateKeys.push((await found('get_private_key', { privateKeyId: made.privateKeys[0].privateKeyId })).privateKey)
  }
  expect(await found('list_private_keys')).toStrictEqual({ privateKeys })
})
