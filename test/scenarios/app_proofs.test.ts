import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readProof } from '../support/app_proofs.ts'
import { encryptMnemonic, knownMnemonic } from '../support/bundles.ts'
import { newOperators, recipientsOf, sparkAccount } from '../support/operators.ts'
import {
  newAccount,
  newApiKey,
  type Parameters,
  repeated,
  startOrganization,
  type TestOrganization,
} from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** Activities whose requests ask for app proofs. */

const organization = await startOrganization()
const { server, clock, organizationId, rootUserId, rootKey, submit, found, done } = organization
const asked = { generateAppProofs: true }
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function activityOf(name: string, parameters: Parameters, ask: Parameters = {}) {
  const { status, body } = await submit(name, parameters, ask)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.activity
}

/** The digest of the head, as an auditor finds it in the database. */
async function headDigest(id: string, { store }: TestOrganization['server'] = server): Promise<string> {
  const read = { read: 'headTag', organizationId: id } as const
  const [found] = await store.find([read])
  if (found?.read !== 'headTag' || found.row === undefined) throw new Error('there is no such organization')
  return sha256(`${id} ${found.row.version} ${found.row.tag}`)
}

const accounts = [newAccount(), newAccount({ path: "m/44'/60'/0'/0/1" })]
let count = 0
const walletName = () => `wallet ${++count}`

describe('the flag', () => {
  const body = (flags: { envelope?: unknown; parameters?: Parameters }) => {
    clock.nowMs += 1
    return {
      type: 'ACTIVITY_TYPE_CREATE_WALLET',
      timestampMs: String(clock.nowMs),
      organizationId,
      parameters: { walletName: walletName(), accounts, ...flags.parameters },
      ...(flags.envelope === undefined ? {} : { generateAppProofs: flags.envelope }),
    }
  }
  for (const [claim, flags, proofs] of [
    ['beside the parameters brings proofs', { envelope: true }, 2],
    ['among the parameters brings proofs', { parameters: asked }, 2],
    ['in both places brings them once', { envelope: true, parameters: asked }, 2],
    ['true in one place and false in the other brings them', { envelope: false, parameters: asked }, 2],
    ['left out brings none', {}, undefined],
    ['false brings none', { envelope: false, parameters: { generateAppProofs: false } }, undefined],
    ['null brings none', { envelope: null }, undefined],
  ] as const) {
    test(claim, async () => {
      const answer = await server.post('/public/v1/submit/create_wallet', body(flags), rootKey)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      const { activity } = answer.body
      expect(activity.appProofs?.length).toBe(proofs)
      expect(JSON.stringify(activity.intent)).not.toContain('generateAppProofs')
      const { appProofs } = await found('list_app_proofs', { activityId: activity.id })
      expect(appProofs).toStrictEqual(activity.appProofs ?? [])
    })
  }

  test('the same bytes again give the activity with the proofs that it has', async () => {
    const bytes = JSON.stringify(body({ parameters: asked }))
    const path = '/public/v1/submit/create_wallet'
    const first = await server.post(path, bytes, rootKey)
    expect(first.body.activity.appProofs).toHaveLength(2)
    expect(await server.post(path, bytes, rootKey)).toStrictEqual(first)
  })
})

describe('an address that was derived has a proof', () => {
  /** Verifies each proof of the activity, and compares it with its place and address. */
  async function expectDerivations(
    name: string,
    parameters: Parameters,
    placeOf: (result: ReturnType<typeof JSON.parse>) => {
      organizationId: string
      walletId: string
      addresses: string[]
    },
    paths = accounts.map(({ path }) => path),
  ) {
    const activity = await activityOf(name, { ...parameters, ...asked })
    const [result] = Object.values(activity.result)
    const { addresses, ...place } = placeOf(result)
    expect(addresses).toHaveLength(paths.length)
    expect(activity.appProofs.map(readProof)).toStrictEqual(
      addresses.map((address, index) => ({
        type: 'APP_PROOF_TYPE_ADDRESS_DERIVATION',
        timestampMs: String(clock.nowMs),
        addressDerivationProof: { ...place, derivationPath: paths[index], address },
      })),
    )
  }

  test('create_wallet', async () => {
    const parameters = { walletName: walletName(), accounts }
    await expectDerivations('create_wallet', parameters, (result) => ({ organizationId, ...result }))
  })

  test('create_wallet_accounts, also for accounts that are not stored', async () => {
    const { walletId } = await done('create_wallet', { walletName: walletName(), accounts: [] })
    for (const [index, persist] of [true, false].entries()) {
      const own = [newAccount({ path: `m/1/${index}` }), newAccount({ path: `m/2/${index}` })]
      await expectDerivations(
        'create_wallet_accounts',
        { walletId: walletId.toUpperCase(), accounts: own, persist },
        ({ addresses }) => ({ organizationId, walletId, addresses }),
        own.map(({ path }) => path),
      )
    }
  })

  test('import_wallet', async () => {
    const { importBundle } = await done('init_import_wallet', { userId: rootUserId })
    const signer = (await server.vault.publishedKeys()).bundleSigning?.uncompressed ?? ''
    const place = { organizationId, userId: rootUserId, signer, importBundle }
    const encryptedBundle = await encryptMnemonic(knownMnemonic, place)
    const parameters = { userId: rootUserId, walletName: walletName(), encryptedBundle, accounts }
    await expectDerivations('import_wallet', parameters, (result) => ({ organizationId, ...result }))
  })

  test('create_sub_organization: the address is the new organization’s', async () => {
    await expectDerivations('create_sub_organization', subOrganization(), ({ subOrganizationId, wallet }) => ({
      organizationId: subOrganizationId,
      ...wallet,
    }))
  })

  test('forty of them', async () => {
    const many = repeated(40, (index) => newAccount({ path: `m/0/${index}` }))
    await expectDerivations(
      'create_wallet',
      { walletName: walletName(), accounts: many },
      (result) => ({ organizationId, ...result }),
      many.map(({ path }) => path),
    )
  })
})

function subOrganization(publicKey = generateApiKey().publicKey, given: Parameters = {}): Parameters {
  const apiKeys = [newApiKey({ publicKey })]
  const root = { userName: 'Ada', apiKeys, authenticators: [], oauthProviders: [] }
  const wallet = { walletName: 'wallet', accounts }
  return { subOrganizationName: walletName(), rootUsers: [root], rootQuorumThreshold: 1, wallet, ...given }
}

type WireVote = Record<'userId' | 'scheme' | 'publicKey' | 'message' | 'signature', string>

/** Compares the proof's parts with parts that are made again from the activity and the database. */
async function expectOutcome(
  activity: ReturnType<typeof JSON.parse>,
  given: { digest: string; parentDigest?: string; nowMs?: number; votes?: readonly WireVote[] },
) {
  const { id, type, fingerprint, appProofs } = activity
  const votes: readonly WireVote[] = given.votes ?? activity.votes
  const context = {
    activityId: id,
    organizationId: activity.organizationId,
    type,
    fingerprint,
    submitterId: activity.votes[0].userId,
    approverIds: votes.map(({ userId }) => userId),
  }
  expect(appProofs.map(readProof)).toStrictEqual([
    {
      type: 'APP_PROOF_TYPE_POLICY_OUTCOME',
      timestampMs: String(given.nowMs ?? clock.nowMs),
      policyOutcomeProof: {
        organizationId: activity.organizationId,
        outcome: 'OUTCOME_ALLOW',
        decisionContextDigest: sha256(JSON.stringify(context)),
        organizationDataDigest: given.digest,
        parentOrganizationDataDigest: given.parentDigest ?? '',
        userRequestApprovals: votes.map(({ scheme, publicKey, message, signature }) => ({
          scheme,
          publicKey,
          message,
          signature,
        })),
      },
    },
  ])
}

describe('any other activity has a proof of its decision', () => {
  test('a change: the proof names the organization as it was before', async () => {
    const digest = await headDigest(organizationId)
    const activity = await activityOf('update_organization_name', { organizationName: 'Proven', ...asked })
    await expectOutcome(activity, { digest })
    expect(await headDigest(organizationId)).not.toBe(digest)
  })

  test('a signature', async () => {
    const { addresses } = await done('create_wallet', { walletName: walletName(), accounts })
    const parameters = {
      signWith: addresses[0],
      payload: 'Grüße "\\',
      encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
      hashFunction: 'HASH_FUNCTION_SHA256',
      ...asked,
    }
    await expectOutcome(await activityOf('sign_raw_payload', parameters), { digest: await headDigest(organizationId) })
  })

  test('a wallet or sub-organization without addresses', async () => {
    const digest = await headDigest(organizationId)
    const wallet = await activityOf('create_wallet', { walletName: walletName(), accounts: [], ...asked })
    await expectOutcome(wallet, { digest })
    const before = await headDigest(organizationId)
    const parameters = { ...subOrganization(), wallet: null, ...asked }
    await expectOutcome(await activityOf('create_sub_organization', parameters), { digest: before })
  })

  test('in a sub-organization the parent is named too', async () => {
    const apiKey = generateApiKey()
    const { subOrganizationId } = await done('create_sub_organization', subOrganization(apiKey.publicKey))
    const digest = await headDigest(subOrganizationId)
    const parentDigest = await headDigest(organizationId)
    const ask = { organizationId: subOrganizationId, apiKey }
    const activity = await activityOf('update_organization_name', { organizationName: 'Sub', ...asked }, ask)
    await expectOutcome(activity, { digest, parentDigest })
  })
})

test('the key of every proof is the one that the server publishes', async () => {
  const { appProofs } = await activityOf('update_organization_name', { organizationName: 'Keyed', ...asked })
  const { appProofSigning } = await server.vault.publishedKeys()
  expect(appProofs[0].publicKey).toMatch(/^04[0-9a-f]{128}04[0-9a-f]{128}$/)
  expect(appProofs[0].publicKey.slice(130)).toBe(appProofSigning?.uncompressed)
})

test('an operation for which the interface does not list the flag takes it and makes no proof', async () => {
  const { addresses } = await done('create_wallet', { walletName: walletName(), accounts: [sparkAccount()] })
  const lightningReceive = { threshold: 2, operatorRecipients: recipientsOf(newOperators(2)) }
  const activity = await activityOf('spark_prepare_lightning_receive', {
    signWith: addresses[0],
    lightningReceive,
    ...asked,
  })
  expect(activity).not.toHaveProperty('appProofs')
})

describe('with a threshold of two', async () => {
  const quorum = await startOrganization()
  const second = await quorum.anotherUser('second')
  const third = await quorum.anotherUser('third')
  const userIds = [quorum.rootUserId, second.userId, third.userId]
  await quorum.done('update_root_quorum', { threshold: 2, userIds })
  const { apiKey } = second

  const headNow = () => headDigest(quorum.organizationId, quorum.server)
  const waiting = async (given: Parameters) => {
    const { body } = await quorum.submit('update_organization_name', { organizationName: 'Both', ...given })
    expect(body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    expect(body.activity).not.toHaveProperty('appProofs')
    return body.activity
  }
  const vote = async (name: string, parameters: Parameters) =>
    (await quorum.submit(name, parameters, { apiKey })).body.activity

  test('the last vote brings the proof, with both approvals', async () => {
    const { fingerprint } = await waiting(asked)
    const digest = await headNow()
    const activity = await vote('approve_activity', { fingerprint })
    expect(activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(activity.votes).toHaveLength(2)
    await expectOutcome(activity, { digest, nowMs: quorum.clock.nowMs })
    const { appProofs } = await quorum.found('list_app_proofs', { activityId: activity.id })
    expect(appProofs).toStrictEqual(activity.appProofs)
  })

  test('a voter may ask for the proof as well', async () => {
    const { fingerprint } = await waiting({})
    const digest = await headNow()
    const activity = await vote('approve_activity', { fingerprint, ...asked })
    await expectOutcome(activity, { digest, nowMs: quorum.clock.nowMs })
  })

  test('an approval that lapsed is no part of the proof', async () => {
    const { fingerprint } = await waiting(asked)
    quorum.clock.nowMs += 24 * 60 * 60 * 1000
    expect((await vote('approve_activity', { fingerprint })).status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    const digest = await headNow()
    const { body } = await quorum.submit('approve_activity', { fingerprint }, { apiKey: third.apiKey })
    const votes = body.activity.votes.slice(1)
    await expectOutcome(body.activity, { digest, votes, nowMs: quorum.clock.nowMs })
  })

  test('a rejection, or a failure, brings no proof', async () => {
    const { fingerprint } = await waiting(asked)
    const rejected = await vote('reject_activity', { fingerprint })
    expect(rejected.status).toBe('ACTIVITY_STATUS_REJECTED')
    expect(rejected).not.toHaveProperty('appProofs')

    const parameters = { walletName: 'same', accounts, ...asked }
    const first = (await quorum.submit('create_wallet', parameters)).body.activity
    const again = (await quorum.submit('create_wallet', parameters)).body.activity
    const made = await vote('approve_activity', { fingerprint: first.fingerprint })
    expect(made.appProofs.map(readProof)).toHaveLength(2)
    const failed = await vote('approve_activity', { fingerprint: again.fingerprint })
    expect(failed.status).toBe('ACTIVITY_STATUS_FAILED')
    expect(failed).not.toHaveProperty('appProofs')
  })
})
