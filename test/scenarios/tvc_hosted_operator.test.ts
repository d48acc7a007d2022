import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { manifestHash } from '../../src/protocol/tvc/tvc_manifest.ts'
import { newAccount, startOrganization } from '../support/organization.ts'
import { manifestOf, newApp, newDeployment } from '../support/tvc.ts'

/**
 * An operator whose keys this server holds: two P-256 accounts of a wallet, whose addresses are the halves of the
 * operator's key. The approval is an ordinary signature of the second account over the manifest's hash.
 */
const organization = await startOrganization()
const { done, found } = organization

test('a wallet account is the signing key of an operator and approves a manifest by `sign_raw_payload`', async () => {
  const account = (path: string) =>
    newAccount({ curve: 'CURVE_P256', path, addressFormat: 'ADDRESS_FORMAT_UNCOMPRESSED' })
  const { addresses } = await done('create_wallet', {
    walletName: 'operator',
    accounts: [account("m/5527107'/0'/0'/0"), account("m/5527107'/0'/0'/1")],
  })
  const [encryption, signing] = addresses
  const operator = { name: 'Hosted', publicKey: encryption + signing }
  const manifestSetParams = { name: 'hosted', newOperators: [operator], threshold: 1 }
  const { appId, manifestSetOperatorIds } = await done('create_tvc_app', newApp([], { manifestSetParams }))
  const { manifestId } = await done('create_tvc_deployment', newDeployment(appId))

  const hash = Buffer.from(manifestHash(await manifestOf(organization, manifestId)))
  const { r, s } = await done('sign_raw_payload', {
    signWith: signing,
    payload: hash.toString('hex'),
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_SHA256',
  })
  const approvals = [{ operatorId: manifestSetOperatorIds[0], signature: r + s }]
  const { approvalIds } = await done('create_tvc_manifest_approvals', { manifestId, approvals })

  const { tvcDeployment } = await found('get_tvc_deployment', { deploymentId: manifestId })
  expect(tvcDeployment.manifestApprovals).toMatchObject([
    { id: approvalIds[0], operator, approval: Buffer.from(r + s, 'hex').toString('base64') },
  ])
  expect((await found('get_tvc_app', { tvcAppId: appId })).tvcApp.liveDeploymentId).toBe(manifestId)

  // The curve signs the hash of the hash. So this digest, signed without a hash function, is the same approval.
  const digest = createHash('sha256').update(hash).digest('hex')
  const again = await done('sign_raw_payload', {
    signWith: signing,
    payload: digest,
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  })
  const same = [{ operatorId: manifestSetOperatorIds[0], signature: again.r + again.s }]
  expect((await done('create_tvc_manifest_approvals', { manifestId, approvals: same })).approvalIds).toEqual(
    approvalIds,
  )
})
