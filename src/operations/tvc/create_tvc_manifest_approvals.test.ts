import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  type Parameters,
  repeated,
  startOrganization,
  uuid,
} from '../../../test/support/organization.ts'
import { manifestOf, newApp, newDeployment, newOperator, type TestOperator } from '../../../test/support/tvc.ts'
import type { ManifestV1 } from '../../protocol/tvc/tvc_manifest.ts'

const organization = await startOrganization()
const { server, submit, done, found, query, anotherUser } = organization
const [ada, ben, cem] = [newOperator('Ada'), newOperator('Ben'), newOperator('Cem')]
const app = await done('create_tvc_app', newApp([ada, ben, cem]))
const idOf = new Map(
  [ada, ben, cem].map((operator, index): [TestOperator, string] => [operator, app.manifestSetOperatorIds[index]]),
)

let nonce = 0
/** Deploys with a new nonce: the clock stands still, and equal manifests would have equal approvals. */
async function deploy(appId: string = app.appId): Promise<{ manifestId: string; manifest: ManifestV1 }> {
  nonce += 1
  const { deploymentId } = await done('create_tvc_deployment', newDeployment(appId, { nonce }))
  return { manifestId: deploymentId, manifest: await manifestOf(organization, deploymentId) }
}

function approvalOf(operator: TestOperator, manifest: ManifestV1): Parameters {
  return { operatorId: idOf.get(operator), signature: operator.sign(manifest) }
}

async function approve(manifestId: string, ...approvals: readonly Parameters[]): Promise<readonly string[]> {
  return (await done('create_tvc_manifest_approvals', { manifestId, approvals })).approvalIds
}

async function approvedBy(deploymentId: string): Promise<readonly string[]> {
  const { tvcDeployment } = await found('get_tvc_deployment', { deploymentId })
  return tvcDeployment.manifestApprovals.map(({ operator }: { operator: { name: string } }) => operator.name)
}

async function liveOf(tvcAppId: string): Promise<string | undefined> {
  return (await found('get_tvc_app', { tvcAppId })).tvcApp.liveDeploymentId
}

describe('the first deployment of an app', async () => {
  const { appId } = await done('create_tvc_app', newApp([ada, ben, cem], { name: 'live' }))
  const first = await deploy(appId)
  const second = await deploy(appId)

  test('is not live with fewer approvals than the threshold', async () => {
    expect(await approve(first.manifestId, approvalOf(ada, first.manifest))).toEqual([uuid])
    expect(await approvedBy(first.manifestId)).toEqual(['Ada'])
    expect(await liveOf(appId)).toBeUndefined()
  })

  test('is not live when one member approves twice', async () => {
    await approve(first.manifestId, approvalOf(ada, first.manifest))
    expect(await liveOf(appId)).toBeUndefined()
  })

  test('is live with as many members as the threshold', async () => {
    await approve(first.manifestId, approvalOf(cem, first.manifest))
    expect(await approvedBy(first.manifestId)).toEqual(['Ada', 'Cem'])
    expect(await liveOf(appId)).toBe(first.manifestId)
  })

  test('stays live when another one is approved, and takes a further approval', async () => {
    await approve(second.manifestId, approvalOf(ada, second.manifest), approvalOf(ben, second.manifest))
    expect(await approvedBy(second.manifestId)).toEqual(['Ada', 'Ben'])
    await approve(first.manifestId, approvalOf(ben, first.manifest))
    expect(await approvedBy(first.manifestId)).toEqual(['Ada', 'Cem', 'Ben'])
    expect(await liveOf(appId)).toBe(first.manifestId)
  })
})

test('one request may have all approvals; their ids are in the order of the request', async () => {
  const { appId } = await done('create_tvc_app', newApp([ada, ben, cem]))
  const { manifestId, manifest } = await deploy(appId)
  const ids = await approve(manifestId, approvalOf(ben, manifest), approvalOf(ada, manifest))
  const { tvcDeployment } = await found('get_tvc_deployment', { deploymentId: manifestId })
  expect(tvcDeployment.manifestApprovals.map(({ id }: { id: string }) => id)).toEqual(ids)
  expect(await approvedBy(manifestId)).toEqual(['Ben', 'Ada'])
  expect(await liveOf(appId)).toBe(manifestId)
})

test("its own id or its deployment's id names a manifest, in either case of letters", async () => {
  const { deploymentId, manifestId } = await done('create_tvc_deployment', newDeployment(app.appId))
  const manifest = await manifestOf(organization, deploymentId)
  const { tvcDeployment } = await found('get_tvc_deployment', { deploymentId })
  const names = [deploymentId, manifestId, tvcDeployment.id, tvcDeployment.manifest.id, manifestId.toUpperCase()]
  const ids: string[] = []
  for (const name of names) ids.push(...(await approve(name, approvalOf(ada, manifest))))
  expect(new Set(ids).size).toBe(1)
})

describe('a second approval of a member counts as the first one', () => {
  test('sent again, and with another signature', async () => {
    const { manifestId, manifest } = await deploy()
    const approval = approvalOf(ada, manifest)
    const [id] = await approve(manifestId, approval)
    const before = await found('get_tvc_deployment', { deploymentId: manifestId })
    expect(await approve(manifestId, approval)).toEqual([id])
    expect(await approve(manifestId, approvalOf(ada, manifest))).toEqual([id])
    expect(await found('get_tvc_deployment', { deploymentId: manifestId })).toStrictEqual(before)
  })

  test('in one request, beside a new one', async () => {
    const { manifestId, manifest } = await deploy()
    const approvals = [ada, ben, ada].map((operator) => approvalOf(operator, manifest))
    const [first, second, third] = await approve(manifestId, ...approvals)
    expect(third).toBe(first)
    expect(second).not.toBe(first)
    expect(await approvedBy(manifestId)).toEqual(['Ada', 'Ben'])
  })

  test('but not when its signature is wrong', async () => {
    const { manifestId, manifest } = await deploy()
    await approve(manifestId, approvalOf(ada, manifest))
    const approvals = [{ operatorId: idOf.get(ada), signature: ben.sign(manifest) }]
    const answer = await submit('create_tvc_manifest_approvals', { manifestId, approvals })
    expectRefused(answer, 400, 'parameters.approvals[0].signature must be')
  })
})

describe('invalid approvals are refused', async () => {
  const { manifestId, manifest } = await deploy()
  const other = await deploy()
  const good = approvalOf(ada, manifest)
  const { signature } = good
  const of = (operator: TestOperator, given: string) => [{ operatorId: idOf.get(operator), signature: given }]
  const wrong = "parameters.approvals[0].signature must be the operator's ECDSA signature"
  const malformed = 'parameters.approvals[0].signature must be r and s in hex: 128 digits'
  const hex = String(signature)
  const cases: readonly (readonly [string, Parameters, number, string])[] = [
    ['an absent list', { approvals: [] }, 400, 'parameters.approvals must be a list of 1 to 50'],
    ['51', { approvals: repeated(51, () => good) }, 400, 'parameters.approvals must be a list of 1 to 50'],
    ['the signature of another member', { approvals: of(ben, hex) }, 400, wrong],
    ['the signature of another manifest', { approvals: of(ada, ada.sign(other.manifest)) }, 400, wrong],
    ['s before r', { approvals: of(ada, hex.slice(64) + hex.slice(0, 64)) }, 400, wrong],
    ['nothing but zeros', { approvals: of(ada, '00'.repeat(64)) }, 400, wrong],
    ['a signature cut short', { approvals: of(ada, hex.slice(2)) }, 400, malformed],
    ['a signature with a prefix', { approvals: of(ada, `0x${hex}`) }, 400, malformed],
    ['a signature in base64', { approvals: of(ada, Buffer.from(hex, 'hex').toString('base64')) }, 400, malformed],
    ['an empty signature', { approvals: of(ada, '') }, 400, malformed],
    [
      'an empty operator',
      { approvals: [{ operatorId: '', signature }] },
      400,
      '[0].operatorId must be the id of an op',
    ],
    ['an unknown operator', { approvals: [{ operatorId: absentId, signature }] }, 404, absentId],
    ['an operator id of another form', { approvals: [{ operatorId: 'ab'.repeat(32), signature }] }, 404, 'abab'],
    [
      'an operator who only holds shares',
      { approvals: [good, { operatorId: app.shareSetOperatorIds[0], signature }] },
      400,
      "parameters.approvals[1].operatorId must be an operator of the deployment's manifest set",
    ],
    ['an unknown manifest', { manifestId: absentId, approvals: [good] }, 404, absentId],
    ['an app in place of a manifest', { manifestId: app.appId, approvals: [good] }, 404, app.appId],
  ]
  for (const [claim, given, status, text] of cases) {
    test(claim, async () => {
      expectRefused(await submit('create_tvc_manifest_approvals', { manifestId, ...given }), status, text)
    })
  }

  test('a valid approval beside an invalid one: neither is accepted', async () => {
    const approvals = [good, { operatorId: idOf.get(ben), signature }]
    const answer = await submit('create_tvc_manifest_approvals', { manifestId, approvals })
    expectRefused(answer, 400, 'parameters.approvals[1].signature must be')
    expect(await approvedBy(manifestId)).toEqual([])
  })
})

test('a high S is accepted, and digits in upper case', async () => {
  const { manifestId, manifest } = await deploy()
  const signature = ada.sign(manifest)
  const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')
  const s = (order - BigInt(`0x${signature.slice(64)}`)).toString(16).padStart(64, '0')
  await approve(manifestId, { operatorId: idOf.get(ada), signature: (signature.slice(0, 64) + s).toUpperCase() })
  expect(await approvedBy(manifestId)).toEqual(['Ada'])
})

test('manifests and operators of another organization do not exist here', async () => {
  const stranger = await server.createOrganization()
  const ask = { apiKey: stranger.apiKey, organizationId: stranger.organizationId }
  const theirs = await done('create_tvc_app', newApp([ada]), ask)
  const { deploymentId } = await done('create_tvc_deployment', newDeployment(theirs.appId), ask)
  const { manifestId, manifest } = await deploy()
  const own = approvalOf(ada, manifest)
  const foreignManifest = await submit('create_tvc_manifest_approvals', { manifestId: deploymentId, approvals: [own] })
  expectRefused(foreignManifest, 404, `there is no tvc deployment ${deploymentId} in this organization`)
  const [operatorId] = theirs.manifestSetOperatorIds
  const approvals = [{ ...own, operatorId }]
  const foreignOperator = await submit('create_tvc_manifest_approvals', { manifestId, approvals })
  expectRefused(foreignOperator, 404, `there is no tvc operator ${operatorId} in this organization`)
})

test('a user outside of the root quorum may not submit approvals, whoever signed them', async () => {
  const { apiKey } = await anotherUser()
  const { manifestId, manifest } = await deploy()
  const approvals = [approvalOf(ada, manifest)]
  expectRefused(await submit('create_tvc_manifest_approvals', { manifestId, approvals }, { apiKey }), 403)
})

test('simultaneous approvals all count, and one deployment becomes live', async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    const { appId } = await done('create_tvc_app', newApp([ada, ben, cem]))
    const deployments = [await deploy(appId), await deploy(appId)]
    const answers = await Promise.all(
      deployments.flatMap(({ manifestId, manifest }) =>
        [ada, ben].map((operator) =>
          submit('create_tvc_manifest_approvals', { manifestId, approvals: [approvalOf(operator, manifest)] }),
        ),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    for (const { manifestId } of deployments) {
      expect([...(await approvedBy(manifestId))].sort()).toEqual(['Ada', 'Ben'])
    }
    expect(deployments.map(({ manifestId }) => manifestId)).toContain(await liveOf(appId))
  }
})

test('the same approval, sent several times at once, counts once', async () => {
  const { manifestId, manifest } = await deploy()
  const approvals = [approvalOf(ada, manifest)]
  const answers = await Promise.all(
    repeated(4, () => submit('create_tvc_manifest_approvals', { manifestId, approvals })),
  )
  const ids = answers.map(({ body }) => body.activity.result.createTvcManifestApprovalsResult.approvalIds)
  expect(new Set(ids.flat()).size).toBe(1)
  expect(await approvedBy(manifestId)).toEqual(['Ada'])
})

test('nothing of a manifest can be read without a stamp of the organization', async () => {
  const { manifestId } = await deploy()
  const stranger = await server.createOrganization()
  const answer = await query('get_tvc_deployment', { deploymentId: manifestId }, { apiKey: stranger.apiKey })
  expectRefused(answer, 401)
})
