import type { TurnkeyClient } from '@turnkey/http'
import type { TurnkeyApiClient } from '@turnkey/sdk-server'
import { beforeAll, describe, expect, test } from 'vitest'
import { readProof } from '../support/app_proofs.ts'
import { dialects, ethereumAccount, httpClient, serverClient } from '../support/clients.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

/**
 * App proofs as clients ask for them: `@turnkey/sdk-server` puts the flag among the parameters, `@turnkey/http` sends
 * the body as it is given. `@turnkey/crypto` verifies them.
 */

let server: ReachableServer
let signer: string
beforeAll(async () => {
  server = await organizationOnSharedServer()
  const keys = await (await fetch(`${server.url}/.well-known/claviger-keys.json`)).json()
  signer = keys.appProofSigning.uncompressed
})

describe.each(dialects)('against the dialect %s', (dialect) => {
  let client: TurnkeyApiClient
  let raw: TurnkeyClient
  beforeAll(() => {
    client = serverClient(server, dialect)
    raw = httpClient(server, dialect)
  })

  test('sdk-server: createWallet brings a proof of each address, and getAppProofs gives them again', async () => {
    const accounts = [ethereumAccount(0), ethereumAccount(1)]
    const asked = { walletName: `${dialect} proven`, accounts, generateAppProofs: true }
    const { walletId, addresses, activity } = await client.createWallet(asked)
    const { appProofs = [] } = activity
    expect(appProofs.map(readProof)).toEqual(
      addresses.map((address, index) => ({
        type: 'APP_PROOF_TYPE_ADDRESS_DERIVATION',
        timestampMs: expect.stringMatching(/^\d{13}$/),
        addressDerivationProof: {
          organizationId: server.credentials.organizationId,
          walletId,
          derivationPath: accounts[index]?.path,
          address,
        },
      })),
    )
    for (const { publicKey } of appProofs) expect(publicKey.slice(130)).toBe(signer)
    expect(await client.getAppProofs({ activityId: activity.id })).toMatchObject({ appProofs })
    expect((await client.getActivity({ activityId: activity.id })).activity.appProofs).toEqual(appProofs)
  })

  test('the flag in the envelope, and in both places as @turnkey/core sends it, brings a proof of the decision', async () => {
    const { organizationId } = server.credentials
    for (const generateAppProofs of [{}, { generateAppProofs: true }]) {
      const { activity } = await raw.updateOrganizationName({
        type: 'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME',
        timestampMs: String(Date.now()),
        organizationId,
        parameters: { organizationName: `${dialect} proven`, ...generateAppProofs },
        generateAppProofs: true,
      })
      const [vote] = activity.votes
      expect((activity.appProofs ?? []).map(readProof)).toMatchObject([
        {
          type: 'APP_PROOF_TYPE_POLICY_OUTCOME',
          policyOutcomeProof: {
            organizationId,
            outcome: 'OUTCOME_ALLOW',
            userRequestApprovals: [{ publicKey: vote?.publicKey, message: vote?.message, signature: vote?.signature }],
          },
        },
      ])
    }
  })

  test('without the flag there is no proof, and a boot proof there never is', async () => {
    const { activity } = await client.createWallet({ walletName: `${dialect} plain`, accounts: [ethereumAccount()] })
    expect(activity.appProofs).toBeUndefined()
    expect((await client.getAppProofs({ activityId: activity.id })).appProofs).toEqual([])
    const text = 'boot proofs need AWS Nitro hardware'
    await expect(client.getBootProof({ ephemeralKey: signer })).rejects.toThrow(text)
    await expect(client.getLatestBootProof({ appName: 'signer' })).rejects.toThrow(text)
  })
})
