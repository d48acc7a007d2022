import { createHash } from 'node:crypto'
import { createActivityPoller, getSignatureFromActivity, type TurnkeyClient, TurnkeyRequestError } from '@turnkey/http'
import { recoverAddress } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { baseUrls, dialects, ethereumAccount, httpClient } from '../support/clients.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'
import { generateApiKey } from '../support/stamping.ts'

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

describe.each(dialects)('@turnkey/http against the base URL of the dialect %s', (dialect) => {
  let client: TurnkeyClient
  let organizationId: string
  let timestampMs: string
  beforeAll(() => {
    client = httpClient(server, dialect)
    organizationId = server.credentials.organizationId
  })

  /** The envelope of an activity; each has a time of its own. */
  function envelope<const T extends string, P>(type: T, parameters: P) {
    timestampMs = String(Date.now())
    return { type, timestampMs, organizationId, parameters }
  }

  async function newWallet(walletName: string) {
    const parameters = { walletName: `${dialect} ${walletName}`, accounts: [ethereumAccount()] }
    const { activity } = await client.createWallet(envelope('ACTIVITY_TYPE_CREATE_WALLET', parameters))
    const { walletId = '', addresses: [address = ''] = [] } = activity.result.createWalletResult ?? {}
    return { activity, parameters, walletId, address }
  }

  test('whoami names the organization and the user of the credentials file', async () => {
    expect(await client.getWhoami({ organizationId })).toEqual({
      organizationId,
      organizationName: 'My organization',
      userId: server.credentials.userId,
      username: 'Root user',
    })
  })

  test('createWallet answers at once with a completed activity that carries its intent, result and vote', async () => {
    const { activity, parameters, walletId, address } = await newWallet('activity')
    expect(activity).toMatchObject({
      organizationId,
      status: 'ACTIVITY_STATUS_COMPLETED',
      type: 'ACTIVITY_TYPE_CREATE_WALLET',
      intent: { createWalletIntent: parameters },
      result: { createWalletResult: { walletId, addresses: [address] } },
    })
    expect(activity.id).toMatch(uuid)
    expect(walletId).toMatch(uuid)
    expect(address).toMatch(/^0x[0-9a-fA-F]{40}$/)
    const [vote] = activity.votes
    expect(activity.votes).toHaveLength(1)
    expect(vote).toMatchObject({
      userId: server.credentials.userId,
      activityId: activity.id,
      selection: 'VOTE_SELECTION_APPROVED',
      publicKey: server.credentials.apiPublicKey,
      scheme: 'SIGNATURE_SCHEME_TK_API_P256',
      user: { userId: server.credentials.userId, userName: 'Root user' },
      createdAt: { seconds: expect.stringMatching(/^\d+$/), nanos: expect.stringMatching(/^\d+$/) },
    })
    const digest = createHash('sha256').update(vote?.message ?? '')
    expect(activity.fingerprint).toBe(`sha256:${digest.digest('hex')}`)
  })

  test('the times of an activity have the form of the dialect, and say when it was', async () => {
    const { activity } = await newWallet('times')
    const { createdAt }: { createdAt: unknown } = activity
    if (dialect === 'hosted') {
      expect(createdAt).toEqual({ seconds: expect.stringMatching(/^\d+$/), nanos: expect.stringMatching(/^\d+$/) })
      expect(Number(activity.createdAt.seconds) * 1000).toBeGreaterThan(Number(timestampMs) - 5_000)
    } else {
      expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(Date.parse(String(createdAt))).toBeGreaterThan(Number(timestampMs) - 5_000)
    }
    expect(typeof activity.updatedAt).toBe(typeof createdAt)
  })

  test('getActivity gives what the submission gave, and getActivities lists the newest first', async () => {
    const first = (await newWallet('listed first')).activity
    const second = (await newWallet('listed second')).activity
    expect((await client.getActivity({ organizationId, activityId: first.id })).activity).toEqual(first)
    const { activities } = await client.getActivities({ organizationId, paginationOptions: { limit: '2' } })
    expect(activities.map(({ id }) => id)).toEqual([second.id, first.id])
    const older = await client.getActivities({ organizationId, paginationOptions: { limit: '1', after: second.id } })
    expect(older.activities.map(({ id }) => id)).toEqual([first.id])
    const others = await client.getActivities({ organizationId, filterByType: ['ACTIVITY_TYPE_DELETE_API_KEYS'] })
    expect(others.activities).toEqual([])
  })

  test('the same stamped bytes sent twice are one activity', async () => {
    const parameters = { walletName: `${dialect} once`, accounts: [] }
    const { url, body, stamp } = await client.stampCreateWallet(envelope('ACTIVITY_TYPE_CREATE_WALLET', parameters))
    const send = async () => {
      const headers = { [stamp.stampHeaderName]: stamp.stampHeaderValue }
      return (await fetch(url, { method: 'POST', headers, body })).json()
    }
    expect(url).toBe(`${baseUrls(server)[dialect]}/public/v1/submit/create_wallet`)
    const first = await send()
    expect(first.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(await send()).toEqual(first)
  })

  test('a signature over a digest recovers to the address of the wallet', async () => {
    const { address } = await newWallet('signs')
    const digest = createHash('sha256').update('a message').digest('hex')
    const { activity } = await client.signRawPayload(
      envelope('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', {
        signWith: address,
        payload: digest,
        encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
        hashFunction: 'HASH_FUNCTION_NO_OP',
      }),
    )
    const { r, s, v } = getSignatureFromActivity(activity)
    const signature = { r: `0x${r}`, s: `0x${s}`, yParity: Number(v) } as const
    expect(await recoverAddress({ hash: `0x${digest}`, signature })).toBe(address)
  })

  test('the poller of the package sees the end of an activity', async () => {
    const create = createActivityPoller({ client, requestFn: client.createWallet })
    const activity = await create(
      envelope('ACTIVITY_TYPE_CREATE_WALLET', { walletName: `${dialect} polled`, accounts: [] }),
    )
    expect(activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  })

  describe('what the client sees of a refusal', () => {
    async function refusalOf(answer: Promise<unknown>): Promise<TurnkeyRequestError> {
      const error = await answer.then(
        () => undefined,
        (reason: unknown) => reason,
      )
      if (!(error instanceof TurnkeyRequestError)) throw new Error('expected a TurnkeyRequestError', { cause: error })
      return error
    }

    test('a malformed field: code 3, and the path of the field in the details', async () => {
      const parameters = { walletName: `${dialect} x`, accounts: [{ ...ethereumAccount(), path: 'm/zero' }] }
      const refusal = await refusalOf(client.createWallet(envelope('ACTIVITY_TYPE_CREATE_WALLET', parameters)))
      expect(refusal.code).toBe(3)
      expect(refusal.message).toMatch(/^Turnkey error 3: .*parameters\.accounts\[0\]\.path/)
      expect(refusal.details).toContainEqual({
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'parameters.accounts[0].path', description: expect.any(String) }],
      })
    })

    test('a request from two hours ago: code 3 with the category INVALID_TIME', async () => {
      const stale = envelope('ACTIVITY_TYPE_CREATE_WALLET', { walletName: `${dialect} stale`, accounts: [] })
      const timestampMs = String(Date.now() - 2 * 60 * 60 * 1000)
      const refusal = await refusalOf(client.createWallet({ ...stale, timestampMs }))
      expect(refusal.code).toBe(3)
      expect(refusal.details).toContainEqual(category('INVALID_TIME'))
    })

    test('a key that nobody registered: code 16 with the text that logs people out', async () => {
      const { publicKey, privateKeyHex } = generateApiKey()
      const stranger = httpClient(server, dialect, { apiPublicKey: publicKey, apiPrivateKey: privateKeyHex })
      const refusal = await refusalOf(stranger.getWhoami({ organizationId }))
      expect(refusal.code).toBe(16)
      expect(refusal.message).toContain('could not find public key in organization or its parent organization')
      expect(refusal.details).toContainEqual(category('PUBLIC_KEY_NOT_FOUND'))
    })

    test('an organization that does not exist: code 5', async () => {
      const nowhere = '00000000-0000-7000-8000-000000000000'
      const refusal = await refusalOf(client.getWallets({ organizationId: nowhere }))
      expect(refusal.code).toBe(5)
      expect(refusal.message).toContain('no organization found with the given ID')
      expect(refusal.details).toContainEqual(category('ORGANIZATION_NOT_FOUND'))
    })

    test('an address that nobody holds: code 5 with the text of the interface', async () => {
      const refusal = await refusalOf(
        client.signRawPayload(
          envelope('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', {
            signWith: '0x000000000000000000000000000000000000dEaD',
            payload: '00'.repeat(32),
            encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
            hashFunction: 'HASH_FUNCTION_NO_OP',
          }),
        ),
      )
      expect(refusal.code).toBe(5)
      expect(refusal.message).toContain('Could not find any resource to sign with.')
    })
  })
})

function category(turnkeyErrorCode: string) {
  return { '@type': 'type.googleapis.com/errors.v1.TurnkeyErrorDetail', turnkeyErrorCode }
}
