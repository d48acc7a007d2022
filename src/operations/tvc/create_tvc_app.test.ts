import { describe, expect, test } from 'vitest'
import { absentId, expectRefused, repeated, startOrganization, uuid } from '../../../test/support/organization.ts'
import { newApp, newOperator, newSet } from '../../../test/support/tvc.ts'

const { server, submit, done, found, anotherUser } = await startOrganization({
  limits: { tvcAppsMax: 20, tvcOperatorsMax: 200 },
})
const [ada, ben] = [newOperator('Ada'), newOperator('Ben')]

test('an app is created with its two sets and their operators', async () => {
  const made = await done('create_tvc_app', newApp([ada, ben]))
  expect(made).toStrictEqual({
    appId: uuid,
    manifestSetId: uuid,
    manifestSetOperatorIds: [uuid, uuid],
    manifestSetThreshold: 2,
    shareSetId: uuid,
    shareSetOperatorIds: [uuid, uuid],
    shareSetThreshold: 2,
  })
  const { tvcApp } = await found('get_tvc_app', { tvcAppId: made.appId })
  expect(tvcApp.manifestSet.operators).toMatchObject([
    { id: made.manifestSetOperatorIds[0], name: 'Ada', publicKey: ada.publicKey },
    { id: made.manifestSetOperatorIds[1], name: 'Ben', publicKey: ben.publicKey },
  ])
})

test('keys are kept in lower case', async () => {
  const { publicKey, ...shouting } = newOperator('Shouting')
  const quorum = newOperator('Quorum').publicKey
  const { appId } = await done(
    'create_tvc_app',
    newApp([{ ...shouting, publicKey: publicKey.toUpperCase() }], { quorumPublicKey: quorum.toUpperCase() }),
  )
  const { tvcApp } = await found('get_tvc_app', { tvcAppId: appId })
  expect(tvcApp).toMatchObject({ quorumPublicKey: quorum, manifestSet: { operators: [{ publicKey }] } })
})

describe('existing operators and sets are used again', async () => {
  const first = await done('create_tvc_app', newApp([ada, ben], { name: 'first' }))

  test('a set that is equal in name, threshold and members, in whatever order', async () => {
    const second = await done('create_tvc_app', newApp([ben, ada], { name: 'second' }))
    expect(second).toStrictEqual({ ...first, appId: uuid })
    expect(second.appId).not.toBe(first.appId)
  })

  test('an operator that is equal in name and key, in a set that differs', async () => {
    for (const given of [{ name: 'another' }, { threshold: 1 }]) {
      const other = await done('create_tvc_app', newApp([], { manifestSetParams: newSet([ada, ben], given) }))
      expect(other.manifestSetId).not.toBe(first.manifestSetId)
      expect(other.manifestSetOperatorIds).toEqual(first.manifestSetOperatorIds)
    }
  })

  test('but not an operator with the same key and another name', async () => {
    const renamed = await done('create_tvc_app', newApp([{ ...ada, name: 'Ada L.' }]))
    expect(first.manifestSetOperatorIds).not.toContain(renamed.manifestSetOperatorIds[0])
  })

  test('a set by its id, an operator by its id beside a new one', async () => {
    const manifestSetParams = newSet([newOperator('Cem')], {
      existingOperatorIds: [first.manifestSetOperatorIds[1].toUpperCase()],
    })
    const { name, quorumPublicKey } = newApp([])
    const made = await done('create_tvc_app', {
      name,
      quorumPublicKey,
      manifestSetParams,
      shareSetId: first.shareSetId,
    })
    expect(made).toMatchObject({
      manifestSetOperatorIds: [uuid, first.manifestSetOperatorIds[1]],
      manifestSetThreshold: 1,
      shareSetId: first.shareSetId,
      shareSetOperatorIds: first.shareSetOperatorIds,
      shareSetThreshold: 2,
    })
  })

  test('one set may be both', async () => {
    const { name, quorumPublicKey } = newApp([])
    const set = { manifestSetId: first.manifestSetId, shareSetId: first.manifestSetId }
    expect(await done('create_tvc_app', { name, quorumPublicKey, ...set })).toMatchObject(set)
  })

  test('a set for shares only with a threshold of at least 2', async () => {
    const { manifestSetId } = await done('create_tvc_app', newApp([ada]))
    const { name, quorumPublicKey, manifestSetParams } = newApp([ada])
    const answer = await submit('create_tvc_app', {
      name,
      quorumPublicKey,
      manifestSetParams,
      shareSetId: manifestSetId,
    })
    expectRefused(answer, 400, 'parameters.shareSetId must be a set with a threshold of at least 2')
  })
})

describe('invalid apps are refused', async () => {
  const { publicKey } = ada
  const [encryption, signing] = [publicKey.slice(0, 130), publicKey.slice(130)]
  const sets = (manifestSetParams: object) => ({ manifestSetParams })
  const named = (key: string) => ({ name: 'Eve', publicKey: key, sign: ada.sign })
  const many = repeated(51, (index) => newOperator(`operator ${index}`))
  const at = 'parameters.manifestSetParams'
  for (const [claim, given, status, text] of [
    ['no name', { name: '' }, 400, 'parameters.name must be a text of 1 to 256'],
    ['one point for a quorum key', { quorumPublicKey: signing }, 400, 'parameters.quorumPublicKey must be two uncompr'],
    [
      'a quorum key off the curve',
      { quorumPublicKey: encryption + `04${'11'.repeat(64)}` },
      400,
      'parameters.quorumPublicKey must be two uncompressed points of P-256',
    ],
    ['both kinds of manifest set', { manifestSetId: absentId }, 400, 'parameters.manifestSetId must be given, or else'],
    ['no manifest set', { manifestSetParams: null }, 400, 'parameters.manifestSetId must be given, or else'],
    ['no share set', { shareSetParams: null }, 400, 'parameters.shareSetId must be given, or else'],
    ['a malformed set id', { manifestSetParams: null, manifestSetId: 'set' }, 400, 'manifestSetId must be a UUID'],
    ['an unknown set', { manifestSetParams: null, manifestSetId: absentId }, 404, absentId],
    ['a set without operators', sets(newSet([], { threshold: 1 })), 400, `${at}.newOperators must be 1 to 50`],
    ['51 operators', sets(newSet(many)), 400, `${at}.newOperators must be a list of at most 50`],
    [
      '51 operators, one of which exists',
      sets(newSet(many.slice(1), { existingOperatorIds: [absentId] })),
      400,
      `${at}.newOperators must be 1 to 50 operators`,
    ],
    ['an unknown operator', sets(newSet([ada], { existingOperatorIds: ['x'] })), 404, 'operator x in this'],
    [
      'an operator key off the curve',
      sets(newSet([named(`04${'11'.repeat(64)}`.repeat(2))])),
      400,
      `${at}.newOperators[0].publicKey`,
    ],
    [
      'a name twice',
      sets(newSet([ada, { ...ben, name: 'Ada' }])),
      400,
      `${at}.newOperators[1] must be an operator whose name`,
    ],
    [
      'a signing key twice',
      sets(newSet([ada, named(ben.publicKey.slice(0, 130) + signing)])),
      400,
      `${at}.newOperators[1]`,
    ],
    [
      'an encryption key twice',
      sets(newSet([ada, named(encryption + ben.publicKey.slice(130))])),
      400,
      `${at}.newOperators[1]`,
    ],
    ['a threshold of 0', sets(newSet([ada], { threshold: 0 })), 400, `${at}.threshold must be a whole number from 1`],
    [
      'a threshold over the members',
      sets(newSet([ada, ben], { threshold: 3 })),
      400,
      `${at}.threshold must be a whole`,
    ],
    [
      'a share set with a threshold of 1',
      { shareSetParams: newSet([ada, ben], { threshold: 1 }) },
      400,
      'parameters.shareSetParams.threshold must be a whole number from 2 to the number of operators',
    ],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('create_tvc_app', newApp([ada, ben], given)), status, text)
    })
  }

  test('an existing operator beside itself', async () => {
    const { manifestSetOperatorIds } = await done('create_tvc_app', newApp([ada, ben]))
    const manifestSetParams = newSet([ada], { existingOperatorIds: manifestSetOperatorIds })
    const answer = await submit('create_tvc_app', newApp([], { manifestSetParams }))
    expectRefused(answer, 400, `${at}.existingOperatorIds[0] must be an operator whose name`)
  })
})

test('sets and operators of another organization do not exist here', async () => {
  const other = await server.createOrganization()
  const ask = { apiKey: other.apiKey, organizationId: other.organizationId }
  const foreign = await done('create_tvc_app', newApp([newOperator('Foreign')]), ask)
  const { name, quorumPublicKey, shareSetParams } = newApp([])
  const { manifestSetId, manifestSetOperatorIds } = foreign
  const own = { name, quorumPublicKey, shareSetParams }
  expectRefused(await submit('create_tvc_app', { ...own, manifestSetId }), 404, `${manifestSetId} in this organization`)
  const manifestSetParams = newSet([], { existingOperatorIds: manifestSetOperatorIds, threshold: 1 })
  const answer = await submit('create_tvc_app', { ...own, manifestSetParams })
  expectRefused(answer, 404, `there is no tvc operator ${manifestSetOperatorIds[0]} in this organization`)
})

test('a user outside of the root quorum may not create apps', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('create_tvc_app', newApp([ada]), { apiKey }), 403)
})

test('an organization has at most as many operators and apps as its limits', async () => {
  const make = (prefix: string) => newApp(repeated(50, (index) => newOperator(`${prefix} ${index}`)))
  const before = (await found('list_tvc_apps')).tvcApps.length
  for (const prefix of ['a', 'b', 'c']) await done('create_tvc_app', make(prefix))
  const tooMany = await submit('create_tvc_app', make('d'))
  expectRefused(tooMany, 429, 'resource limit reached: an organization has at most 200 operators of verifiable apps')
  for (let there = before + 3; there < 20; there += 1) await done('create_tvc_app', newApp([ada]))
  expectRefused(await submit('create_tvc_app', newApp([ada])), 429, 'an organization has at most 20 verifiable apps')
  expect((await found('list_tvc_apps')).tvcApps).toHaveLength(20)
})
