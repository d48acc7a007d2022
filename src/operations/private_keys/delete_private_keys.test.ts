import { expect, test } from 'vitest'
import { signingOf } from '../../../test/support/client.ts'
import { writeNextListedRecord } from '../../../test/support/later_version.ts'
import {
  absentId,
  expectRefused,
  newPrivateKey,
  repeated,
  startOrganization,
} from '../../../test/support/organization.ts'

const { server, organizationId, submit, query, done, found, anotherUser } = await startOrganization()

let count = 0
async function makeKeys(number: number): Promise<{ privateKeyId: string; addresses: { address: string }[] }[]> {
  const addressFormats = ['ADDRESS_FORMAT_ETHEREUM']
  const privateKeys = repeated(number, () => newPrivateKey({ privateKeyName: `key ${++count}`, addressFormats }))
  return (await done('create_private_keys', { privateKeys })).privateKeys
}

async function makeKey(): Promise<{ privateKeyId: string; address: string }> {
  const [key] = await makeKeys(1)
  return { privateKeyId: key?.privateKeyId ?? '', address: key?.addresses[0]?.address ?? '' }
}

test('deleted keys sign nothing, by id or by address; an id given twice counts once', async () => {
  const { privateKeyId, address } = await makeKey()
  const another = await makeKey()
  const privateKeyIds = [privateKeyId.toUpperCase(), another.privateKeyId, privateKeyId]
  const result = await done('delete_private_keys', { privateKeyIds, deleteWithoutExport: true })
  expect(result).toStrictEqual({ privateKeyIds: [privateKeyId, another.privateKeyId] })

  expectRefused(await query('get_private_key', { privateKeyId }), 404)
  expect((await found('list_private_keys')).privateKeys).toEqual([])
  for (const signWith of [privateKeyId, address]) {
    expectRefused(await submit('sign_raw_payload', signingOf(signWith, 'text')), 404, 'resource to sign with')
  }
})

test('a key that was never exported is not deleted unless the request allows its loss', async () => {
  const { privateKeyId } = await makeKey()
  const { privateKeyId: exportedId } = await makeKey()
  const place = { organizationId, kind: 'private_key', recordId: exportedId } as const
  await writeNextListedRecord(server, place, (record) => ({ ...record, exported: true }))
  for (const flag of [{}, { deleteWithoutExport: false }, { deleteWithoutExport: null }]) {
    const answer = await submit('delete_private_keys', { privateKeyIds: [exportedId, privateKeyId], ...flag })
    expectRefused(answer, 400, 'parameters.privateKeyIds[1]', 'deleteWithoutExport')
  }
  expect((await found('list_private_keys')).privateKeys).toHaveLength(2)
  await done('delete_private_keys', { privateKeyIds: [exportedId] })
  await done('delete_private_keys', { privateKeyIds: [privateKeyId], deleteWithoutExport: true })
})

test('the name of a deleted key is free at once', async () => {
  const make = () => done('create_private_keys', { privateKeys: [newPrivateKey({ privateKeyName: 'again' })] })
  const [{ privateKeyId }] = (await make()).privateKeys
  await done('delete_private_keys', { privateKeyIds: [privateKeyId], deleteWithoutExport: true })
  await make()
})

test('one request deletes a hundred keys, even if the vault has read all of them before', async () => {
  const keys = await makeKeys(100)
  await found('list_private_keys')
  const privateKeyIds = keys.map(({ privateKeyId }) => privateKeyId)
  await done('delete_private_keys', { privateKeyIds, deleteWithoutExport: true })
  for (const { privateKeyId } of keys) expectRefused(await query('get_private_key', { privateKeyId }), 404)
})

test('invalid deletions are refused', async () => {
  const { privateKeyId } = await makeKey()
  const deleteWithoutExport = true
  for (const [privateKeyIds, status, text] of [
    [[privateKeyId, absentId], 404, absentId],
    [[organizationId], 404, organizationId],
    [[], 400, 'parameters.privateKeyIds must be a list of 1 to 100'],
    [repeated(101, () => privateKeyId), 400, 'parameters.privateKeyIds'],
  ] as const) {
    const answer = await submit('delete_private_keys', { privateKeyIds, deleteWithoutExport })
    expectRefused(answer, status, text)
  }
  const { apiKey } = await anotherUser()
  const parameters = { privateKeyIds: [privateKeyId], deleteWithoutExport }
  expectRefused(await submit('delete_private_keys', parameters, { apiKey }), 403)
  expect((await found('get_private_key', { privateKeyId })).privateKey.privateKeyId).toBe(privateKeyId)
})
