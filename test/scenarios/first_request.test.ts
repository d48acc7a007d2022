import { expect, test } from 'vitest'
import { startInProcess } from '../support/in_process.ts'

test('an organization creates a wallet and signs with it', async () => {
  const server = await startInProcess()
  const { organizationId, userId, apiKey } = await server.createOrganization()

  const who = await server.post('/public/v1/query/whoami', { organizationId }, apiKey)
  expect(who).toEqual({ status: 200, body: { organizationId, organizationName: 'First', userId, username: 'root' } })

  const created = await server.post(
    '/public/v1/submit/create_wallet',
    {
      type: 'ACTIVITY_TYPE_CREATE_WALLET',
      timestampMs: String(Date.now()),
      organizationId,
      parameters: {
        walletName: 'w',
        accounts: [
          {
            curve: 'CURVE_SECP256K1',
            pathFormat: 'PATH_FORMAT_BIP32',
            path: "m/44'/60'/0'/0/0",
            addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
          },
        ],
      },
    },
    apiKey,
  )
  expect(server.incidents).toEqual([])
  expect(created.status, JSON.stringify(created.body)).toBe(200)
  const [address] = created.body.activity.result.createWalletResult.addresses

  const signed = await server.post(
    '/public/v1/submit/sign_raw_payload',
    {
      type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
      timestampMs: String(Date.now()),
      organizationId,
      parameters: {
        signWith: address,
        payload: 'deadbeef',
        encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
        hashFunction: 'HASH_FUNCTION_SHA256',
      },
    },
    apiKey,
  )
  expect(signed.status, JSON.stringify(signed.body)).toBe(200)
  expect(signed.body.activity.result.signRawPayloadResult.r).toMatch(/^[0-9a-f]{64}$/)
  const renamed = await server.post(
    '/public/v1/submit/update_organization_name',
    {
      type: 'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME',
      timestampMs: String(Date.now()),
      organizationId,
      parameters: { organizationName: 'Renamed' },
    },
    apiKey,
  )
  expect(renamed.status, JSON.stringify(renamed.body)).toBe(200)
  const list = await server.post(
    '/public/v1/query/list_wallet_accounts',
    { organizationId, includeWalletDetails: true },
    apiKey,
  )
  expect(list.body.accounts[0].address).toBe(address)
  const all = await server.post('/public/v1/query/get_organization', { organizationId }, apiKey)
  expect(all.body.organizationData.name).toBe('Renamed')
  await server.close()
})
